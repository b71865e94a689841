// Run inside of the page by checks_reading.py.

function visible(element) {
  if (element.closest(".unseen, .skip, noscript, script, style, option, title")) return false;
  return element.getClientRects().length > 0 && element.checkVisibility({visibilityProperty: true});
}

function short(element) {
  return `${element.tagName.toLowerCase()}${element.className && typeof element.className === "string" ? "." + element.className.split(" ").join(".") : ""} "${element.textContent.trim().slice(0, 40)}"`;
}

// Elements that stick out of the window, but for what lies in a box that scrolls by itself.
function wider_than_the_screen() {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [`page ${document.documentElement.scrollWidth} in ${width}`, ...[...document.body.querySelectorAll("*")]
    .filter((e) => visible(e) && !e.closest(".scroll, svg") && e.getBoundingClientRect().right > width + 1).map(short).slice(0, 10)];
}

// Targets below 24 x 24 pixels (WCAG 2.5.8).
function hard_to_touch() {
  return [...document.querySelectorAll("button, select, input, nav a, summary")].filter(visible)
    .filter((e) => { const box = e.getBoundingClientRect(); return box.width < 24 || box.height < 24; })
    .map((e) => `${short(e)} ${e.getBoundingClientRect().width} x ${e.getBoundingClientRect().height}`);
}

// Any CSS colour as [r, g, b, a] of 0 to 255 and 0 to 1.
const canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
const known_colours = new Map();
function channels(colour) {
  if (!known_colours.has(colour)) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    known_colours.set(colour, [r, g, b, a / 255]);
  }
  return known_colours.get(colour);
}

function background_of(element) {
  // Words on a bar: the bar is drawn just before them.
  if (element.matches("svg .on-bar")) return channels(getComputedStyle(element.previousElementSibling).fill);
  for (let e = element; e; e = e.parentElement) {
    const colour = channels(getComputedStyle(e).backgroundColor);
    if (colour[3] > 0.99) return colour;
  }
  return [255, 255, 255, 1];
}

function luminance([r, g, b]) {
  const part = (value) => { const x = value / 255; return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; };
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
}

// WCAG 1.4.3: 4.5, or 3 for text of 24 px, or of 18.66 px in bold. Disabled controls are exempt.
function weak_contrasts() {
  const weak = [];
  let count = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() === "" || !visible(element) || element.closest(":disabled, option")) continue;
    const style = getComputedStyle(element), size = parseFloat(style.fontSize);
    const ink = channels(element.closest("svg") ? style.fill : style.color), back = background_of(element);
    const [light, dark] = [luminance(ink), luminance(back)].sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    ++count;
    if (contrast < (size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5)) weak.push(`${short(element)} ${contrast.toFixed(2)}`);
  }
  return [count, weak];
}

function wrong_semantics() {
  const wrong = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  if (document.documentElement.lang === "") wrong.push("no language");
  if (all("h1").length !== 1) wrong.push(`${all("h1").length} headings of level 1`);
  let level = 1;
  for (const heading of all("h1, h2, h3, h4").filter(visible)) {
    const now = Number(heading.tagName[1]);
    if (now > level + 1) wrong.push(`a heading is skipped before ${short(heading)}`);
    level = now;
  }
  for (const table of all("table")) {
    if (table.caption === null || table.caption.textContent.trim() === "") wrong.push(`no caption: ${short(table)}`);
    if (table.querySelector("thead th[scope=col]") === null) wrong.push(`no column heads: ${short(table)}`);
    const columns = table.tHead.rows[0].cells.length;
    for (const row of table.tBodies[0].rows) if ([...row.cells].reduce((sum, cell) => sum + cell.colSpan, 0) !== columns) wrong.push(`a row of another length: ${short(row)}`);
  }
  for (const section of all("section").filter((s) => !s.hidden))
    if (document.getElementById(section.getAttribute("aria-labelledby")) === null) wrong.push(`section ${section.id} has no heading`);
  const ids = all("[id]").map((e) => e.id);
  for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) wrong.push(`two of id ${id}`);
  for (const link of all("nav a")) if (document.querySelector(link.getAttribute("href")) === null) wrong.push(`${short(link)} leads nowhere`);
  for (const e of all("[tabindex]")) if (e.tabIndex > 0) wrong.push(`an order of its own: ${short(e)}`);
  return wrong;
}
