// One row: what it is, which columns are to blame, and its values against what is usual.

const FIRST_REASONS = 10;

function showDetail() {
  listeners.push(drawDetail);
  drawDetail();
}

function drawDetail() {
  const place = state.selected;
  const name = idOf(place);
  const row = "Row " + rows.number[place];
  byId("detail-title").textContent = "Why " + (name === null ? row.toLowerCase() : name + " (" + row.toLowerCase() + ")") + "?";
  byId("detail-facts").replaceChildren(rowFacts(place), element("p", { class: "hint" }, kindSentence(place)));
  byId("detail-reasons").replaceChildren(...reasonParts(place));
}

function kindSentence(place) {
  const kind = kindOf(place);
  return KIND_SAYS[kind] + " Score distance " + shown(rows.within[place]) +
    " (cut-off " + shown(facts.map.score_cutoff) + "), orthogonal distance " + shown(rows.outside[place]) +
    " (cut-off " + shown(facts.map.orthogonal_cutoff) + ").";
}

function rowFacts(place) {
  const items = [
    ["Rank", counted(place + 1) + " of " + counted(facts.n_rows)],
    ["Score", shown(rows.score[place])],
    ["", isFlagged(place) ? "▲ flagged" : "not flagged"],
    ["Kind", KINDS[kindOf(place)]],
  ];
  if (rows.label !== null) items.push(["Truth", isOutlier(place) ? "outlier" : "inlier"]);
  if (rows.classical !== null) items.push(["Classical rank", counted(rows.classical[place])]);
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
      " rows of the ranking. The columns of this row are sorted by how far its values are from the median."));
  }
  const grid = element("div", { class: "reasons", id: "reasons" });
  const most = Math.max(...reasons.map((reason) => Math.abs(reason.push ?? 0)), 1e-300);
  const fill = (count) => grid.replaceChildren(...reasonHeads(explained),
    ...reasons.slice(0, count).flatMap((reason) => reasonCells(reason, most, place)));
  fill(FIRST_REASONS);
  parts.push(grid, ...moreReasons(reasons, fill));
  const rest = facts.details[place][3];
  if (rest !== null && Math.abs(rest) > 1e-9) {
    parts.push(element("p", { class: "hint" }, "Columns that are not listed add " + shown(rest) + " together."));
  }
  parts.push(element("p", { class: "hint" }, "Band: the usual range, which holds 90 % of the rows; line: the median; " +
    "diamond: the value is outside of the usual range." + (explained ? " Shares add up to the score." : "")));
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
  const heads = ["Column", "Value", "Usual range"];
  return [
    ...heads.map((text) => element("span", { class: "head" }, text)),
    element("span", { class: "head share" }, explained ? "Adds to the score" : ""),
  ];
}

function reasonCells(reason, most, place) {
  return [
    element("span", { class: "name", title: reason.column.name }, reason.column.name),
    element("span", { class: "value", title: shown(reason.cell) }, shown(reason.cell)),
    usualCell(reason),
    pushCell(reason, most, place),
  ];
}

function pushCell(reason, most, place) {
  if (reason.push === null) return element("span", { class: "push" });
  const bar = element("span", { class: reason.push < 0 ? "less" : null });
  bar.style.width = (100 * Math.abs(reason.push)) / most + "%";
  const share = percent(rows.score[place] > 0 ? reason.push / rows.score[place] : 0);
  return element("span", { class: "push", title: "adds " + shown(reason.push) + " to the score" },
    element("span", { class: "track" }, bar), element("b", {}, share));
}

function usualCell(reason) {
  const { column, cell } = reason;
  if (column.usual !== undefined) {
    return element("span", { class: "usual-text" }, "most often " + shown(column.usual) + " (" + percent(column.share) + ")");
  }
  const value = typeof cell === "string" ? Number.parseFloat(cell) : Number(cell ?? NaN);
  const says = "median " + shown(column.median) + ", usual range " + shown(column.low) + " to " + shown(column.high);
  if (!Number.isFinite(value)) return element("span", { class: "usual-text" }, says);
  const low = Math.min(column.low, value);
  const width = Math.max(column.high, value) - low || 1;
  const at = (number) => 6 + (88 * (number - low)) / width + "%";
  const [band, middle, here] = ["usual", "middle", "here"].map((name) => element("span", { class: name }));
  band.style.left = at(column.low);
  band.style.width = (88 * (column.high - column.low)) / width + "%";
  middle.style.left = at(column.median);
  here.style.left = at(value);
  if (value < column.low || value > column.high) here.classList.add("unusual");
  return element("span", { class: "strip", role: "img", title: says, "aria-label": shown(value) + "; " + says }, band, middle, here);
}
