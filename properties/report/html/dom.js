// Making elements. Texts of results go through textContent only: nothing in them can become HTML.
// All files of this folder share one scope, in the order that sources.cpp gives.

const SVG = "http://www.w3.org/2000/svg";

// Attributes and children for an element that is there; children may be nested lists.
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "text") element.textContent = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== false) element.append(child);
  return element;
}

// el("p", {class: "muted", text: "…"}) or el("p", {}, "text", other element, …); null children are left out.
function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

// More children at the end of an element.
function add(element, ...children) {
  return fill(element, {}, children);
}

let last_id = 0;
function fresh_id(prefix) {
  return `${prefix}-${++last_id}`;
}

// Said by screen readers.
function announce(text) {
  document.getElementById("announcer").textContent = text;
}
