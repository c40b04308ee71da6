// Text whose contrast with what is behind it is below 4.5 (WCAG 2, level AA).
const channel = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
function parsed(color) {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
}
const light = (rgb) => 0.2126 * channel(rgb[0] / 255) + 0.7152 * channel(rgb[1] / 255) + 0.0722 * channel(rgb[2] / 255);
function behind(element) {
  for (let one = element; one !== null; one = one.parentElement) {
    const color = parsed(getComputedStyle(one).backgroundColor);
    if (color[3] === 255) return color;
  }
  return [255, 255, 255, 255];
}
const poor = [];
for (const element of document.querySelectorAll("body *")) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
  if (!own || element.disabled || element.getClientRects().length === 0 || element.closest(".hidden, .skip, script, title")) continue;
  const style = getComputedStyle(element);
  const front = parsed(element instanceof SVGElement ? style.fill : style.color);
  const [a, b] = [light(front), light(behind(element))].sort((x, y) => y - x);
  if ((a + 0.05) / (b + 0.05) < 4.5) poor.push([element.tagName, element.className.toString(), element.textContent.slice(0, 40), (a + 0.05) / (b + 0.05)]);
}
return poor;
