// The first screen: headline, odd cells and kinds of trouble, wherever the line is.

const MOST_KINDS = 5;
const NO_CODE = 0xffff;
const UNREAD = 0x4000;
const FAR = 5; // a value far out counts as much as five that are just out
const codes = unpacked(facts.trouble.codes, Uint16Array);
const oddCells = unpacked(facts.trouble.cells, Uint32Array); // of the first rows together
const chosenKind = { key: undefined, rows: null };

// What may be the kind of trouble of a row: 4 (place of the column + 1) + 2 (above) + (far), and UNREAD for no number or date; 0 for no column.
function codesOf(place) {
  const width = codes.length / oddCells.length;
  return codes.subarray(place * width, (place + 1) * width).filter((code) => code !== NO_CODE);
}

// The first rows by what is wrong with them: a few reasons that cover as many as possible.
function kindsOf(count) {
  const found = [];
  let left = Array.from({ length: Math.min(count, oddCells.length) }, (_, place) => [place, codesOf(place)]);
  while (left.length > 0) {
    const covered = new Map();
    for (const [, own] of left) {
      for (const code of own) covered.set(code >> 1, (covered.get(code >> 1) ?? 0) + (code & 1 ? FAR : 1));
    }
    let best = null;
    for (const [key, many] of covered) {
      if (best === null || many > covered.get(best) || (many === covered.get(best) && key < best)) best = key;
    }
    if (found.length === MOST_KINDS) best = null;
    const here = best === null ? left : left.filter(([, own]) => own.some((code) => code >> 1 === best));
    const far = here.filter(([, own]) => own.includes(2 * best + 1)).length > here.length / 2;
    found.push({ key: best, far, rows: here.map(([place]) => place) });
    left = best === null ? [] : left.filter(([, own]) => !own.some((code) => code >> 1 === best));
  }
  // The most frequent first, what is left last.
  return found.sort((a, b) => Number(a.key === null) - Number(b.key === null) || b.rows.length - a.rows.length);
}

function columnOf(kind) {
  return kind.key ? facts.columns[facts.trouble.columns[((kind.key & (UNREAD / 2 - 1)) >> 1) - 1]] : null;
}

function sentenceOf(kind) {
  const column = columnOf(kind);
  if (column === null) {
    return kind.key === 0 ? "No single value stands out, but the values of the row do not go together." : "Other columns have unusual values.";
  }
  if (kind.key >= UNREAD / 2) return column.name + " is not a " + column.kind + ".";
  if ("share" in column && column.share !== null) return column.name + " does not fit the rest of the row (usually " + column.usual + ").";
  const words = column.kind === "date" ? ["before", "after"] : ["below", "above"];
  return column.name + " is " + (kind.far ? "far " : "") + words[kind.key & 1] + " the usual " + column.usual + ".";
}

function exampleOf(kind) {
  const place = kind.rows[0];
  const reason = (reasonsOf(place) ?? []).find((one) => one.column === columnOf(kind));
  const where = "For example " + nameOf(place);
  if (reason === undefined) return where + ".";
  // "Above the usual, expected even more" would puzzle a reader here.
  const beyond = typeof reason.expected === "number" && (kind.key & 1 ? reason.expected > reason.cell : reason.expected < reason.cell);
  return where + ": " + shown(reason.cell) + (reason.expected === null || beyond ? "" : ", expected about " + shown(reason.expected)) + ".";
}

function showHeadline() {
  byId("headline").textContent = counted(state.flagged) + " of " + counted(facts.n_rows) +
    (facts.n_rows === 1 ? " row looks wrong" : " rows look wrong");
  const looked = Math.min(state.flagged, oddCells.length);
  const odd = looked === 0 ? 0 : oddCells[looked - 1];
  const lead = [element("span", {}, state.flagged > 0 ? "They do not fit the pattern that the other rows share."
    : facts.promise.n_reference === 0 ? "All rows fit the pattern that they share."
    : "By the reference rows, none can be told from an ordinary row with the certainty that was asked for. Those at the top of the list may still be wrong.")];
  if (odd > 0) {
    lead.push(" In " + (looked === state.flagged ? "them" : "the first " + counted(looked) + " of them") + ", ",
      element("b", {}, counted(odd) + (odd === 1 ? " cell" : " cells")),
      (odd === 1 ? " stands" : " stand") + " out: far from what the rest of the row suggests.");
  }
  if (state.flagged > 0 && !facts.clear_line) {
    lead.push(" There is no sharp line between wrong and ordinary rows: the farther down the list, the more rows are just unusual.");
  }
  byId("lead").replaceChildren(...lead);
}

function pickKind(kind) {
  const on = chosenKind.key !== kind.key;
  chosenKind.key = on ? kind.key : undefined;
  chosenKind.rows = on ? new Set(kind.rows) : null;
  for (const button of document.querySelectorAll("#kinds button")) {
    button.setAttribute("aria-pressed", String(on && button.dataset.key === String(kind.key)));
  }
  arrange();
  if (on) select(kind.rows[0]);
  byId("ranking").scrollIntoView();
}

function kindItem(kind) {
  const button = element("button", { type: "button", "data-key": String(kind.key), "aria-pressed": String(kind.key === chosenKind.key) },
    element("b", { class: "count" }, counted(kind.rows.length)),
    element("span", {}, element("span", { class: "says" }, sentenceOf(kind)), " ", element("span", { class: "hint" }, exampleOf(kind))));
  button.addEventListener("click", () => pickKind(kind));
  return element("li", {}, button);
}

function showKinds() {
  const kinds = kindsOf(state.flagged);
  const still = kinds.find((kind) => kind.key === chosenKind.key);
  if (still === undefined) chosenKind.key = undefined;
  chosenKind.rows = still === undefined ? null : new Set(still.rows);
  const digits = Math.max(3, ...kinds.map((kind) => counted(kind.rows.length).length));
  byId("kinds").style.setProperty("--digits", 0.9 * digits + "rem"); // so that no count is broken
  byId("kinds").replaceChildren(...kinds.map(kindItem));
  byId("trouble").hidden = kinds.length === 0;
  const some = state.flagged > oddCells.length ? "The first " + counted(oddCells.length) + " of the " + counted(state.flagged) + " rows, by" : "By";
  byId("kinds-hint").replaceChildren(some + " their main reason. ", element("span", { class: "screen-only" }, "Click one to list its rows. "),
    "“Usual” is the range of 90% of the rows.");
}

// What was said of false flags holds for the line of the program; for another one, the page knows.
function showPromise() {
  const moved = state.flagged !== facts.n_flagged;
  for (const sentence of document.querySelectorAll(".promise")) sentence.hidden = moved;
  byId("promise-here").textContent = moved ? falseFlags().trim() : "";
}

function showFirst() {
  const show = () => {
    showHeadline();
    showKinds();
    showPromise();
  };
  listeners.push((what) => what === "cutoff" && show());
  show();
}
