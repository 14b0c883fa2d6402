// A recording beside the machine: chosen or opened here, drawn by the charts, its deviations in a table.

import { ask, get } from "./api.js";
import { find, make, setClass, setText } from "./dom.js";
import { dash, duration, number } from "./format.js";
import { chosen, listen, store, take } from "./store.js";

const LARGEST = 1_000_000; // of a request; a larger recording is named on the command line

function base64(bytes) {
  let text = "";
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
}

// The file as the body of a request: compressed, unless it is so already.
async function packed(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return base64(bytes);
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return base64(new Uint8Array(await new Response(stream).arrayBuffer()));
}

async function bodyOf(file, name, from) {
  const about = from ? { from } : {};
  if (!file) return { name, ...about };
  const gzip = await packed(file);
  if (gzip.length > LARGEST) throw new Error("This recording is too large to send. nvmlkit serve --recording FILE takes it.");
  return { name: file.name, gzip, ...about };
}

function words(comparison) {
  const { state, name, format, at_s: at, duration_s: whole } = comparison;
  if (state === "none") return "";
  return `${name} (${format}): ${state === "over" ? "over" : `${duration(Math.floor(at))} of ${duration(Math.floor(whole))}`}`;
}

// A row for each measure: how far the chosen GPUs are from the recording.
function rows(comparison) {
  const gpus = chosen();
  return Object.entries(comparison.deviations ?? {}).flatMap(([name, { mean, largest }]) => {
    const known = gpus.filter((gpu) => typeof mean[gpu] === "number");
    if (known.length === 0) return [];
    const about = store.machine.measures.find((measure) => measure.name === name);
    const worst = known.reduce((a, b) => (largest[b] > largest[a] ? b : a));
    const unit = about?.unit === "C" ? "°C" : (about?.unit ?? "");
    const print = (value) => `${number(value, 1)} ${unit}`.trim();
    const average = known.reduce((sum, gpu) => sum + mean[gpu], 0) / known.length;
    return [[about?.help ?? name, print(average), print(largest[worst]), `GPU ${worst}`]];
  });
}

export function showComparison() {
  const list = make("select", { "aria-label": "Recording" });
  const file = make("input", { type: "file", "aria-label": "Recording from a file" });
  const from = make("input", { class: "seed", placeholder: "from 90s", "aria-label": "Begin within the recording" });
  const begin = make("button", { class: "primary" }, "Compare");
  const end = make("button", { hidden: true }, "End");
  const message = make("p", { class: "message", role: "status" });
  const columns = ["Measure", "Mean deviation", "Largest", "Of"];
  const body = make("tbody");
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...columns.map((name) => make("th", { scope: "col" }, name)))), body);
  find("compare").replaceChildren(make("div", { class: "bar-line" }, list, file, from, begin, end), message, table);
  const say = (text, wrong) => {
    setText(message, text);
    setClass(message, wrong ? "message wrong" : "message");
  };
  const act = async (call) => {
    try {
      say("", false);
      const status = await call();
      store.samples.recorded.clear();
      take("comparison", status);
    } catch (error) {
      say(error.message, true);
    }
  };
  begin.addEventListener("click", () => act(async () => ask("POST", "api/v1/comparison", await bodyOf(file.files[0], list.value, from.value.trim()))));
  end.addEventListener("click", () => act(() => ask("DELETE", "api/v1/comparison")));
  list.addEventListener("change", () => (file.value = ""));
  get("recordings").then((all) => {
    list.append(...all.map(({ name }) => make("option", { value: name }, name)));
    list.hidden = all.length === 0;
  });
  const update = () => {
    const { comparison } = store;
    const none = comparison.state === "none";
    end.hidden = none;
    table.hidden = none;
    if (none && !message.textContent) say("Dashed curves show what a fleet recorded: Prometheus, dcgmi dmon, nvidia-smi dmon or --query-gpu.", false);
    if (!none) say(words(comparison), false);
    body.replaceChildren(...rows(comparison).map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, cell || dash)))));
  };
  listen(["comparison", "selection"], update);
  update();
}
