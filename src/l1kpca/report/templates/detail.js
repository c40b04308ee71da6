// One row: what it is, which columns are to blame, and its values against what is usual.

const FIRST_REASONS = 10;

function showDetail() {
  listeners.push(drawDetail);
  drawDetail();
}

function drawDetail() {
  const place = state.selected;
  byId("detail-title").textContent = "What is odd about " + nameOf(place) + "?";
  byId("detail-facts").replaceChildren(rowFacts(place));
  byId("detail-reasons").replaceChildren(...reasonParts(place));
}

function rowFacts(place) {
  const items = [
    ["", isFlagged(place) ? "▲ flagged" : "not flagged"],
    ["Rank", counted(place + 1) + " of " + counted(facts.n_rows)],
    ["Score", rounded(rows.score[place])],
  ];
  if (rows.p !== null) items.push(["p-value", rounded(rows.p[place])]);
  if (rows.label !== null) items.push(["In truth", isOutlier(place) ? "outlier" : "ordinary"]);
  return element("ul", { class: "facts" }, ...items.map(([title, text]) => element("li", {}, title === "" ? "" : title + " ",
    element("b", { class: text === "▲ flagged" ? "flag" : null }, text))));
}

function reasonParts(place) {
  const reasons = reasonsOf(place);
  if (reasons === null) {
    return [element("p", {}, "The page holds the cells of the first " + counted(facts.details.length) +
      " rows of the ranking only. Look this row up in the data; in Python, detector.explain(X[" +
      (rows.number[place] - 1) + ":" + rows.number[place] + "]) says which columns are to blame.")];
  }
  const explained = place < facts.n_explained;
  const parts = [];
  if (!explained) {
    parts.push(element("p", {}, "Contributions were computed for the first " + counted(facts.n_explained) +
      " rows of the ranking. The columns of this row are sorted by how far its values are from what the rest of the row suggests."));
  }
  const grid = element("div", { class: "reasons", id: "reasons" });
  const fill = (count) => grid.replaceChildren(...reasonHeads(explained),
    ...reasons.slice(0, count).flatMap((reason) => reasonCells(reason, place)));
  fill(FIRST_REASONS);
  parts.push(grid, ...moreReasons(reasons, fill));
  const rest = facts.details[place][3];
  if (rest !== null && Math.abs(rest) > 1e-9) {
    parts.push(element("p", { class: "hint" }, "Columns that are not listed add " + rounded(rest) + " together."));
  }
  parts.push(element("p", { class: "hint" }, "Band: the usual range, which holds 90% of the rows. Line: the middle of all rows. " +
    "Diamond: a value out of that range. Expected: what the rest of the row suggests, where the cell stands out." +
    (explained ? " Shares add up to 100% of the score." : "")));
  return parts;
}

function moreReasons(reasons, fill) {
  if (reasons.length <= FIRST_REASONS) return [];
  const button = element("button", { type: "button" }, "Show " + reasons.length + " columns");
  button.addEventListener("click", () => {
    fill(reasons.length);
    button.remove();
  });
  return [element("p", { class: "controls" }, button)];
}

function reasonHeads(explained) {
  const heads = ["Column", "Value", "Usually"];
  return [
    ...heads.map((text) => element("span", { class: "head" }, text)),
    element("span", { class: "head share" }, explained ? "Share of the score" : ""),
  ];
}

function reasonCells(reason, place) {
  return [
    element("span", { class: "name", title: reason.column.name }, ...wrapping(reason.column.name)),
    element("span", { class: "value", title: String(reason.cell) }, shown(reason.cell),
      reason.expected === null ? null : element("small", {}, "expected ", element("span", {}, shown(reason.expected)))),
    usualCell(reason),
    pushCell(reason, place),
  ];
}

function pushCell(reason, place) {
  if (reason.push === null) return element("span", { class: "push" });
  const bar = element("span", { class: reason.push < 0 ? "less" : null });
  const share = rows.score[place] > 0 ? reason.push / rows.score[place] : 0;
  bar.style.width = Math.min(100, 100 * Math.abs(share)) + "%";
  return element("span", { class: "push", title: "adds " + rounded(reason.push) + " to the score" },
    element("span", { class: "track" }, bar), element("b", {}, percent(share)));
}

function usualCell(reason) {
  const { column, cell } = reason;
  if (column.low === undefined) {
    return element("span", { class: "usual-text" }, column.usual + (column.share ? " (" + percent(column.share) + ")" : ""));
  }
  const text = element("span", { class: "usual-text" }, column.usual);
  const value = typeof cell === "string" ? Number.parseFloat(cell) : Number(cell ?? NaN);
  if (!Number.isFinite(value)) return text;
  const low = Math.min(column.low, value);
  const width = Math.max(column.high, value) - low || 1;
  const at = (number) => 6 + (88 * (number - low)) / width + "%";
  const [band, middle, here] = ["usual", "middle", "here"].map((name) => element("span", { class: name }));
  band.style.left = at(column.low);
  band.style.width = (88 * (column.high - column.low)) / width + "%";
  middle.style.left = at(column.median);
  here.style.left = at(value);
  if (value < column.low || value > column.high) here.classList.add("unusual");
  const side = value > column.high ? "above" : value < column.low ? "below" : "within";
  const strip = element("span", { class: "strip", role: "img", "aria-label": shown(value) + " is " + side + " the usual " + column.usual }, band, middle, here);
  return element("span", { class: "usual-cell" }, text, strip);
}
