// The page: takes the token, asks for the machine, and shows it.

import { follow, get, giveToken, Refusal, takeToken } from "./api.js";
import { showCharts } from "./charts.js";
import { showComparison } from "./compare.js";
import { find, setClass, setText } from "./dom.js";
import { showGpus } from "./gpus.js";
import { showLists } from "./lists.js";
import { showScenario } from "./scenario.js";
import { command, showSteering } from "./steering.js";
import { announce, begin, listen, store, take } from "./store.js";
import { showTopology } from "./topology.js";

const TAB = "nvmlkit-tab";

function askForToken() {
  const dialog = find("token-dialog");
  dialog.addEventListener("close", () => {
    giveToken(find("token").value);
    location.reload();
  });
  dialog.showModal();
}

function showTabs() {
  const tabs = [...find("tabs").children];
  const open = (tab) => {
    for (const each of tabs) {
      const chosen = each === tab;
      each.setAttribute("aria-selected", String(chosen));
      each.tabIndex = chosen ? 0 : -1;
      find(each.getAttribute("aria-controls")).hidden = !chosen;
    }
    sessionStorage.setItem(TAB, tab.id);
    announce("tab");
  };
  for (const tab of tabs) tab.addEventListener("click", () => open(tab));
  find("tabs").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
    open(next);
    next.focus();
  });
  open(tabs.find((tab) => tab.id === sessionStorage.getItem(TAB)) ?? tabs[0]);
}

function showHead() {
  const { machine } = store;
  const names = new Map();
  for (const gpu of machine.gpus) names.set(gpu.name, (names.get(gpu.name) ?? 0) + 1);
  setText(find("machine"), machine.machine);
  document.title = `${machine.machine} · nvmlkit`;
  setText(find("facts"), `${[...names].map(([name, count]) => `${count} × ${name}`).join(", ")} · driver ${machine.driver}`);
  const pace = find("pace");
  pace.disabled = machine.read_only;
  pace.addEventListener("change", () => command(["time", pace.value]));
  find("advance").addEventListener("click", () => command(["time", "advance", "60s"]));
  listen(["samples"], () => {
    const value = store.pace === 1 ? "real" : store.pace === 0 ? "virtual" : `${store.pace}`;
    if (document.activeElement !== pace && pace.value !== value) pace.value = value;
    find("advance").hidden = store.pace !== 0;
  });
}

function showStatus(status) {
  const words = { live: "live", away: "server away", refused: "token refused" };
  setText(find("connection"), words[status]);
  setClass(find("connection"), `dot ${status}`);
  if (status === "refused") askForToken();
}

async function start() {
  if (!takeToken()) {
    askForToken();
    return;
  }
  try {
    const [machine, topology] = await Promise.all([get("machine"), get("topology")]);
    const few = machine.gpus.length <= 64;
    const [samples, log, events] = await Promise.all([get(`history?samples=${few ? 300 : 60}`), get("log"), get("events")]);
    begin(machine, topology);
    for (const sample of samples) take("live", sample);
    showHead();
    showGpus();
    showCharts();
    showTopology();
    showComparison();
    showLists();
    showSteering();
    showScenario();
    showTabs();
    take("log", log);
    take("events", events);
    performance.mark("shown");
    follow(take, showStatus);
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) askForToken();
    else showStatus("away");
  }
}

start();
