// The ranked rows: sorted, filtered and searched in full; only one page of them is in the document.

const PAGE_ROWS = 20;

function mainReason(place) {
  if (place >= facts.n_explained) return "";
  const first = reasonsOf(place)[0];
  if (!first || first.push <= 0) return "";
  const { column, cell, expected } = first;
  const usual = typeof cell === "number" && cell >= column.low && cell <= column.high;
  return brief(column.name) + " " + brief(shown(cell)) +
    (usual && expected === null ? ", a usual value, but not with the others of this row"
      : ", usually " + brief(column.usual) + (expected === null ? "" : "; expected about " + brief(shown(expected))));
}

function brief(text) {
  return text.length <= 32 ? text : text.slice(0, 31) + "…";
}

// A column of the table: how it is sorted by, how it is shown, and on which screens it has room.
function tableColumns() {
  const columns = [
    { key: "rank", title: "Rank", number: true, of: (i) => i + 1, show: (i) => counted(i + 1) },
    rows.id !== null ? { key: "id", title: "Id", of: (i) => idOf(i) ?? "row " + rows.number[i] }
      : { key: "row", title: "Row", number: true, of: (i) => rows.number[i], show: (i) => counted(rows.number[i]) },
  ];
  columns.push({ key: "score", title: "Score", number: true, of: (i) => rows.score[i], show: (i) => aligned(rows.score[i]) });
  if (rows.p !== null) {
    columns.push({ key: "p", title: "p-value", number: true, wide: true, of: (i) => -rows.p[i], show: (i) => rounded(rows.p[i]) });
  }
  if (rows.label !== null) {
    columns.push({ key: "truth", title: "Truth", wide: true, of: (i) => (isOutlier(i) ? "outlier" : "ordinary") });
  }
  columns.push({ key: "reason", title: "Main reason", of: mainReason });
  return columns;
}

const FILTERS = [
  ["all", "All rows", () => true],
  ["flagged", "Flagged", isFlagged],
  ["others", "Not flagged", (i) => !isFlagged(i)],
  ["found", "Known outliers, flagged", (i) => isFlagged(i) && isOutlier(i), "label"],
  ["missed", "Known outliers, not flagged", (i) => !isFlagged(i) && isOutlier(i), "label"],
  ["false", "False alarms", (i) => isFlagged(i) && !isOutlier(i), "label"],
];

const table = { columns: tableColumns(), order: [], kind: null, page: 0, sortBy: "rank", down: false, focused: 0 };

function searchText(place) {
  const reasons = (reasonsOf(place) ?? []).slice(0, 5);
  const cells = reasons.map((reason) => reason.column.name + " " + shown(reason.cell) + "\n" + reason.cell);
  return [nameOf(place), rows.number[place], ...cells].join("\n").toLowerCase();
}

function chosenRows() {
  const accepts = FILTERS.find(([key]) => key === byId("filter").value)[2];
  const wanted = byId("search").value.trim().toLowerCase();
  const chosen = [];
  for (let i = 0; i < rows.count; i++) {
    if (accepts(i) && (chosenKind.rows === null || chosenKind.rows.has(i)) && (wanted === "" || searchText(i).includes(wanted))) chosen.push(i);
  }
  return chosen;
}

function arrange() {
  const column = table.columns.find((one) => one.key === table.sortBy);
  const sign = table.down ? -1 : 1;
  table.order = chosenRows();
  table.kind = chosenKind.rows;
  if (column.key !== "rank") {
    const keys = new Map(table.order.map((i) => [i, column.of(i)]));
    const collator = new Intl.Collator("en", { numeric: true });
    const compare = column.number
      ? (a, b) => keys.get(a) - keys.get(b)
      : (a, b) => collator.compare(keys.get(a), keys.get(b));
    table.order.sort((a, b) => sign * compare(a, b) || a - b);
  } else if (table.down) {
    table.order.reverse();
  }
  table.page = 0;
  table.focused = 0;
  showPage();
}

function sortBy(column) {
  table.down = table.sortBy === column.key ? !table.down : column.number && !["rank", "row"].includes(column.key);
  table.sortBy = column.key;
  arrange();
  showHeads();
}

function showHeads() {
  byId("rows").tHead.rows[0].replaceChildren(...table.columns.map((column) => {
    const button = element("button", { type: "button", "data-sort": column.key }, column.title);
    button.addEventListener("click", () => {
      sortBy(column);
      byId("rows").querySelector('[data-sort="' + column.key + '"]').focus();
    });
    const sorted = table.sortBy === column.key ? (table.down ? "descending" : "ascending") : "none";
    return element("th", { role: "columnheader", scope: "col", class: classOf(column), "aria-sort": sorted }, button);
  }));
}

function classOf(column) {
  const room = column.wide ? "wide-only" : "";
  return [column.key, column.number ? "number" : "", room].join(" ").trim();
}

function showPage() {
  const begin = table.page * PAGE_ROWS;
  const here = table.order.slice(begin, begin + PAGE_ROWS);
  byId("rows").tBodies[0].replaceChildren(...here.map((place, k) => rowElement(place, begin + k)));
  const last = Math.max(0, Math.ceil(table.order.length / PAGE_ROWS) - 1);
  byId("previous-page").disabled = table.page === 0;
  byId("next-page").disabled = table.page >= last;
  byId("page-says").textContent = here.length === 0
    ? "No row is like that."
    : counted(begin + 1) + " to " + counted(begin + here.length) + " of " + counted(table.order.length) + " rows";
}

function rowElement(place, at) {
  const cells = table.columns.map((column) => {
    const text = column.show ? column.show(place) : column.of(place);
    return element("td", { role: "gridcell", class: classOf(column), title: ["id", "reason"].includes(column.key) ? text : null }, text);
  });
  const made = element("tr", {
    role: "row",
    class: isFlagged(place) ? "flagged" : "",
    tabindex: at === table.focused ? "0" : "-1",
    "aria-selected": String(place === state.selected),
    "data-row": rows.number[place],
  }, ...cells);
  made.addEventListener("click", () => choose(at, true));
  return made;
}

// Select the row at a place of the arranged table; on a narrow screen its details are below.
function choose(at, show) {
  table.focused = at;
  select(table.order[at]);
  focusRow(at);
  const side = byId("detail");
  if (show && side.getBoundingClientRect().top > window.innerHeight - 100) side.scrollIntoView();
}

function focusRow(at) {
  if (table.order.length === 0) return;
  table.focused = Math.max(0, Math.min(table.order.length - 1, at));
  const page = Math.floor(table.focused / PAGE_ROWS);
  if (page !== table.page) {
    table.page = page;
    showPage();
  }
  const body = byId("rows").tBodies[0];
  [...body.rows].forEach((row, k) => {
    row.tabIndex = table.page * PAGE_ROWS + k === table.focused ? 0 : -1;
  });
  body.rows[table.focused % PAGE_ROWS].focus({ preventScroll: false });
}

function onKey(event) {
  if (event.target.tagName !== "TR") return;
  const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE_ROWS, PageUp: -PAGE_ROWS };
  if (event.key in moves) focusRow(table.focused + moves[event.key]);
  else if (event.key === "Home") focusRow(0);
  else if (event.key === "End") focusRow(table.order.length - 1);
  else if (event.key === "Enter" || event.key === " ") choose(table.focused, event.key === "Enter");
  else return;
  event.preventDefault();
}

function turnPage(step) {
  table.page += step;
  table.focused = table.page * PAGE_ROWS;
  showPage();
}

function markSelected() {
  for (const row of byId("rows").tBodies[0].rows) {
    row.setAttribute("aria-selected", String(Number(row.dataset.row) === rows.number[state.selected]));
  }
}

function showTable() {
  const usable = FILTERS.filter(([, , , needs]) => needs === undefined || rows[needs] !== null);
  byId("filter").append(...usable.map(([key, title]) => element("option", { value: key }, title)));
  byId("filter").addEventListener("change", arrange);
  byId("search").addEventListener("input", arrange);
  byId("previous-page").addEventListener("click", () => turnPage(-1));
  byId("next-page").addEventListener("click", () => turnPage(1));
  byId("rows").tBodies[0].addEventListener("keydown", onKey);
  listeners.push((what) => {
    if (what === "selected") markSelected();
    else if (byId("filter").value === "all" && table.kind === chosenKind.rows) showPage();
    else arrange();
  });
  showHeads();
  arrange();
}
