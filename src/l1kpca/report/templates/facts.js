// What the page knows, and what the reader chose.

const facts = JSON.parse(document.getElementById("facts").textContent);

const KINDS = ["regular", "good leverage", "orthogonal outlier", "bad leverage"];
function unpacked(text, Kind) {
  if (text === null) return null;
  return new Kind(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
}

// Arrays over the listed rows, the most abnormal first: place i has rank i + 1.
const rows = {
  number: unpacked(facts.rows.row, Uint32Array),
  score: unpacked(facts.rows.score, Float32Array),
  drawn: unpacked(facts.rows.drawn, Uint32Array),
  x: unpacked(facts.rows.x, Float32Array),
  y: unpacked(facts.rows.y, Float32Array),
  within: unpacked(facts.rows.score_distance, Float32Array),
  outside: unpacked(facts.rows.orthogonal_distance, Float32Array),
  classical: unpacked(facts.rows.classical, Uint32Array),
  p: unpacked(facts.promise.p_values, Float32Array),
  mostFalse: unpacked(facts.promise.most_false, Uint32Array),
  estimate: unpacked(facts.promise.estimate, Float32Array),
  label: facts.rows.label,
  id: facts.rows.id,
  count: facts.n_listed,
};

const state = { flagged: facts.n_flagged, cutoff: facts.cutoff, selected: 0 };

// Parts of the page that must know of a change: of the "cutoff", of the "selected" row.
const listeners = [];

function tell(what) {
  for (const listener of listeners) listener(what);
}

function select(place) {
  state.selected = place;
  tell("selected");
}

function isFlagged(place) {
  return place < state.flagged;
}

function isOutlier(place) {
  return rows.label !== null && rows.label[place] === "1";
}

// Of the k-th row that is drawn.
function kindOf(k) {
  const far = rows.within[k] > Math.fround(facts.map.score_cutoff);
  const outside = rows.outside[k] > Math.fround(facts.map.orthogonal_cutoff);
  return Number(far) + 2 * Number(outside);
}

function idOf(place) {
  return rows.id !== null && place < rows.id.length ? rows.id[place] : null;
}

function nameOf(place) {
  const id = idOf(place);
  const row = "row " + rows.number[place];
  return id === null ? row : id + " (" + row + ")";
}

// Column, cell, contribution and expected value of a row, the most responsible first; null if not known.
function reasonsOf(place) {
  if (place >= facts.details.length) return null;
  const [columns, cells, pushes, , expected] = facts.details[place];
  return columns.map((column, j) => ({
    column: facts.columns[column],
    cell: cells[j],
    push: pushes === null ? null : pushes[j],
    expected: telling(expected[j], cells[j], facts.columns[column]),
  }));
}

// An expected value that is nearly the cell itself tells a reader nothing.
function telling(expected, cell, column) {
  const near = typeof expected === "number" && Math.abs(expected - cell) < 0.25 * (column.high - column.low);
  return near ? null : expected;
}

// What was typed is shown in full, what was computed to six digits.
function shown(value, digits = 6) {
  if (value === null || value === undefined) return "missing";
  if (typeof value !== "number") return String(value);
  const size = Math.abs(value);
  const typed = String(size).replace(/e.*|\D/g, "").replace(/^0+/, "").length <= 9;
  if (size !== 0 && (size < 1e-4 || size >= 1e12)) return String(typed ? value : Number(value.toPrecision(digits)));
  // Separators from 10,000 on: 1984 may be a year.
  return value.toLocaleString("en-US", { maximumSignificantDigits: typed ? 15 : digits, useGrouping: "min2" });
}

// A score, which nobody typed.
function rounded(value) {
  return shown(Number(value.toPrecision(4)));
}

// The same with all four digits, for a column of them.
function aligned(value) {
  return Math.abs(value) >= 1e-4 && Math.abs(value) < 1000 ? value.toPrecision(4) : rounded(value);
}

function counted(number) {
  return number.toLocaleString("en-US");
}

function percent(share, digits = 0) {
  return (100 * share).toFixed(digits).replace(/^-(0(\.0*)?)$/, "$1") + "%";
}

// Text becomes text nodes, never markup: whatever is in the data, it is shown, not run.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

// A name that may be broken where its words end, and nowhere else if there is room.
function wrapping(name) {
  return name.split(/(?<=[_./-])/).flatMap((part, k) => (k === 0 ? [part] : [document.createElement("wbr"), part]));
}

function byId(id) {
  return document.getElementById(id);
}
