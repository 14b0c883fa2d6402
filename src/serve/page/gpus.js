// The GPUs: rows with bars, or of many a field of cells. A click chooses what curves and controls are about.

import { hueOf } from "./charts.js";
import { find, make, setClass, setStyle, setText } from "./dom.js";
import { gibibytes, quantity, ranges, rate } from "./format.js";
import { conditionOf, health, listen, select, store } from "./store.js";

const MOST_ROWS = 16;

const BARS = [
  { name: "utilization", title: "Utilization", text: (value) => quantity(value, "%"), full: () => 100 },
  { name: "memory_used", title: "Memory", text: gibibytes, full: (gpu) => gpu.memory_mib },
  { name: "power", title: "Power", text: (value) => quantity(value, "W"), full: (gpu) => store.samples.newest("power_limit", gpu.index) || gpu.power_max },
  { name: "temperature", title: "Temperature", text: (value) => quantity(value, "°C"), full: (gpu) => gpu.temperature_slowdown ?? 95 },
  { name: "sm_clock", title: "SM clock", text: (value) => quantity(value, "MHz"), full: (gpu) => gpu.sm_clock_max },
];

const share = (value, full) => (Number.isNaN(value) || !full ? 0 : Math.min(Math.max(value / full, 0), 1));

// Which GPUs a click or a key chooses.
function choose(gpu, event) {
  const now = new Set(store.selection);
  if (event.shiftKey && store.last !== undefined) {
    for (let i = Math.min(gpu, store.last); i <= Math.max(gpu, store.last); ++i) now.add(i);
  } else if (event.ctrlKey || event.metaKey) {
    if (!now.delete(gpu)) now.add(gpu);
  } else {
    const alone = now.size === 1 && now.has(gpu);
    now.clear();
    if (!alone) now.add(gpu);
  }
  store.last = gpu;
  select(now);
}

// Arrows move between GPUs, one of which is in the order of the tab key.
function moveWith(event, nodes, columns) {
  const at = nodes.indexOf(document.activeElement);
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns(), ArrowUp: -columns() }[event.key];
  if (event.key === "Escape") select([]);
  if (at < 0 || step === undefined) return;
  event.preventDefault();
  const next = nodes[Math.min(Math.max(at + step, 0), nodes.length - 1)];
  nodes[at].tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}

class Row {
  constructor(gpu) {
    this.gpu = gpu;
    this.state = make("span", { class: "condition" });
    this.bars = BARS.map(() => ({ text: make("span", { class: "number" }), bar: make("span", { class: "bar" }) }));
    this.traffic = make("span", { class: "number" });
    const name = make("span", { class: "name" }, `${gpu.index}`);
    setStyle(name, "--hue", hueOf(gpu.index));
    this.node = make(
      "button",
      { class: "row", "aria-pressed": "false", tabindex: gpu.index === 0 ? 0 : -1, title: `${gpu.name}\n${gpu.uuid}\n${gpu.bus_id}`, onclick: (event) => choose(gpu.index, event) },
      name,
      ...this.bars.map(({ text, bar }) => make("span", { class: "cell" }, text, make("span", { class: "track" }, bar))),
      this.traffic,
      this.state,
    );
  }

  update() {
    const { index } = this.gpu;
    this.bars.forEach(({ text, bar }, i) => {
      const value = store.samples.newest(BARS[i].name, index);
      setText(text, BARS[i].text(value));
      setStyle(bar, "--share", share(value, BARS[i].full(this.gpu)).toFixed(3));
    });
    setText(this.traffic, rate(store.samples.newest(this.gpu.links > 0 ? "nvlink" : "pcie_rx", index)));
    setText(this.state, conditionOf(index) || "healthy");
    if (this.state.title !== this.state.textContent) this.state.title = this.state.textContent;
    setClass(this.node, `row ${health(index)}`);
    this.node.setAttribute("aria-pressed", String(store.selection.has(index)));
  }
}

class Cell {
  constructor(gpu, measure) {
    this.gpu = gpu;
    this.measure = measure;
    this.node = make("button", { class: "cellgpu", "aria-pressed": "false", tabindex: gpu.index === 0 ? 0 : -1, onclick: (event) => choose(gpu.index, event) });
  }

  update() {
    const { index } = this.gpu;
    const about = this.measure();
    const value = store.samples.newest(about.name, index);
    setStyle(this.node, "--share", share(value, about.full(this.gpu)).toFixed(2));
    setClass(this.node, `cellgpu ${health(index)}`);
    const label = `GPU ${index}: ${about.text(value)}${conditionOf(index) ? `, ${conditionOf(index)}` : ""}`;
    if (this.node.title !== label) {
      this.node.title = label;
      this.node.setAttribute("aria-label", label);
    }
    this.node.setAttribute("aria-pressed", String(store.selection.has(index)));
  }
}

function showRows(place) {
  const head = make("div", { class: "row head", "aria-hidden": "true" }, make("span", {}, "#"), ...BARS.map(({ title }) => make("span", {}, title)), make("span", {}, store.machine.gpus[0].links > 0 ? "NVLink" : "PCIe"), make("span", {}, "State"));
  const rows = store.machine.gpus.map((gpu) => new Row(gpu));
  place.replaceChildren(head, ...rows.map((row) => row.node));
  return { items: rows, columns: () => 1 };
}

function showCells(place) {
  let about = BARS[0];
  const cells = store.machine.gpus.map((gpu) => new Cell(gpu, () => about));
  const choice = make("select", { "aria-label": "Colour by", onchange: (event) => { about = BARS[event.target.selectedIndex]; cells.forEach((cell) => cell.update()); } }, ...BARS.map(({ title }) => make("option", {}, title)));
  const field = make("div", { class: "cells" }, ...cells.map((cell) => cell.node));
  place.replaceChildren(make("div", { class: "cells-head" }, "Colour by ", choice), field);
  return { items: cells, columns: () => getComputedStyle(field).gridTemplateColumns.split(" ").length };
}

function summary() {
  const bad = store.machine.gpus.filter((gpu) => health(gpu.index) === "bad").map((gpu) => gpu.index);
  const warn = store.machine.gpus.filter((gpu) => health(gpu.index) === "warn").map((gpu) => gpu.index);
  const parts = [];
  if (store.selection.size > 0) parts.push(`${store.selection.size} chosen, Esc for all`);
  if (store.state?.machine_fault) parts.push(`machine: ${store.state.machine_fault}`);
  for (const { nic, faults } of store.state?.nics ?? []) parts.push(`${nic}: ${faults.join(", ")}`);
  for (const { where, rule } of store.state?.rules ?? []) parts.push(`${where}: ${rule}`);
  if (bad.length > 0) parts.push(`out of reach: ${ranges(bad)}`);
  if (warn.length > 0) parts.push(`faulty or slowed: ${ranges(warn)}`);
  return parts.join(" · ");
}

export function showGpus() {
  const place = find("gpus");
  const { items, columns } = store.machine.gpus.length <= MOST_ROWS ? showRows(place) : showCells(place);
  const nodes = items.map((item) => item.node);
  place.addEventListener("keydown", (event) => moveWith(event, nodes, columns));
  const update = () => {
    items.forEach((item) => item.update());
    setText(find("summary"), summary());
  };
  update();
  listen(["samples", "state", "selection"], update);
}
