// The events, the log, the processes, and the layout of MIG devices.

import { find, make, setStyle } from "./dom.js";
import { clock, gibibytes, ranges } from "./format.js";
import { chosen, listen, store } from "./store.js";

function showLog() {
  const list = make("ol", { class: "log", "aria-live": "polite" });
  find("log").replaceChildren(list);
  let shown = -1;
  listen(["log"], () => {
    for (const message of store.log.filter(({ sequence }) => sequence > shown)) {
      shown = message.sequence;
      list.prepend(make("li", { class: message.level }, make("time", {}, clock(message.time_ms)), make("span", {}, message.text)));
    }
    while (list.childElementCount > 300) list.lastElementChild.remove();
  });
}

// What a program gets that waits for NVML's events, of the chosen GPUs.
function showEvents() {
  const columns = ["Time", "GPU", "Event", "Data", "NVML"];
  const body = make("tbody");
  const table = make("table", { class: "events" }, make("thead", {}, make("tr", {}, ...columns.map((name) => make("th", { scope: "col" }, name)))), body);
  const none = make("p", { class: "muted" });
  find("events").replaceChildren(table, none);
  let shown = -1;
  const row = ({ time_ms: time, gpu, level, text, data, type, gpu_instance: instance }) => {
    const place = gpu === null ? "system" : instance === null ? `${gpu}` : `${gpu}, instance ${instance}`;
    return make("tr", { class: level }, ...[clock(time), place, text, `${data}`, type].map((cell) => make("td", {}, cell)));
  };
  const update = () => {
    const gpus = new Set(chosen());
    const fits = ({ sequence, gpu }) => sequence > shown && (gpu === null || gpus.has(gpu));
    for (const event of store.events.filter(fits)) body.prepend(row(event));
    shown = store.events.at(-1)?.sequence ?? shown;
    while (body.childElementCount > 300) body.lastElementChild.remove();
    table.hidden = body.childElementCount === 0;
    none.textContent = table.hidden ? "No events of these GPUs yet. A fault raises one." : "";
  };
  listen(["events"], update);
  listen(["selection"], () => {
    shown = -1;
    body.replaceChildren();
    update();
  });
  update();
}

function showProcesses() {
  const columns = ["GPU", "PID", "Type", "Memory", "Program"];
  const body = make("tbody");
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...columns.map((name) => make("th", { scope: "col" }, name)))), body);
  const none = make("p", { class: "muted" });
  find("processes").replaceChildren(table, none);
  let before = "";
  listen(["state", "selection"], () => {
    const gpus = new Set(chosen());
    const rows = (store.state?.processes ?? []).filter((process) => gpus.has(process.gpu)).slice(0, 500);
    const now = JSON.stringify(rows);
    if (now === before) return;
    before = now;
    const place = ({ gpu, gpu_instance: instance }) => (instance === null ? `${gpu}` : `${gpu}, instance ${instance}`);
    body.replaceChildren(
      ...rows.map((row) => make("tr", {}, ...[place(row), `${row.pid}`, row.type, gibibytes(row.memory_mib), row.name].map((text) => make("td", {}, text)))),
    );
    table.hidden = rows.length === 0;
    none.textContent = rows.length === 0 ? "No process uses these GPUs. nvmlkit run --uses gpu=0 -- PROGRAM makes a program their user." : "";
  });
}

function layoutOf(index, mig) {
  const track = make("div", { class: "slices" });
  setStyle(track, "--slices", `${mig.slices}`);
  for (const instance of mig.instances) {
    const devices = instance.compute.map((compute) => compute.uuid).join("\n");
    const block = make(
      "div",
      { class: "instance", title: `GPU instance ${instance.id}\n${devices}` },
      make("strong", {}, instance.profile),
      make("span", {}, `${gibibytes(instance.used_mib)} of ${gibibytes(instance.memory_mib)}`),
      make("span", { class: "muted" }, instance.compute.map((compute) => compute.profile).join(", ") || "no compute instance"),
    );
    setStyle(block, "grid-column", `${instance.start + 1} / span ${instance.size}`);
    track.append(block);
  }
  return make("div", { class: "layout" }, make("span", { class: "name" }, `GPU ${index}`), track);
}

function showMig() {
  const panel = find("mig");
  let before = "";
  listen(["state"], () => {
    const layouts = (store.state?.gpus ?? []).map((gpu) => gpu.mig);
    const now = JSON.stringify(layouts);
    if (now === before) return;
    before = now;
    const without = layouts.flatMap((mig, gpu) => (mig ? [] : [gpu]));
    const capable = store.machine.gpus.some((gpu) => gpu.mig);
    const rest = !capable ? "These GPUs have no MIG." : without.length > 0 ? `MIG is off on GPU ${ranges(without)}. nvidia-smi -mig 1 and -cgi, -cci work on this machine.` : "";
    panel.replaceChildren(...layouts.flatMap((mig, gpu) => (mig ? [layoutOf(gpu, mig)] : [])), make("p", { class: "muted" }, rest));
  });
}

export function showLists() {
  showEvents();
  showLog();
  showProcesses();
  showMig();
}
