// The controls: load, faults, values, any command, for the chosen GPUs.

import { steer } from "./api.js";
import { find, make, setText } from "./dom.js";
import { ranges } from "./format.js";
import { chosen, listen, store, target } from "./store.js";

const FIELDS = ["power.limit", "thermal.gpu", "clocks.sm", "clocks.graphics", "utilization.gpu", "utilization.memory", "fan.speed_percent", "memory.used_bytes", "ecc.errors.volatile.single_bit.total"];

let message;

function say(text, wrong) {
  setText(message, text);
  message.className = wrong ? "message wrong" : "message";
}

// A command as words; what it did, or why not, is shown.
export async function command(words) {
  try {
    await steer(words);
    say(`done: ${words.join(" ")}`, false);
    return true;
  } catch (error) {
    say(error.message, true);
    return false;
  }
}

const field = (text, node, more) => make("label", { class: "field" }, make("span", {}, text), node, more);

function slider(text, value) {
  const out = make("output", {}, `${value} %`);
  const input = make("input", { type: "range", min: 0, max: 100, value, oninput: () => setText(out, `${input.value} %`) });
  return { input, node: field(text, input, out) };
}

function loadControls() {
  const gpu = slider("GPU", 80);
  const memory = slider("Memory bus", 40);
  const apply = () => command(["load", target(), `${gpu.input.value}%`, "--memory", `${memory.input.value}%`]);
  return make(
    "fieldset",
    {},
    make("legend", {}, "Load"),
    gpu.node,
    memory.node,
    make("div", { class: "buttons" }, make("button", { class: "primary", onclick: apply }, "Load"), make("button", { onclick: () => command(["load", target(), "off"]) }, "Off")),
  );
}

function faultControls() {
  const usages = new Map(store.machine.fault_kinds.map((kind) => [kind.name, kind.usage]));
  const chips = store.machine.common_faults.map((fault) => {
    const kind = fault.split(" ")[0];
    return make("button", { class: "chip", title: `fault ${kind} ${usages.get(kind) ?? ""}`, onclick: () => command(["fault", target(), ...fault.split(" ")]) }, fault);
  });
  return make(
    "fieldset",
    {},
    make("legend", {}, "Break"),
    make("div", { class: "chips" }, ...chips),
  );
}

// What is broken besides GPUs: words for `heal` and what they end.
function otherFaults() {
  const { machine_fault: machine, nics, rules } = store.state ?? {};
  return [
    ...(machine ? [[["machine", machine], `machine ${machine}`]] : []),
    ...(nics ?? []).flatMap(({ nic, faults }) => faults.map((fault) => [[`nic=${nic}`, fault.split(" ")[0]], `${nic} ${fault}`])),
    ...(rules ?? []).map(({ where, rule }) => [[where, rule.split(" ")[0]], `${where} ${rule}`]),
  ];
}

function healControls() {
  const chips = make("div", { class: "chips" });
  const update = () => {
    const gpus = chosen();
    const counts = new Map();
    for (const gpu of gpus) for (const fault of store.state?.gpus[gpu]?.faults ?? []) counts.set(fault, [...(counts.get(fault) ?? []), gpu]);
    const others = otherFaults();
    const key = JSON.stringify([...counts, ...others]);
    if (chips.dataset.key === key) return;
    chips.dataset.key = key;
    chips.replaceChildren(
      ...[...counts].map(([fault, at]) =>
        make("button", { class: "chip bad", title: `heal GPU ${ranges(at)}`, onclick: () => command(["heal", `gpu=${at.join(",")}`, fault.split(" ")[0]]) }, `${fault} · GPU ${ranges(at)} ×`),
      ),
      ...others.map(([words, text]) => make("button", { class: "chip bad", title: `heal ${words.join(" ")}`, onclick: () => command(["heal", ...words]) }, `${text} ×`)),
    );
  };
  listen(["state", "selection"], update);
  return make("fieldset", {}, make("legend", {}, "Mend"), chips, make("div", { class: "buttons" }, make("button", { class: "primary", onclick: () => command(["heal", target()]) }, "Heal all faults")));
}

function valueControls() {
  const path = make("input", { list: "fields", value: "thermal.gpu", spellcheck: "false", "aria-label": "Field" });
  const value = make("input", { value: "90", spellcheck: "false", "aria-label": "Value" });
  const list = make("datalist", { id: "fields" }, ...FIELDS.map((name) => make("option", { value: name })));
  const set = (event) => {
    event.preventDefault();
    command(["set", target(), `${path.value}=${value.value}`]);
  };
  return make(
    "fieldset",
    {},
    make("legend", {}, "Set"),
    make(
      "form",
      { class: "pair", onsubmit: set },
      path,
      value,
      list,
      make("button", { class: "primary" }, "Set"),
      make("button", { type: "button", title: "A live value moves again", onclick: () => command(["release", target(), path.value]) }, "Release"),
    ),
  );
}

function anyCommand() {
  const line = make("input", { placeholder: "fault gpu=0 xid 79", spellcheck: "false", "aria-label": "Command" });
  const run = async (event) => {
    event.preventDefault();
    try {
      await steer(line.value);
      say(`done: ${line.value}`, false);
      line.value = "";
    } catch (error) {
      say(error.message, true);
    }
  };
  return make("form", { class: "line", onsubmit: run }, line, make("button", {}, "Do"));
}

export function showSteering() {
  const about = make("strong");
  message = make("p", { class: "message", role: "status" });
  const controls = [loadControls(), faultControls(), healControls(), valueControls(), anyCommand()];
  find("steering").replaceChildren(make("h2", {}, "Steer ", about), message, ...controls);
  if (store.machine.read_only) {
    for (const control of controls) control.querySelectorAll("button, input").forEach((each) => (each.disabled = true));
    say("this machine may only be read", true);
  }
  listen(["selection"], () => setText(about, store.selection.size === 0 ? "all GPUs" : `GPU ${ranges(chosen())}`));
  setText(about, "all GPUs");
}
