// Robust against classical components, and how the search for the components went.

const COMPARED = 20;
const CHARTED = 6;
const DASHES = ["", "6 3", "2 3", "8 3 2 3", "1 2", "10 4"];

function movedRows() {
  const first = Math.max(state.flagged, COMPARED);
  const moved = [];
  for (let i = 0; i < rows.count; i++) {
    if (i < first || rows.classical[i] <= first) moved.push([i, Math.abs(Math.log((i + 1) / rows.classical[i]))]);
  }
  moved.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return moved.filter(([, change]) => change > 0).slice(0, 10).map(([i]) => i);
}

function comparisonSentence() {
  let both = 0;
  for (let i = 0; i < Math.min(state.flagged, rows.count); i++) both += Number(rows.classical[i] <= state.flagged);
  let text = "The same columns, kernel and rule with the components of classical kernel PCA (L2 norm): of the " +
    counted(state.flagged) + " rows flagged here, " + counted(both) + " are also among its first " + counted(state.flagged) + ".";
  const [ours, theirs] = [facts.agreement, facts.comparison.agreement];
  if (theirs !== null) {
    text += " Average precision " + ours.average_precision.toFixed(3) + " robust, " +
      theirs.average_precision.toFixed(3) + " classical; ROC-AUC " + ours.roc_auc.toFixed(3) + " and " +
      theirs.roc_auc.toFixed(3) + ".";
  }
  return text;
}

function drawSlopes(picture, width) {
  const [left, right, top, height] = [64, width - 64, 26, 250];
  const places = [];
  for (let i = 0; i < rows.count; i++) if (i < COMPARED || rows.classical[i] <= COMPARED) places.push(i);
  let last = COMPARED;
  for (const i of places) last = Math.max(last, i + 1, rows.classical[i]);
  const at = (rank) => top + (Math.log(rank) / Math.log(last)) * height;
  for (const [x, text] of [[left, "robust rank"], [right, "classical rank"]]) {
    picture.append(svg("line", { class: "axis", x1: x, x2: x, y1: top, y2: top + height }));
    const title = svg("text", { x: x, y: 12, "text-anchor": "middle" });
    title.textContent = text;
    picture.append(title);
    for (let rank = 1, gap = -99; rank <= last; rank = nextRank(rank)) {
      if (at(rank) - gap < 13) continue;
      gap = at(rank);
      const label = svg("text", { x: x + (x === left ? -8 : 8), y: at(rank) + 4, "text-anchor": x === left ? "end" : "start" });
      label.textContent = counted(rank);
      picture.append(label);
    }
  }
  for (const i of places) picture.append(slope(i, left, right, at));
  picture.setAttribute("aria-label", "Ranks of the first " + COMPARED + " rows of both methods, joined by lines");
}

function nextRank(rank) {
  const digits = 10 ** Math.floor(Math.log10(rank));
  return [2, 5, 10].map((factor) => factor * digits).find((next) => next > rank);
}

function slope(i, left, right, at) {
  const [here, there] = [i + 1, rows.classical[i]];
  const kind = i === state.selected ? "picked" : here > COMPARED ? "bad" : there > COMPARED ? "strong" : "faint";
  const line = svg("line", { class: "line " + kind, x1: left, x2: right, y1: at(here), y2: at(there) });
  const title = svg("title");
  title.textContent = nameOf(i) + ": robust rank " + here + ", classical rank " + there;
  line.append(title);
  line.addEventListener("click", () => select(i));
  return line;
}

function movedTable() {
  const moved = movedRows();
  if (moved.length === 0) return element("p", {}, "No row changes its rank.");
  const heads = ["Row", "Robust", "Classical", ...(rows.label === null ? [] : ["Truth"])];
  const lines = moved.map((i) => {
    const button = element("button", { type: "button" }, nameOf(i));
    button.addEventListener("click", () => {
      select(i);
      byId("detail").scrollIntoView();
      byId("detail").focus({ preventScroll: true });
    });
    const truth = rows.label === null ? [] : [element("td", {}, isOutlier(i) ? "outlier" : "ordinary")];
    return element("tr", {}, element("td", {}, button), element("td", { class: "number" }, counted(i + 1)),
      element("td", { class: "number" }, counted(rows.classical[i])), ...truth);
  });
  const head = element("tr", {}, ...heads.map((text, k) => element("th", { scope: "col", class: k % 3 ? "number" : null }, text)));
  return element("div", { class: "scroll" }, element("table", { id: "moved" }, element("thead", {}, head), element("tbody", {}, ...lines)));
}

function showComparison() {
  const body = byId("comparison-body");
  if (rows.classical === null) {
    body.append(element("p", {}, "Not made: the detector is classical itself, or was fitted to more than 2,000 rows, too many for all eigenvectors of their kernel matrix."));
    return;
  }
  const [sentence, chart, moved] = [element("p", { id: "comparison-says" }), element("div", { class: "chart" }), element("div")];
  const hint = element("p", { class: "hint" }, "Each line is a row, ranks on a log scale. Solid: only among the first " + COMPARED +
    " of robust; dashed: only of classical.");
  body.append(sentence, element("div", { class: "pair" }, element("div", {}, chart, hint),
    element("div", {}, element("h3", {}, "Ranks that change most"), moved)));
  const slopes = drawn(chart, 290, drawSlopes);
  function show() {
    sentence.textContent = comparisonSentence();
    moved.replaceChildren(movedTable());
    slopes();
  }
  listeners.push(show);
  show();
}

function drawTraces(picture, width) {
  const chosen = facts.convergence.slice(0, CHARTED);
  const [left, right, top, bottom] = [56, width - 10, 10, 170];
  const longest = Math.max(...chosen.map((part) => part.trace.length), 2);
  const ratio = (part, k) => part.trace[k] / part.trace[part.trace.length - 1];
  const lowest = Math.min(0.98, ...chosen.map((part) => ratio(part, 0)));
  const x = axis(0, longest - 1, 0, left, right);
  const y = axis(lowest, 1, 0, bottom, top);
  picture.append(svg("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }));
  for (const tick of y.ticks) label(picture, left - 6, y.place(tick) + 4, "end", percent(tick));
  for (const tick of x.ticks.filter(Number.isInteger)) label(picture, x.place(tick), bottom + 16, "middle", counted(tick));
  label(picture, (left + right) / 2, bottom + 32, "middle", "step");
  const ends = [];
  chosen.forEach((part, j) => {
    const points = part.trace.map((_, k) => x.place(k) + "," + y.place(ratio(part, k))).join(" ");
    picture.append(svg("polyline", { class: "line strong", points, "stroke-dasharray": DASHES[j], opacity: 1 - 0.12 * j }));
    const end = x.place(part.trace.length - 1);
    picture.append(svg("circle", { cx: end, cy: y.place(1), r: 3.5, fill: "var(--mark)" }));
    const below = 16 + 13 * ends.filter((other) => Math.abs(other - end) < 14).length;
    label(picture, end, y.place(1) + below, "middle", String(j + 1));
    ends.push(end);
  });
  picture.setAttribute("aria-label", "Objective of each step as a share of the last, for the first components");
}

function label(picture, x, y, anchor, text) {
  const made = svg("text", { x, y, "text-anchor": anchor });
  made.textContent = text;
  picture.append(made);
}

function convergenceTable() {
  const certified = facts.convergence.some((part) => part.gap !== null);
  const heads = ["No.", "Variance", "L1 norm", "Steps", "Ended", ...(certified ? ["Gap at most"] : [])];
  const lines = facts.convergence.map((part, j) => element("tr", {},
    element("td", { class: "number" }, String(j + 1)),
    element("td", { class: "number" }, percent(part.share, 1)),
    element("td", { class: "number wide-only" }, rounded(part.objective)),
    element("td", { class: "number" }, String(part.steps)),
    element("td", { class: "wide-only" }, part.status),
    ...(certified ? [element("td", { class: "number" }, part.gap === null ? "–" : percent(part.gap, 1))] : [])));
  const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col", class: text === "Ended" ? "wide-only" : text === "L1 norm" ? "number wide-only" : "number" }, text)));
  return element("div", { class: "scroll" }, element("table", { id: "components" }, element("thead", {}, head), element("tbody", {}, ...lines)));
}

function showConvergence() {
  const body = byId("convergence-body");
  if (facts.convergence.length === 0) {
    body.append(element("p", {}, "There are no components: the rows do not differ."));
    return;
  }
  const ended = facts.convergence.filter((part) => part.status === "converged").length;
  let text = counted(ended) + " of " + counted(facts.convergence.length) + " searches converged.";
  const gap = facts.convergence[0].gap;
  if (gap !== null) {
    text += " No direction can raise the first component’s squared L1 norm by more than " + percent(gap, 1) +
      ": this is proven by a semidefinite bound.";
  }
  const chart = element("div", { class: "chart" });
  body.append(element("p", {}, text), element("div", { class: "pair" },
    element("div", {}, chart, element("p", { class: "hint" },
      "Objective of each step as a share of the last; numbers: where the search for a component ended.")),
    convergenceTable()));
  drawn(chart, 210, drawTraces)();
}
