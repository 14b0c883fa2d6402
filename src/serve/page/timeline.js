// A plan on a line of time: a row for each step, its repetitions, how long it holds, and where the run is.

import { draw, setClass, setText } from "./dom.js";
import { duration } from "./format.js";

const NAME = 150, ROW = 22, HEAD = 20, WIDTH = 900;
const GRIDS = [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400];

// When each step begins, counted from the beginning. The end of a step that waits for a condition is not known before.
export function beginnings(plan) {
  let end = 0;
  return plan.steps.map((step) => {
    const begin = step.after ? end + step.begin_s : step.begin_s;
    const repeats = step.every_s ? (step.repeat ?? 1) - 1 : 0;
    end = begin + repeats * (step.every_s ?? 0) + (step.for_s ?? 0);
    return { begin, end, unsure: step.when !== null };
  });
}

function lengthOf(plan, places) {
  return plan.end_s ?? Math.max(10, ...places.map((place) => place.end)) * 1.08;
}

// Times of the repetitions that are drawn.
function rounds(step, begin, length) {
  if (!step.every_s) return [begin];
  const count = Math.min(step.repeat ?? 200, 200, Math.floor((length - begin) / step.every_s) + 1);
  return Array.from({ length: Math.max(count, 1) }, (_, i) => begin + i * step.every_s);
}

function describe(step, place) {
  const lines = [...step.commands.map((text) => (step.one_of ? `one of: ${text}` : text)), ...step.expect.map((text) => `expect ${text}`)];
  if (step.when) lines.unshift(`when ${step.when}`);
  return `${step.title}, at ${duration(place.begin)}\n${lines.join("\n")}`;
}

function grid(length, scale, height) {
  const every = GRIDS.find((seconds) => length / seconds <= 9) ?? length / 9;
  const out = [];
  for (let at = 0; at <= length; at += every) {
    const x = NAME + at * scale;
    out.push(draw("path", { class: "grid", d: `M${x} ${HEAD}V${height}` }), draw("text", { class: "small", x, y: 13, "text-anchor": "middle" }, duration(at)));
  }
  return out;
}

// `move(index, seconds)` is called when a step is dragged or moved by an arrow key to begin at another time.
export class Timeline {
  constructor(move) {
    this.move = move;
    this.node = draw("svg", { class: "timeline", role: "group", "aria-label": "Steps of the scenario" });
    this.node.addEventListener("pointermove", (event) => this.drag(event));
    this.node.addEventListener("pointerup", () => this.drop());
  }

  show(plan) {
    const places = beginnings(plan);
    const length = lengthOf(plan, places);
    const height = HEAD + plan.steps.length * ROW + 6;
    this.plan = plan;
    this.places = places;
    this.scale = (WIDTH - NAME - 14) / length;
    this.rows = plan.steps.map((step, i) => this.row(step, places[i], i, length));
    this.head = draw("path", { class: "playhead", d: "" });
    this.node.setAttribute("viewBox", `0 0 ${WIDTH} ${height}`);
    this.node.replaceChildren(...grid(length, this.scale, height), ...this.rows.map((row) => row.node), this.head);
    this.height = height;
  }

  row(step, place, index, length) {
    const y = HEAD + index * ROW;
    const marks = rounds(step, place.begin, length).map((at) => {
      const width = Math.max((step.for_s ?? 0) * this.scale, 6);
      return draw("rect", { x: NAME + at * this.scale, y: y + 5, width, height: ROW - 10, rx: 3 });
    });
    const title = draw("title", {}, describe(step, place));
    const name = draw("text", { class: "small", x: 2, y: y + 15 }, step.title.length > 24 ? `${step.title.slice(0, 23)}…` : step.title);
    const node = draw("g", { class: "step", tabindex: 0, role: "button", "aria-label": describe(step, place) }, title, name, ...marks);
    node.addEventListener("pointerdown", (event) => {
      this.held = { index, x: event.clientX, begin: step.begin_s, node };
      this.node.setPointerCapture(event.pointerId);
    });
    node.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (by === undefined) return;
      event.preventDefault();
      this.move(index, Math.max(0, step.begin_s + by * (event.shiftKey ? 10 : 1)));
      this.rows[index]?.node.focus();
    });
    return { node };
  }

  drag(event) {
    if (!this.held) return;
    const unit = this.node.getBoundingClientRect().width / WIDTH;
    this.held.by = (event.clientX - this.held.x) / unit / this.scale;
    this.held.node.setAttribute("transform", `translate(${Math.max(this.held.by, -this.held.begin) * this.scale} 0)`);
  }

  drop() {
    const held = this.held;
    this.held = null;
    if (!held) return;
    held.node.removeAttribute("transform");
    const seconds = Math.max(0, held.begin + (held.by ?? 0));
    if (Math.abs(held.by ?? 0) * this.scale > 2) this.move(held.index, seconds < 20 ? Math.round(seconds * 10) / 10 : Math.round(seconds));
  }

  // The state of a run of the shown plan; null: it does not run.
  update(run) {
    this.rows?.forEach((row, i) => {
      const step = run?.steps[i];
      setClass(row.node, `step ${step ? step.outcome.replace(/ /g, "-") || step.phase : ""}`);
    });
    if (!this.head) return;
    const x = NAME + (run?.elapsed_s ?? 0) * this.scale;
    this.head.setAttribute("d", run && x <= WIDTH ? `M${x} ${HEAD - 4}V${this.height}` : "");
  }
}
