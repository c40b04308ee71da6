// The histogram of the scores, and the slider that moves the cut-off.

const RULE_CUTOFF = facts.cutoff;
const lowest = Math.cbrt(facts.n_listed < facts.n_rows ? rows.score[rows.count - 1] : facts.histogram.edges[0]);
const highest = Math.cbrt(Math.max(facts.histogram.edges[facts.histogram.edges.length - 1], RULE_CUTOFF));
const SLIDER_STEPS = 1000;
const found = foundSoFar();

// How many outliers in truth are among the first k rows, for each k.
function foundSoFar() {
  if (rows.label === null) return null;
  const sums = new Uint32Array(rows.count + 1);
  for (let i = 0; i < rows.count; i++) sums[i + 1] = sums[i] + Number(rows.label[i] === "1");
  return sums;
}

// Scores fall with the rank: bisection finds how many are above a cut-off.
function countAbove(cutoff) {
  let low = 0;
  let high = rows.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows.score[middle] > cutoff) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sliderPlace(cutoff) {
  return Math.round((SLIDER_STEPS * (Math.cbrt(cutoff) - lowest)) / (highest - lowest || 1));
}

function moveCutoff(cutoff, flagged) {
  state.cutoff = cutoff;
  state.flagged = flagged;
  tell("cutoff");
}

function flagFirst(count) {
  const flagged = Math.max(0, Math.min(rows.count, Math.floor(count)));
  const above = flagged > 0 ? rows.score[flagged - 1] : highest ** 3;
  const below = flagged < rows.count ? rows.score[flagged] : above;
  moveCutoff(flagged > 0 ? (above + below) / 2 : above, flagged);
}

function cutoffSentence() {
  const share = percent(state.flagged / facts.n_rows, 1);
  let text = "Cut-off " + shown(state.cutoff) + ": " + counted(state.flagged) + " of " +
    counted(facts.n_rows) + " rows flagged (" + share + ")";
  if (found === null) return text + ".";
  const hits = found[state.flagged];
  const all = facts.agreement.n_outliers;
  const precision = state.flagged > 0 ? (hits / state.flagged).toFixed(3) : "not defined";
  text += ". Precision " + precision + ", recall " + (hits / all).toFixed(3);
  return text + ": " + counted(hits) + " of " + counted(all) + " outliers found.";
}

function drawHistogram(picture, width) {
  const { edges, counts } = facts.histogram;
  const height = 150;
  const left = 8;
  const most = Math.max(...counts);
  const low = Math.cbrt(edges[0]);
  const place = (score) => left + ((Math.cbrt(score) - low) / (highest - low || 1)) * (width - 2 * left);
  const cut = place(state.cutoff);
  counts.forEach((count, k) => {
    if (count === 0) return;
    const [from, to] = [place(edges[k]), place(edges[k + 1])];
    const tall = Math.sqrt(count / most) * (height - 16);
    const bar = svg("rect", {
      class: (from + to) / 2 > cut ? "bar beyond" : "bar",
      x: from, y: height - tall, width: Math.max(1.5, to - from - 1), height: tall,
    });
    const title = svg("title");
    title.textContent = counted(count) + " rows from " + shown(edges[k]) + " to " + shown(edges[k + 1]);
    bar.append(title);
    picture.append(bar);
  });
  picture.append(svg("line", { class: "axis", x1: 0, x2: width, y1: height, y2: height }));
  picture.append(svg("line", { class: "cut", x1: cut, x2: cut, y1: 4, y2: height }));
  for (const [score, anchor] of [[edges[0], "start"], [highest ** 3, "end"]]) {
    const label = svg("text", { x: place(score), y: height + 15, "text-anchor": anchor });
    label.textContent = shown(score);
    picture.append(label);
  }
  const beside = cut > width / 2 ? "end" : "start";
  const label = svg("text", { x: cut + (beside === "end" ? -6 : 6), y: 14, "text-anchor": beside });
  label.textContent = "cut-off " + shown(state.cutoff);
  picture.append(label);
  picture.setAttribute("aria-label", "Histogram of the scores. " + cutoffSentence());
}

function showCutoff() {
  const slider = byId("cutoff");
  const histogram = drawn(byId("histogram"), 170, drawHistogram);
  function show() {
    slider.value = sliderPlace(state.cutoff);
    slider.setAttribute("aria-valuetext", cutoffSentence());
    byId("cutoff-says").textContent = cutoffSentence();
    byId("flag-first").value = state.flagged;
    histogram();
  }
  byId("flag-first").max = rows.count;
  slider.addEventListener("input", () => {
    const cutoff = (lowest + ((highest - lowest) * Number(slider.value)) / SLIDER_STEPS) ** 3;
    moveCutoff(cutoff, countAbove(cutoff));
  });
  byId("flag-first").addEventListener("change", (event) => flagFirst(Number(event.target.value) || 0));
  byId("cutoff-reset").addEventListener("click", () => {
    moveCutoff(RULE_CUTOFF, Math.min(facts.n_flagged, rows.count));
  });
  listeners.push((what) => what === "cutoff" && show());
  show();
}
