// One chart: lines over time. uPlot draws it; without uPlot a few lines of canvas do.

import { colour } from "./dom.js";

const HEIGHT = 122;

// `series`: a list of {stroke, width, dash, band}; `range`: the scale, or null to follow the values. `hover(series, sample)` is
// told where the pointer is, or null.
export function makeChart(parent, series, range, hover) {
  return globalThis.uPlot ? new CurveChart(parent, series, range, hover) : new PlainChart(parent, series, range);
}

const widthOf = (parent) => Math.max(parent.clientWidth, 120);

class CurveChart {
  constructor(parent, series, range, hover) {
    const axis = {
      stroke: colour("--muted"),
      font: "10px system-ui, sans-serif",
      grid: { stroke: colour("--grid"), width: 1 },
      ticks: { show: false },
    };
    const times = (_, splits) => splits.map((at) => new Date(at * 1000).toTimeString().slice(0, 8));
    this.plot = new globalThis.uPlot(
      {
        width: widthOf(parent),
        height: HEIGHT,
        padding: [6, 22, 0, 0],
        legend: { show: false },
        scales: { x: { time: true }, y: { range: range ?? ((_, low, high) => [Math.min(0, low ?? 0), (high || 1) * 1.1]) } },
        axes: [
          { ...axis, size: 24, gap: 6, space: 70, values: times },
          { ...axis, size: 38, gap: 4, space: 26 },
        ],
        cursor: {
          sync: { key: "charts" },
          focus: { prox: 24 },
          points: { show: false },
          drag: { x: false, y: false },
        },
        focus: { alpha: 0.25 },
        series: [{}, ...series.map((each) => ({ stroke: each.stroke, width: each.width ?? 1.25, dash: each.dash, points: { show: false } }))],
        bands: series.flatMap((each, i) => (each.band ? [{ series: [i + 1, i + 3], fill: each.band }] : [])),
        hooks: {
          setCursor: [(plot) => hover(this.near ?? null, plot.cursor.idx ?? null)],
          setSeries: [(_, index) => (this.near = index === null ? null : index - 1)],
        },
      },
      [[], ...series.map(() => [])],
      parent,
    );
    this.resized = new ResizeObserver(() => this.plot.setSize({ width: widthOf(parent), height: HEIGHT }));
    this.resized.observe(parent);
  }

  show(times, lines) {
    this.plot.setData([times, ...lines]);
  }

  remove() {
    this.resized.disconnect();
    this.plot.destroy();
  }
}

class PlainChart {
  constructor(parent, series, range) {
    this.series = series;
    this.range = range;
    this.parent = parent;
    this.canvas = parent.appendChild(document.createElement("canvas"));
  }

  scale(lines) {
    if (this.range) return this.range;
    const most = lines.reduce((high, line) => line.reduce((a, b) => Math.max(a, b ?? 0), high), 0);
    return [0, (most || 1) * 1.1];
  }

  show(times, lines) {
    const ratio = devicePixelRatio || 1;
    const width = widthOf(this.parent);
    this.canvas.width = width * ratio;
    this.canvas.height = HEIGHT * ratio;
    this.canvas.style.setProperty("width", `${width}px`);
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const [low, high] = this.scale(lines);
    const x = (i) => 36 + ((width - 44) * i) / Math.max(times.length - 1, 1);
    const y = (value) => HEIGHT - 8 - ((HEIGHT - 16) * (value - low)) / (high - low || 1);
    pen.font = "10px system-ui, sans-serif";
    pen.fillStyle = colour("--muted");
    for (const value of [low, high]) pen.fillText(`${Math.round(value)}`, 2, y(value) + 4);
    lines.forEach((line, n) => {
      pen.strokeStyle = this.series[n].stroke;
      pen.lineWidth = this.series[n].width ?? 1.25;
      pen.setLineDash(this.series[n].dash ?? []);
      pen.beginPath();
      let drawing = false;
      line.forEach((value, i) => {
        if (value === null) drawing = false;
        else if (drawing) pen.lineTo(x(i), y(value));
        else {
          pen.moveTo(x(i), y(value));
          drawing = true;
        }
      });
      pen.stroke();
    });
  }

  remove() {
    this.canvas.remove();
  }
}
