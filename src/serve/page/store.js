// What the page knows of the machine: facts, samples in rings of fixed size, state, the selection. It calls whoever
// listens, at most once a frame.

const CAPACITY = 300;

class Samples {
  constructor(gpus, names) {
    this.gpus = gpus;
    this.count = 0;
    this.next = 0;
    this.times = new Float64Array(CAPACITY);
    this.columns = new Map(names.map((name) => [name, this.column()]));
    this.recorded = new Map(); // of the recording that the machine is compared with
  }

  column() {
    return new Float32Array(CAPACITY * this.gpus).fill(NaN);
  }

  put(columns, values) {
    for (const [name, column] of columns) {
      const list = values[name] ?? [];
      for (let gpu = 0; gpu < this.gpus; ++gpu) column[this.next * this.gpus + gpu] = list[gpu] ?? NaN;
    }
  }

  add(sample) {
    this.times[this.next] = sample.time_ms / 1000;
    this.put(this.columns, sample.values);
    for (const name of Object.keys(sample.recorded ?? {})) if (!this.recorded.has(name)) this.recorded.set(name, this.column());
    this.put(this.recorded, sample.recorded ?? {});
    this.next = (this.next + 1) % CAPACITY;
    this.count = Math.min(this.count + 1, CAPACITY);
  }

  // The place of the n-th sample, the oldest first.
  place(n) {
    return (this.next - this.count + n + CAPACITY) % CAPACITY;
  }

  timesInOrder() {
    return Array.from({ length: this.count }, (_, n) => this.times[this.place(n)]);
  }

  // The values of one GPU over time. uPlot leaves out null.
  series(name, gpu, columns = this.columns) {
    const column = columns.get(name);
    return Array.from({ length: this.count }, (_, n) => {
      const value = column[this.place(n) * this.gpus + gpu];
      return Number.isNaN(value) ? null : value;
    });
  }

  newest(name, gpu) {
    if (this.count === 0) return NaN;
    return this.columns.get(name)?.[this.place(this.count - 1) * this.gpus + gpu] ?? NaN;
  }

  // Lowest, middle and highest value of several GPUs over time.
  spread(name, gpus, columns = this.columns) {
    const column = columns.get(name);
    const out = [[], [], []];
    for (let n = 0; n < this.count; ++n) {
      const at = this.place(n) * this.gpus;
      const values = gpus.map((gpu) => column[at + gpu]).filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
      const last = values.length - 1;
      [values[0], values[last >> 1], values[last]].forEach((value, i) => out[i].push(value ?? null));
    }
    return out;
  }
}

export const store = {
  machine: null,
  topology: null,
  samples: null,
  pace: 1,
  state: null,
  run: { state: "none" },
  comparison: { state: "none" },
  log: [],
  events: [],
  selection: new Set(),
};

const listeners = new Map();
const waiting = new Set();
let planned = false;

// `topic`: samples, state, run, log, events, comparison, selection.
export function listen(topics, call) {
  for (const topic of topics) listeners.set(topic, [...(listeners.get(topic) ?? []), call]);
}

export function announce(topic) {
  for (const call of listeners.get(topic) ?? []) waiting.add(call);
  if (planned) return;
  planned = true;
  requestAnimationFrame(() => {
    planned = false;
    const calls = [...waiting];
    waiting.clear();
    for (const call of calls) call();
  });
}

export function begin(machine, topology) {
  store.machine = machine;
  store.topology = topology;
  store.samples = new Samples(machine.gpus.length, machine.measures.map((measure) => measure.name));
}

export function take(name, data) {
  if (name === "live") {
    store.samples.add(data);
    store.pace = data.pace;
    announce("samples");
  } else if (name === "log" || name === "events") {
    store[name] = [...store[name], ...data].slice(-CAPACITY);
    announce(name);
  } else {
    if (name === "comparison" && data.state === "none") store.samples.recorded.clear();
    store[name] = data;
    announce(name);
  }
}

// The GPUs that curves and controls are about.
export function chosen() {
  const all = store.machine.gpus.map((gpu) => gpu.index);
  return store.selection.size === 0 ? all : all.filter((gpu) => store.selection.has(gpu));
}

export function select(gpus) {
  store.selection = new Set(gpus);
  announce("selection");
}

// gpu=all or gpu=0,3, as commands take it.
export function target() {
  return store.selection.size === 0 ? "gpu=all" : `gpu=${[...store.selection].sort((a, b) => a - b).join(",")}`;
}

// healthy, warn, or bad: the colour of a GPU.
export function health(gpu) {
  const about = store.state?.gpus[gpu];
  if (!about) return "healthy";
  if (about.reach !== "available") return "bad";
  if (about.faults.length > 0) return "warn";
  return (store.samples.newest("slowdown", gpu) & ~1) > 0 ? "warn" : "healthy";
}

// What is to be said of a GPU in few words.
export function conditionOf(gpu) {
  const about = store.state?.gpus[gpu];
  if (!about) return "";
  if (about.reach !== "available") return about.faults.join(", ") || about.reach;
  const bits = store.samples.newest("slowdown", gpu);
  const reasons = store.machine.slowdown_reasons.filter((_, bit) => ((bits >> bit) & 1) === 1);
  return [...about.faults, ...reasons].join(", ");
}
