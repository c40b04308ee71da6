// The outlier map and the plane of the first two components, on canvases.

// Where the selected row is among those that are drawn; -1 if it is not.
function selectedAt() {
  return rows.drawn.indexOf(state.selected);
}

function range(values, more) {
  let low = Math.min(...more);
  let high = Math.max(...more);
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  const pad = 0.05 * (high - low) || 1;
  return [low - pad, high + pad];
}

const MAPS = [
  {
    id: "outlier-map", x: rows.within, y: rows.outside, xTitle: "score distance", yTitle: "orthogonal distance",
    xUnit: facts.map.score_cutoff, yUnit: facts.map.orthogonal_cutoff,
    xMore: [0, facts.map.score_cutoff * 1.2], yMore: [0, facts.map.orthogonal_cutoff * 1.2], under: drawCutoffs,
  },
  {
    id: "scores-plane", x: rows.x, y: facts.plane.n_components > 1 ? rows.y : rows.outside,
    xTitle: "component 1", yTitle: facts.plane.n_components > 1 ? "component 2" : "orthogonal distance",
    xUnit: facts.plane.ellipse ? facts.plane.ellipse[2] : 0, yUnit: facts.plane.ellipse ? facts.plane.ellipse[3] : 0,
    xMore: ellipseEnds(0), yMore: ellipseEnds(1), under: drawEllipse,
  },
];

function ellipseEnds(direction) {
  const ellipse = facts.plane.ellipse;
  if (ellipse === null) return [0];
  return [ellipse[direction] - ellipse[direction + 2], ellipse[direction] + ellipse[direction + 2]];
}

function drawCutoffs(pen, x, y, box) {
  const [across, up] = [x.place(facts.map.score_cutoff), y.place(facts.map.orthogonal_cutoff)];
  pen.setLineDash([5, 4]);
  pen.strokeStyle = color("soft");
  pen.beginPath();
  pen.moveTo(across, box.top);
  pen.lineTo(across, box.bottom);
  pen.moveTo(box.left, up);
  pen.lineTo(box.right, up);
  pen.stroke();
  pen.setLineDash([]);
}

function drawEllipse(pen, x, y) {
  if (facts.plane.ellipse === null) return;
  const [cx, cy, rx, ry] = facts.plane.ellipse;
  pen.setLineDash([5, 4]);
  pen.strokeStyle = color("soft");
  pen.beginPath();
  for (let k = 0; k <= 96; k++) {
    const angle = (2 * Math.PI * k) / 96;
    pen.lineTo(x.place(cx + rx * Math.cos(angle)), y.place(cy + ry * Math.sin(angle)));
  }
  pen.stroke();
  pen.setLineDash([]);
}

function shape(pen, flagged, px, py, size) {
  pen.beginPath();
  if (flagged) {
    pen.moveTo(px, py - size * 1.2);
    pen.lineTo(px + size * 1.1, py + size * 0.8);
    pen.lineTo(px - size * 1.1, py + size * 0.8);
    pen.closePath();
  } else {
    pen.arc(px, py, size * 0.75, 0, 2 * Math.PI);
  }
}

// The shape says whether a row is flagged, the color whether it is an outlier, as far as known.
function looksBad(place) {
  return rows.label === null ? isFlagged(place) : isOutlier(place);
}

function drawAxes(pen, map, x, y, box) {
  pen.strokeStyle = color("faint");
  pen.fillStyle = color("soft");
  pen.strokeRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
  pen.textAlign = "center";
  for (const tick of x.ticks) pen.fillText(rounded(tick), x.place(tick), box.bottom + 12);
  pen.fillText(map.xTitle + (x.squeezed ? " (log scale)" : ""), (box.left + box.right) / 2, box.bottom + 28);
  pen.textAlign = "right";
  for (const tick of y.ticks) pen.fillText(rounded(tick), box.left - 5, y.place(tick));
  pen.save();
  pen.translate(10, (box.top + box.bottom) / 2);
  pen.rotate(-Math.PI / 2);
  pen.textAlign = "center";
  pen.fillText(map.yTitle + (y.squeezed ? " (log scale)" : ""), 0, 0);
  pen.restore();
}

function drawPoints(pen, map, x, y) {
  const [bad, good] = [color("bad"), color("bar")];
  const size = rows.drawn.length > 1000 ? 3 : 4;
  for (let k = rows.drawn.length - 1; k >= 0; k--) {
    const place = rows.drawn[k];
    shape(pen, isFlagged(place), x.place(map.x[k]), y.place(map.y[k]), size);
    pen.globalAlpha = looksBad(place) ? 0.9 : 0.55;
    pen.fillStyle = looksBad(place) ? bad : good;
    pen.fill();
  }
  pen.globalAlpha = 1;
}

function drawSelected(pen, map, x, y, box) {
  const k = selectedAt();
  if (k < 0) return;
  const [px, py] = [x.place(map.x[k]), y.place(map.y[k])];
  pen.lineWidth = 2.5;
  pen.strokeStyle = color("ink");
  pen.beginPath();
  pen.arc(px, py, 9, 0, 2 * Math.PI);
  pen.stroke();
  pen.lineWidth = 1;
  pen.fillStyle = color("ink");
  const left = px > (box.left + box.right) / 2;
  pen.textAlign = left ? "right" : "left";
  pen.font = "600 12px system-ui, sans-serif";
  const [text, at] = [idOf(state.selected) ?? "row " + rows.number[state.selected], px + (left ? -14 : 14)];
  pen.strokeStyle = color("card");
  pen.lineWidth = 4;
  pen.strokeText(text, at, py);
  pen.fillText(text, at, py);
  pen.lineWidth = 1;
  pen.font = "12px system-ui, sans-serif";
}

function drawMap(map) {
  const canvas = byId(map.id);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  if (width === 0) return;
  const sharp = window.devicePixelRatio || 1;
  canvas.width = width * sharp;
  canvas.height = height * sharp;
  const pen = canvas.getContext("2d");
  pen.scale(sharp, sharp);
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  const box = { left: 58, right: width - 8, top: 8, bottom: height - 38 };
  const x = axis(...range(map.x, map.xMore), map.xUnit, box.left, box.right);
  const y = axis(...range(map.y, map.yMore), map.yUnit, box.bottom, box.top);
  drawAxes(pen, map, x, y, box);
  map.under(pen, x, y, box);
  drawPoints(pen, map, x, y);
  drawSelected(pen, map, x, y, box);
  map.axes = { x, y };
  const k = selectedAt();
  canvas.setAttribute("aria-label", map.xTitle + " against " + map.yTitle + " of " + counted(rows.drawn.length) + " rows. " +
    nameOf(state.selected) + (k < 0 ? " is not drawn." : " is at " + rounded(map.x[k]) + ", " + rounded(map.y[k]) + ": " + KINDS[kindOf(k)] + "."));
}

function nearest(map, event) {
  const frame = byId(map.id).getBoundingClientRect();
  const [px, py] = [event.clientX - frame.left, event.clientY - frame.top];
  let [best, least] = [null, 18 ** 2];
  for (let k = rows.drawn.length - 1; k >= 0; k--) {
    const distance = (map.axes.x.place(map.x[k]) - px) ** 2 + (map.axes.y.place(map.y[k]) - py) ** 2;
    if (distance <= least) [best, least] = [rows.drawn[k], distance];
  }
  return best;
}

function legendItem(flagged, bad, text) {
  const path = flagged ? svg("path", { d: "M8 2 L14 14 L2 14 Z" }) : svg("circle", { cx: 8, cy: 8, r: 5 });
  path.setAttribute("fill", "var(--" + (bad ? "bad" : "bar") + ")");
  return element("span", {}, svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, path), text);
}

function showLegend() {
  const items = rows.label === null
    ? [legendItem(true, true, "flagged"), legendItem(false, false, "not flagged")]
    : [legendItem(true, true, "outlier, flagged"), legendItem(false, true, "outlier, missed"),
      legendItem(true, false, "false alarm"), legendItem(false, false, "ordinary, not flagged")];
  if (rows.drawn.length < facts.n_rows) {
    items.push(element("span", {}, "Drawn: " + counted(rows.drawn.length) + " of " + counted(facts.n_rows) +
      " rows, the first ones of the list and some of the others."));
  }
  byId("legend").replaceChildren(...items);
}

function showMaps() {
  const draw = () => MAPS.forEach(drawMap);
  for (const map of MAPS) {
    const canvas = byId(map.id);
    new ResizeObserver(() => drawMap(map)).observe(canvas);
    canvas.addEventListener("mousemove", (event) => {
      const place = nearest(map, event);
      canvas.title = place === null ? "" : nameOf(place) + ", score " + rounded(rows.score[place]);
    });
    canvas.addEventListener("click", (event) => {
      const place = nearest(map, event);
      if (place !== null) select(place);
    });
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  listeners.push(draw);
  showLegend();
  draw();
}
