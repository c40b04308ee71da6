// Axes, SVG elements, and drawing again when the width of the page changes.

function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const PAPER = 690; // pixels between the margins of a sheet

// Draw at the true width of the container, so that text keeps its size on a phone and on paper.
function drawn(container, height, draw) {
  function again(wide = container.clientWidth) {
    const width = Math.max(220, Math.floor(wide));
    const picture = svg("svg", { viewBox: "0 0 " + width + " " + height, height: height, role: "img" });
    draw(picture, width);
    container.replaceChildren(picture);
  }
  let last = 0;
  new ResizeObserver(() => {
    if (container.clientWidth !== last) {
      last = container.clientWidth;
      again();
    }
  }).observe(container);
  window.addEventListener("beforeprint", () => again(PAPER));
  window.addEventListener("afterprint", () => again());
  return () => again();
}

// How values become places: linear; or, where a few values would squeeze all others, logarithmic
// on both sides of a unit that ordinary values do not exceed by much.
function axis(low, high, unit, from, to) {
  const squeezed = unit > 0 && Math.max(Math.abs(low), Math.abs(high)) > 15 * unit;
  const bend = squeezed ? (value) => Math.asinh(value / unit) : (value) => value;
  const begin = bend(low);
  const span = bend(high) - begin || 1;
  const place = (value) => from + ((bend(value) - begin) / span) * (to - from);
  return { place, squeezed, ticks: spread(squeezed ? decades(low, high, unit) : steps(low, high), place) };
}

function steps(low, high) {
  const rough = (high - low) / 5 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
  const ticks = [];
  for (let k = Math.ceil(low / step); k * step <= high; k++) ticks.push(Number((k * step).toPrecision(6)));
  return ticks;
}

function decades(low, high, unit) {
  const ticks = [0];
  for (let power = Math.floor(Math.log10(unit)); 10 ** power <= Math.max(Math.abs(low), high); power++) {
    ticks.push(10 ** power, -(10 ** power));
  }
  return ticks.filter((tick) => tick >= low && tick <= high);
}

// Leave out ticks whose numbers would run into each other.
function spread(ticks, place, apart = () => 34) {
  const kept = [];
  for (const tick of ticks) {
    if (kept.every((other) => Math.abs(place(other) - place(tick)) > apart(other, tick))) kept.push(tick);
  }
  return kept;
}

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}
