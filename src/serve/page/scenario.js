// Scenarios: a ready one or an own text, checked while it is written, moved on the timeline, run and taken back.

import { ask, get } from "./api.js";
import { find, make, setText } from "./dom.js";
import { duration } from "./format.js";
import { announce, listen, store } from "./store.js";
import { Timeline } from "./timeline.js";

const EXAMPLE = `description: A GPU gets hot, then falls off the bus
steps:
  - do: load gpu=all 90% --memory 50%
  - at: 15s
    name: hot
    gpus: 0
    do: fault thermal
    for: 20s
  - at: 45s
    name: falls off
    gpus: 1
    do: fault xid 79
    expect: fault == xid 79
    within: 1s
  - at: 75s
    name: reboot
    do: heal
`;

// The text with another time of the step that begins in `line` (from 1), or null where none can be written.
export function withTime(text, step, seconds) {
  const lines = text.split("\n");
  const first = step.line - 1;
  const key = step.after ? "after" : "at";
  const indent = (line) => line.length - line.trimStart().length;
  let start = first;
  while (start > 0 && !/^\s*- /.test(lines[start])) --start;
  let end = start + 1;
  while (end < lines.length && (lines[end].trim() === "" || indent(lines[end]) > indent(lines[start]))) ++end;
  const pattern = new RegExp(`(^|[\\s{,-])(${key}:\\s*)([^,}#\\n]+?)(\\s*(?:[,}#]|$))`);
  for (let i = start; i < end; ++i) {
    if (!pattern.test(lines[i])) continue;
    lines[i] = lines[i].replace(pattern, (_, before, name, __, behind) => `${before}${name}${duration(seconds)}${behind}`);
    return lines.join("\n");
  }
  const begin = /^(\s*- )(\{?)(.*)$/.exec(lines[start]);
  if (!begin) return null;
  const [, dash, brace, rest] = begin;
  lines[start] = brace ? `${dash}{at: ${duration(seconds)}, ${rest}` : `${dash}at: ${duration(seconds)}\n${" ".repeat(dash.length)}${rest}`;
  return lines.join("\n");
}

class Editor {
  constructor() {
    this.text = make("textarea", { rows: 14, spellcheck: "false", "aria-label": "Scenario", oninput: () => this.later() });
    this.problem = make("p", { class: "message", role: "status" });
    this.timeline = new Timeline((index, seconds) => this.move(index, seconds));
    this.choice = make("select", { "aria-label": "Ready scenarios", onchange: () => this.load() }, make("option", { value: "" }, "own"));
    this.seed = make("input", { class: "seed", placeholder: "of the file", "aria-label": "Seed", oninput: () => this.later() });
    this.start = make("button", { class: "primary", onclick: () => this.run() }, "Run");
    this.undo = make("button", { onclick: () => this.stop(true) }, "Take back");
    this.keep = make("button", { onclick: () => this.stop(false) }, "Stop");
    this.state = make("span", { class: "muted" });
    this.results = make("ol", { class: "results" });
    this.name = "own";
  }

  node() {
    const bar = make("div", { class: "bar-line" }, make("label", {}, "Scenario ", this.choice), make("label", {}, "Seed ", this.seed), this.start, this.keep, this.undo, this.state);
    return [bar, this.timeline.node, make("div", { class: "editor" }, make("div", {}, this.text, this.problem), this.results)];
  }

  async begin() {
    this.ready = await get("scenarios");
    this.choice.append(...this.ready.map(({ name }) => make("option", { value: name }, name)));
    this.text.value = EXAMPLE;
    const { run } = store;
    if (run.plan && this.ready.some(({ name }) => name === run.plan.name)) {
      this.choice.value = run.plan.name;
      this.load();
    } else await this.check();
  }

  load() {
    const found = this.ready.find(({ name }) => name === this.choice.value);
    this.name = found?.name ?? "own";
    this.text.value = found?.text ?? EXAMPLE;
    this.check();
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.check(), 300);
  }

  body() {
    return { name: this.name, text: this.text.value, ...(this.seed.value ? { seed: this.seed.value } : {}) };
  }

  fail(error) {
    const { line, column } = error.about ?? {};
    setText(this.problem, line ? `line ${line}${column ? `, column ${column}` : ""}: ${error.message}` : error.message);
    this.problem.className = "message wrong";
  }

  async check() {
    try {
      const plan = await ask("POST", "api/v1/scenarios/check", this.body());
      this.plan = plan;
      this.timeline.show(plan);
      setText(this.problem, plan.description.trim());
      this.problem.className = "message";
      this.update();
    } catch (error) {
      this.fail(error);
    }
  }

  async move(index, seconds) {
    const text = withTime(this.text.value, this.plan.steps[index], seconds);
    if (text === null) return;
    this.text.value = text;
    await this.check();
    this.timeline.rows[index]?.node.focus();
  }

  async run() {
    try {
      store.run = await ask("POST", "api/v1/run", this.body());
      announce("run");
    } catch (error) {
      this.fail(error);
    }
  }

  async stop(undo) {
    try {
      store.run = await ask("DELETE", `api/v1/run?undo=${undo}`);
      announce("run");
    } catch (error) {
      this.fail(error);
    }
  }

  update() {
    const { run } = store;
    const running = run.state === "running";
    this.start.disabled = running || store.machine.read_only;
    this.keep.disabled = !running;
    this.undo.disabled = run.state === "none";
    const same = run.plan && this.plan && JSON.stringify(run.plan.steps) === JSON.stringify(this.plan.steps);
    this.timeline.update(same && run.state !== "none" ? run : null);
    const words = { none: "", running: `${run.plan?.name} runs, ${duration(Math.round(run.elapsed_s ?? 0))}`, over: `${run.plan?.name} is over: ${run.failed ? "failed" : "passed"}` };
    setText(this.state, words[run.state]);
    const results = (run.results ?? []).slice(-60).reverse();
    const key = JSON.stringify(results);
    if (this.results.dataset.key === key) return;
    this.results.dataset.key = key;
    this.results.replaceChildren(...results.map((result) => make("li", { class: result.outcome.replace(/ /g, "-") }, result.text)));
  }
}

export function showScenario() {
  const editor = new Editor();
  const panel = find("scenario");
  panel.replaceChildren(...editor.node());
  let begun = false;
  listen(["tab"], () => {
    if (panel.hidden || begun) return;
    begun = true;
    editor.begin();
  });
  listen(["run"], () => editor.update());
}
