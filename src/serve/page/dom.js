// Elements, made and changed without markup: every text of the machine stays text.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
export const draw = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
export const find = (id) => document.getElementById(id);

// Touches the document only where something is new.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
export function setClass(node, name) {
  if (node.getAttribute("class") !== name) node.setAttribute("class", name);
}
export function setStyle(node, name, value) {
  if (node.style.getPropertyValue(name) !== value) node.style.setProperty(name, value);
}

// A colour of the style sheet.
export const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
