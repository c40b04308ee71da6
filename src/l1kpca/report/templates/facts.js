// What the page knows, and what the reader chose.

const facts = JSON.parse(document.getElementById("facts").textContent);

const KINDS = ["regular", "good leverage", "orthogonal outlier", "bad leverage"];
const KIND_SAYS = [
  "It is within both cut-offs of the outlier map.",
  "It follows the pattern of the other rows, but further than they do.",
  "It does not follow the pattern of the other rows.",
  "It is far away and does not follow the pattern of the other rows.",
];

function unpacked(text, Kind) {
  if (text === null) return null;
  return new Kind(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
}

// Arrays over the listed rows, the most abnormal first: place i has rank i + 1.
const rows = {
  number: unpacked(facts.rows.row, Uint32Array),
  score: unpacked(facts.rows.score, Float32Array),
  x: unpacked(facts.rows.x, Float32Array),
  y: unpacked(facts.rows.y, Float32Array),
  within: unpacked(facts.rows.score_distance, Float32Array),
  outside: unpacked(facts.rows.orthogonal_distance, Float32Array),
  classical: unpacked(facts.rows.classical, Uint32Array),
  label: facts.rows.label,
  id: facts.rows.id,
  count: facts.n_listed,
};

const state = { flagged: Math.min(facts.n_flagged, rows.count), cutoff: facts.cutoff, selected: 0 };

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

function kindOf(place) {
  const far = rows.within[place] > Math.fround(facts.map.score_cutoff);
  const outside = rows.outside[place] > Math.fround(facts.map.orthogonal_cutoff);
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

// [column, cell, contribution or null] of a row, the most responsible first; null if not known.
function reasonsOf(place) {
  if (place >= facts.details.length) return null;
  const [columns, cells, pushes] = facts.details[place];
  return columns.map((column, j) => ({
    column: facts.columns[column],
    cell: cells[j],
    push: pushes === null ? null : pushes[j],
  }));
}

function shown(value) {
  if (value === null || value === undefined) return "missing";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return String(value);
  return String(Number(value.toPrecision(4)));
}

function counted(number) {
  return number.toLocaleString("en-US");
}

function percent(share, digits = 0) {
  return (100 * share).toFixed(digits) + " %";
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

function byId(id) {
  return document.getElementById(id);
}
