// The NVLinks and the PCIe tree as a picture: switches above the GPUs, root complexes and network adapters below.

import { draw, find, make, setClass, setText } from "./dom.js";
import { health, listen, select, store } from "./store.js";

const MOST_DRAWN = 16;
const GPU = { width: 66, height: 44, gap: 14 };
const ROWS = { top: 16, fabric: 22, links: 96, root: 22, nic: 22 };

// The state of a set of links of a GPU: the worst of their letters.
function stateOf(gpu, links) {
  const letters = store.state?.gpus[gpu]?.links ?? "";
  const states = links.map((link) => letters[link] ?? "u");
  if (states.every((letter) => letter === "d")) return "down";
  if (states.includes("d")) return "partly";
  return states.includes("e") ? "erring" : "up";
}

const centre = (box) => box.x + box.width / 2;
const label = (x, y, name, text, anchor = "middle") => draw("text", { x, y, class: name, "text-anchor": anchor }, text);

// GPUs of one root complex stand together.
function placeGpus(topology) {
  const order = topology.gpus.map((gpu, index) => ({ index, root: gpu.root })).sort((a, b) => (a.root ?? 1e9) - (b.root ?? 1e9) || a.index - b.index);
  const boxes = [];
  let x = 12;
  order.forEach(({ index, root }, i) => {
    if (i > 0 && root !== order[i - 1].root) x += 14;
    boxes[index] = { x, y: ROWS.top + ROWS.fabric + ROWS.links, width: GPU.width, height: GPU.height, root };
    x += GPU.width + GPU.gap;
  });
  return { boxes, width: x + 12 - GPU.gap };
}

// A box for each NVSwitch, or one for a fabric whose switches the host does not see.
function placeSwitches(topology, width) {
  const ends = topology.gpus.flatMap((gpu) => gpu.nvlink);
  const unseen = ends.some((end) => (end.to === "switch" || end.to === "unknown") && end.index === null);
  const names = unseen ? ["NVSwitch fabric"] : topology.switches.map((_, i) => `NVSwitch ${i}`);
  const used = ends.some((end) => end.to === "switch" || end.to === "unknown");
  if (!used) return [];
  const size = (width - 24 - 14 * (names.length - 1)) / names.length;
  return names.map((name, i) => ({ name, x: 12 + i * (size + 14), y: ROWS.top, width: size, height: ROWS.fabric }));
}

class Link {
  constructor(gpu, links, path) {
    this.gpu = gpu;
    this.links = links;
    this.title = draw("title");
    this.node = draw("path", { d: path, "stroke-width": Math.min(1 + links.length / 2, 5) }, this.title);
  }

  update() {
    const state = stateOf(this.gpu, this.links);
    setClass(this.node, `link ${state}`);
    setText(this.title, `GPU ${this.gpu}, ${this.links.length} NVLinks (${this.links.join(", ")}): ${state}`);
  }
}

function linksOf(topology, boxes, switches) {
  const out = [];
  topology.gpus.forEach(({ nvlink }, gpu) => {
    const from = boxes[gpu];
    nvlink.forEach(({ to, index, links }, i) => {
      const x = from.x + (from.width * (i + 1)) / (nvlink.length + 1);
      if (to === "gpu" && index > gpu) {
        const other = centre(boxes[index]);
        const height = Math.min(34 + Math.abs(other - x) / 6, ROWS.links + 20);
        out.push(new Link(gpu, links, `M${x} ${from.y} C${x} ${from.y - height} ${other} ${from.y - height} ${other} ${from.y}`));
      } else if (switches.length > 0 && (to === "switch" || to === "unknown")) {
        const end = switches[index ?? 0] ?? switches[0];
        const spread = (end.width - 16) * ((gpu + 0.5) / topology.gpus.length);
        const top = switches.length === 1 ? x : end.x + 8 + spread;
        const middle = end.y + end.height + ROWS.links / 2;
        out.push(new Link(gpu, links, `M${x} ${from.y} C${x} ${middle} ${top} ${middle} ${top} ${end.y + end.height}`));
      }
    });
  });
  return out;
}

class GpuBox {
  constructor(gpu, box) {
    this.gpu = gpu;
    this.text = label(centre(box), box.y + 32, "small", "");
    this.frame = draw("rect", { x: box.x, y: box.y, width: box.width, height: box.height, rx: 4 });
    this.node = draw("g", { onclick: () => select([gpu]) }, this.frame, label(centre(box), box.y + 17, "strong", `GPU ${gpu}`), this.text);
  }

  update() {
    const value = store.samples.newest("utilization", this.gpu);
    setText(this.text, Number.isNaN(value) ? (store.state?.gpus[this.gpu].reach ?? "") : `${Math.round(value)} %`);
    setClass(this.node, `gpu ${health(this.gpu)}${store.selection.has(this.gpu) ? " chosen" : ""}`);
  }
}

// The boxes of root complexes with the GPUs and adapters under them.
function rootsOf(topology, boxes) {
  const out = [];
  let lowest = 0;
  topology.roots.forEach((root, r) => {
    const under = boxes.filter((box) => box?.root === r);
    if (under.length === 0) return;
    const x = Math.min(...under.map((box) => box.x)) - 5;
    const width = Math.max(...under.map((box) => box.x + box.width)) + 5 - x;
    const y = under[0].y + GPU.height + 30;
    for (const box of under) out.push(draw("path", { class: "pcie", d: `M${centre(box)} ${box.y + box.height}V${y}` }));
    const nics = topology.nics.filter((nic) => nic.root === r);
    const shown = Math.max(1, Math.floor((width - 8) / 58));
    const lines = Math.min(2, Math.ceil(nics.length / shown));
    lowest = Math.max(lowest, lines);
    out.push(draw("rect", { class: "root", x, y, width, height: ROWS.root + lines * ROWS.nic + 2, rx: 4 }));
    const numa = root.numa_node === null ? "" : ` · NUMA ${root.numa_node}`;
    out.push(label(x + 7, y + 15, "small", width > 110 ? `${root.id}${numa}` : root.id.replace(/^pci/, ""), "start"));
    nics.slice(0, shown * 2).forEach((nic, i) => {
      const at = x + 6 + (i % shown) * 58;
      const line = y + 23 + Math.floor(i / shown) * 22;
      out.push(draw("rect", { class: "nic", x: at, y: line, width: 54, height: 18, rx: 3 }), label(at + 27, line + 13, "small", nic.name));
    });
  });
  return { nodes: out, height: out.length > 0 ? 36 + ROWS.root + lowest * ROWS.nic : 10 };
}

function picture(topology) {
  const { boxes, width } = placeGpus(topology);
  const switches = placeSwitches(topology, width);
  const links = linksOf(topology, boxes, switches);
  const gpus = boxes.map((box, gpu) => new GpuBox(gpu, box));
  const roots = rootsOf(topology, boxes);
  const height = ROWS.top + ROWS.fabric + ROWS.links + GPU.height + roots.height;
  const top = links.length > 0 ? 0 : ROWS.top + ROWS.fabric + ROWS.links - 10;
  const image = draw(
    "svg",
    { viewBox: `0 ${top} ${width} ${height - top}`, class: "picture", role: "img", "aria-label": "NVLink and PCIe topology" },
    ...roots.nodes,
    ...links.map((link) => link.node),
    ...switches.flatMap((box) => [draw("rect", { class: "switch", x: box.x, y: box.y, width: box.width, height: box.height, rx: 4 }), label(centre(box), box.y + 15, "small", box.name)]),
    ...gpus.map((gpu) => gpu.node),
  );
  image.style.setProperty("max-width", `${Math.max(width * 1.15, 420)}px`);
  return { node: image, parts: [...links, ...gpus] };
}

// Many GPUs: how many links of each are up.
class Count {
  constructor(gpu) {
    this.gpu = gpu;
    this.node = make("button", { class: "count", onclick: () => select([gpu]) });
  }

  update() {
    const letters = store.state?.gpus[this.gpu].links ?? "";
    const up = [...letters].filter((letter) => letter === "u" || letter === "e").length;
    const state = letters.includes("d") ? "bad" : letters.includes("e") ? "warn" : "healthy";
    setText(this.node, `${this.gpu} · ${up}/${letters.length}`);
    setClass(this.node, `count ${state}`);
  }
}

function legend(topology) {
  const parts = [];
  if (topology.nvlink_version > 0) parts.push(`NVLink ${topology.nvlink_version}, ${topology.link_mbps / 1000} GB/s for each link and direction`);
  if (topology.roots.length === 0) parts.push("the machine file names no PCIe tree");
  return parts.join(" · ");
}

export function showTopology() {
  const { topology } = store;
  const many = topology.gpus.length > MOST_DRAWN;
  const view = many ? { parts: topology.gpus.map((_, gpu) => new Count(gpu)) } : picture(topology);
  if (many) view.node = make("div", { class: "counts" }, ...view.parts.map((part) => part.node));
  const keys = [["up", "up"], ["erring", "counts errors"], ["partly", "some down"], ["down", "down"]];
  const key = make("p", { class: "key" }, ...keys.map(([name, text]) => make("span", { class: `key-${name}` }, text)), make("span", { class: "muted" }, legend(topology)));
  const panel = find("topology");
  panel.replaceChildren(view.node, key);
  const update = () => {
    if (!panel.hidden) view.parts.forEach((part) => part.update());
  };
  update();
  listen(["samples", "state", "selection", "tab"], update);
}
