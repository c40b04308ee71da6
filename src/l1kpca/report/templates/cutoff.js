// The histogram of the scores, and the slider that moves the cut-off.

const RULE_CUTOFF = facts.cutoff;
const { unit } = facts.histogram; // of a logarithmic axis; null for cube roots
const bend = (score) => (unit === null ? Math.cbrt(score) : Math.asinh(score / unit));
const unbend = (place) => (unit === null ? place ** 3 : unit * Math.sinh(place));
const lowest = bend(facts.histogram.edges[0]);
const highest = bend(Math.max(facts.histogram.edges[facts.histogram.edges.length - 1], RULE_CUTOFF));
const SLIDER_STEPS = 1000;
const BAR_TOP = 22; // room for the label of the line
const found = foundSoFar();

// How many outliers in truth are among the first k rows, for each k.
function foundSoFar() {
  if (rows.label === null) return null;
  const sums = new Uint32Array(rows.count + 1);
  for (let i = 0; i < rows.count; i++) sums[i + 1] = sums[i] + Number(rows.label[i] === "1");
  return sums;
}

// Beyond the listed rows some ranks are known: what lies between is read off a straight line.
function between(from, to, value) {
  let k = 1;
  while (k < from.length - 1 && (from[k] - value) * (from[0] - from[from.length - 1]) > 0) k++;
  const share = (value - from[k - 1]) / (from[k] - from[k - 1] || 1);
  return Math.round(to[k - 1] + Math.max(0, Math.min(1, share)) * (to[k] - to[k - 1]));
}

function hitsAmong(count) {
  return count <= rows.count ? found[count] : between(facts.tail.rank, facts.tail.hits, count);
}

// Scores fall with the rank: bisection finds how many are above a cut-off.
function countAbove(cutoff) {
  if (facts.tail !== null && cutoff < rows.score[rows.count - 1]) {
    return between(facts.tail.score, facts.tail.rank, cutoff);
  }
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
  return Math.round((SLIDER_STEPS * (bend(cutoff) - lowest)) / (highest - lowest || 1));
}

function moveCutoff(cutoff, flagged) {
  state.cutoff = cutoff;
  state.flagged = flagged;
  tell("cutoff");
}

function flagFirst(count) {
  const flagged = Math.max(0, Math.min(rows.count, Math.floor(count)));
  const above = flagged > 0 ? rows.score[flagged - 1] : unbend(highest);
  const below = flagged < rows.count ? rows.score[flagged] : above;
  moveCutoff(flagged > 0 ? (above + below) / 2 : above, flagged);
}

// What is known of the rows that are flagged: a bound with reference rows, an estimate without.
function falseFlags() {
  const last = state.flagged - 1;
  if (last < 0 || state.flagged > rows.count) return "";
  if (rows.mostFalse !== null) {
    const most = rows.mostFalse[last];
    return " With 95% confidence, at most " + counted(most) + " of them " + (most === 1 ? "is" : "are") +
      " ordinary (" + percent(most / state.flagged) + ").";
  }
  if (rows.estimate === null) return "";
  const share = rows.estimate[last];
  if (share <= 0.5) return " By a rough estimate, " + percent(share) + " of them are ordinary.";
  let sure = last;
  while (sure > 0 && rows.estimate[sure - 1] > 0.1) sure--;
  if (sure === 0) return " By a rough estimate, most of them may be ordinary.";
  return " By a rough estimate, the first " + (sure === 1 ? "is not ordinary" : counted(sure) + " are unlikely to be ordinary") +
    ", but most of the others may be.";
}

function cutoffSentence() {
  const share = percent(state.flagged / facts.n_rows, 1);
  const text = counted(state.flagged) + " of " + counted(facts.n_rows) + " rows flagged (" + share + "): those with a score above " +
    rounded(state.cutoff) + ".";
  if (found === null) return text + falseFlags();
  const hits = hitsAmong(state.flagged);
  return text + " They hold " + counted(hits) + " of the " + counted(facts.agreement.n_outliers) + " known outliers; " +
    counted(state.flagged - hits) + " are false alarms.";
}

// 1, 2 and 5 times powers of ten, the largest first, where there is room for them.
function scoreTicks(low, high, place, width) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(high || 1)); power >= -3; power--) {
    for (const factor of [5, 2, 1]) ticks.push(Number((factor * 10 ** power).toPrecision(1)));
  }
  const half = (tick) => 3.6 * rounded(tick).length; // of its label
  const room = ticks.filter((tick) => tick >= low && tick <= high && place(tick) > 22 && place(tick) + half(tick) < width);
  return spread(room, place, (one, other) => half(one) + half(other) + 8);
}

function drawHistogram(picture, width) {
  const { edges, counts } = facts.histogram;
  const height = 150;
  const left = 8;
  const most = Math.max(...counts);
  const place = (score) => left + ((bend(score) - lowest) / (highest - lowest || 1)) * (width - 2 * left);
  const cut = place(state.cutoff);
  counts.forEach((count, k) => {
    if (count === 0) return;
    const [from, to] = [place(edges[k]), place(edges[k + 1])];
    const tall = Math.sqrt(count / most) * (height - BAR_TOP);
    const title = svg("title");
    title.textContent = counted(count) + " rows from " + rounded(edges[k]) + " to " + rounded(edges[k + 1]);
    const bar = svg("g", {}, title);
    // The line may run through a bar.
    for (const [name, begin, end] of [["bar", from, Math.min(to, cut)], ["bar beyond", Math.max(from, cut), to]]) {
      const wide = end === to ? Math.max(1.5, end - begin - 1) : end - begin;
      if (end > begin) bar.append(svg("rect", { class: name, x: begin, y: height - tall, width: wide, height: tall }));
    }
    picture.append(bar);
  });
  picture.append(svg("line", { class: "axis", x1: 0, x2: width, y1: height, y2: height }));
  picture.append(svg("line", { class: "cut", x1: cut, x2: cut, y1: 4, y2: height }));
  for (const score of scoreTicks(edges[0], unbend(highest), place, width)) {
    picture.append(svg("line", { class: "axis", x1: place(score), x2: place(score), y1: height, y2: height + 4 }));
    const label = svg("text", { x: place(score), y: height + 17, "text-anchor": "middle" });
    label.textContent = rounded(score);
    picture.append(label);
  }
  const beside = cut > width / 2 ? "end" : "start";
  const label = svg("text", { x: cut + (beside === "end" ? -6 : 6), y: 14, "text-anchor": beside });
  label.textContent = "line at " + rounded(state.cutoff);
  picture.append(label);
  picture.setAttribute("aria-label", "Histogram of the scores. " + cutoffSentence());
}

function showCutoff() {
  const slider = byId("cutoff");
  const histogram = drawn(byId("histogram"), 174, drawHistogram);
  function show() {
    slider.value = sliderPlace(state.cutoff);
    slider.setAttribute("aria-valuetext", cutoffSentence());
    byId("cutoff-says").textContent = cutoffSentence();
    byId("flag-first").value = state.flagged;
    histogram();
  }
  byId("flag-first").max = rows.count;
  slider.addEventListener("input", () => {
    const cutoff = unbend(lowest + ((highest - lowest) * Number(slider.value)) / SLIDER_STEPS);
    moveCutoff(cutoff, countAbove(cutoff));
  });
  byId("flag-first").addEventListener("change", (event) => flagFirst(Number(event.target.value) || 0));
  byId("cutoff-reset").addEventListener("click", () => {
    moveCutoff(RULE_CUTOFF, facts.n_flagged);
  });
  listeners.push((what) => what === "cutoff" && show());
  show();
}
