// The curves of the chosen GPUs: a line each, or of many the lowest, middle and highest value.

import { makeChart } from "./chart.js";
import { colour, find, make, setText } from "./dom.js";
import { gibibytes, quantity, ranges, rate } from "./format.js";
import { chosen, listen, store } from "./store.js";

const MOST_LINES = 16;

const most = (name) => Math.max(0, ...store.machine.gpus.map((gpu) => gpu[name] ?? 0));

const CHARTS = [
  { name: "utilization", title: "Utilization", print: (value) => quantity(value, "%"), range: () => [0, 105] },
  { name: "memory_used", title: "Memory", print: gibibytes, range: () => [0, most("memory_mib") || null], scale: 1024 },
  { name: "power", title: "Power", print: (value) => quantity(value, "W"), range: () => [0, most("power_max") * 1.05 || null] },
  { name: "temperature", title: "Temperature", print: (value) => quantity(value, "°C"), range: () => [20, 100] },
  { name: "sm_clock", title: "SM clock", print: (value) => quantity(value, "MHz"), range: () => [0, most("sm_clock_max") * 1.05 || null] },
  { name: "nvlink", title: "NVLink, sent", print: rate, range: () => [null], scale: 1000 },
  { name: "pcie_rx", title: "PCIe, received", print: rate, range: () => [null], scale: 1000 },
];

// Hues far apart, the same for a GPU in every chart.
export const hueOf = (gpu) => `hsl(${(gpu * 137.5 + 210) % 360} 62% ${matchMedia("(prefers-color-scheme: dark)").matches ? 64 : 46}%)`;

function linesOf(gpus) {
  if (gpus.length <= MOST_LINES) return gpus.map((gpu) => ({ stroke: hueOf(gpu) }));
  return [{ stroke: colour("--faint"), band: colour("--band") }, { stroke: colour("--accent"), width: 2 }, { stroke: colour("--faint") }];
}

// Behind the live lines: of many GPUs the middle value.
function recordedLinesOf(gpus) {
  const strokes = gpus.length <= MOST_LINES ? gpus.map(hueOf) : [colour("--muted")];
  return strokes.map((stroke) => ({ stroke, dash: [5, 4], width: 1 }));
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

const LABELS = ["highest", "middle", "lowest"];

class Panel {
  constructor(about) {
    this.about = about;
    this.value = make("span", { class: "value" });
    this.place = make("div", { class: "plot" });
    this.deviation = make("p", { class: "deviation muted", hidden: true });
    this.node = make("figure", { class: "chart" }, make("figcaption", {}, make("span", {}, about.title), this.value), this.deviation, this.place);
  }

  rebuild(gpus) {
    this.chart?.remove();
    this.gpus = gpus;
    this.hovered = null;
    const range = this.about.range();
    const scaled = range.some((end) => end === null) ? null : range.map((end) => end / (this.about.scale ?? 1));
    this.compares = store.samples.recorded.has(this.about.name);
    const behind = this.compares ? recordedLinesOf(gpus) : [];
    this.behind = behind.length;
    this.chart = makeChart(this.place, [...behind, ...linesOf(gpus)], scaled, (line, sample) => {
      this.hovered = sample === null ? null : [line, sample];
      this.label();
    });
    this.update();
  }

  // The recorded lines come first, so that the live ones are drawn over them.
  recorded(many) {
    const { samples } = store;
    if (!this.compares) return [];
    if (many) return [samples.spread(this.about.name, this.gpus, samples.recorded)[1]];
    return this.gpus.map((gpu) => samples.series(this.about.name, gpu, samples.recorded));
  }

  update() {
    const { samples } = store;
    if (samples.recorded.has(this.about.name) !== this.compares) {
      this.rebuild(this.gpus);
      return;
    }
    const scale = this.about.scale ?? 1;
    const many = this.gpus.length > MOST_LINES;
    const raw = many ? samples.spread(this.about.name, this.gpus).reverse() : this.gpus.map((gpu) => samples.series(this.about.name, gpu));
    this.lines = [...this.recorded(many), ...raw].map((line) => line.map((value) => (value === null ? null : value / scale)));
    this.chart.show(samples.timesInOrder(), this.lines);
    this.label();
    this.sayDeviation();
  }

  sayDeviation() {
    const about = store.comparison.deviations?.[this.about.name];
    const means = this.gpus.map((gpu) => about?.mean[gpu]).filter((value) => typeof value === "number");
    this.deviation.hidden = means.length === 0;
    if (means.length > 0) setText(this.deviation, `differs from the recording by ${this.about.print(mean(means))} on average`);
  }

  label() {
    const print = (value) => this.about.print(value === null || value === undefined ? NaN : value * (this.about.scale ?? 1));
    const many = this.gpus.length > MOST_LINES;
    const nameOf = (line) => (many ? LABELS[line] : `GPU ${this.gpus[line]}`);
    const name = (line) => (line >= this.behind ? nameOf(line - this.behind) : many ? "recorded" : `GPU ${this.gpus[line]}, recorded`);
    if (this.hovered && this.lines.length > 0) {
      const line = this.hovered[0] ?? this.behind + (many ? 1 : 0);
      setText(this.value, `${name(line)} · ${print(this.lines[line]?.[this.hovered[1]])}`);
      return;
    }
    const newest = this.lines.slice(this.behind).map((line) => line.at(-1)).filter((value) => value !== null && value !== undefined);
    newest.sort((a, b) => a - b);
    const [low, middle, high] = many ? [newest[0], newest[1], newest[2]] : [newest[0], newest[(newest.length - 1) >> 1], newest.at(-1)];
    setText(this.value, newest.length > 1 && print(low) !== print(high) ? `${print(low)} … ${print(high)}` : print(middle));
  }
}

export function showCharts() {
  const links = store.machine.gpus.some((gpu) => gpu.links > 0);
  const panels = CHARTS.filter((about) => about.name !== (links ? "pcie_rx" : "nvlink")).map((about) => new Panel(about));
  find("charts").replaceChildren(...panels.map((panel) => panel.node));
  const rebuild = () => {
    const gpus = chosen();
    setText(find("shown"), gpus.length === store.machine.gpus.length ? "all GPUs" : `GPU ${ranges(gpus)}`);
    for (const panel of panels) panel.rebuild(gpus);
  };
  rebuild();
  listen(["samples"], () => panels.forEach((panel) => panel.update()));
  listen(["selection"], rebuild);
  listen(["comparison"], () => panels.forEach((panel) => panel.update()));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", rebuild);
}
