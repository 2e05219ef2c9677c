import { call, follow } from "./dashboard-stream.js";
import { Plots } from "./dashboard-plots.js";
import { Peers, Tables } from "./dashboard-tables.js";
import { Trace } from "./dashboard-trace.js";
import { bytes, make, number, percent, setText, short, time } from "./dashboard-text.js";

const byId = id => document.getElementById(id);
const status = byId("status");
const problem = byId("problem");
const pause = byId("pause");
const plots = new Plots(byId("plots"));
const tables = new Tables();
const trace = new Trace();
const peers = new Peers(address => {
  trace.run(address);
  byId("trace-title").scrollIntoView({ block: "start" });
  byId("trace-stop").focus();
});

// What stands large at the top.
const tiles = [
  ["Requests per second", values => short(values.requests)],
  ["Median latency", values => time(values.p50)],
  ["99th percentile", values => time(values.p99)],
  ["Errors", values => percent(values.clientError + values.serverError, values.success + values.clientError + values.serverError),
    values => values.serverError > 0],
  ["Being served", values => number(values.active)],
  ["Peers", values => short(values.peers)],
  ["Connections, sessions", values => short(values.connections)],
  ["Observers", values => short(values.observers)],
  ["Notifications per second", values => short(values.notifications)],
  ["Received per second", values => bytes(values.bytesReceived)],
].map(([label, text, isBad]) => {
  const tile = make("div");
  const value = make("dd", "", "–");
  tile.append(make("dt", "", label), value);
  byId("tiles").append(tile);
  return { tile, value, text, isBad };
});

let connection = null;
let isPaused = false;
let retry = 1;
let wake = null;

function say(state, text) {
  status.dataset.state = state;
  setText(byId("status-text"), text);
}

function see(event) {
  if (event.kind === "history") {
    retry = 1;
    problem.hidden = true;
    say("live", "Live");
    setText(byId("name"), event.name ? `: ${event.name}` : "");
    document.title = event.name ? `${event.name}: CoAP live` : "CoAP live";
    setText(byId("listening"), event.listening.join("  "));
    trace.allow(event.trace);
    plots.begin(event.columns);
  } else if (event.kind === "sample") {
    plots.add(event.values);
    tables.show(event);
    byId("estimate").hidden = event.measured;
    for (const one of tiles) {
      setText(one.value, one.text(event.values));
      if (one.isBad) one.tile.dataset.level = one.isBad(event.values) ? "bad" : "";
    }
  }
}

async function connect() {
  clearTimeout(wake);
  const own = new AbortController();
  connection = own;
  say("waiting", "Connecting");
  let text = "The server ended the connection.";
  try {
    await follow("api/live", {}, own.signal, see);
  } catch (error) {
    text = error.message;
  }
  if (connection !== own || own.signal.aborted) return;
  say("lost", "Not connected");
  problem.textContent = `${text} Trying again in ${retry} s.`;
  problem.hidden = false;
  wake = setTimeout(connect, retry * 1000);
  retry = Math.min(retry * 2, 30);
}

function setPaused(value) {
  if (isPaused === value) return;
  isPaused = value;
  pause.setAttribute("aria-pressed", String(value));
  setText(pause, value ? "Go on" : "Pause");
  clearTimeout(wake);
  connection?.abort();
  if (value) say("paused", "Paused");
  else connect();
}

pause.addEventListener("click", () => setPaused(!isPaused));
for (const choice of document.querySelectorAll("input[name=span]")) {
  choice.addEventListener("change", () => plots.setSpan(Number(choice.value)));
}

// A page in the background looks at nothing for long: the server then measures nothing for it.
let hiding = null;
let isHidden = false;
document.addEventListener("visibilitychange", () => {
  clearTimeout(hiding);
  if (document.hidden && !isPaused) {
    hiding = setTimeout(() => {
      isHidden = true;
      setPaused(true);
    }, 5 * 60 * 1000);
  } else if (!document.hidden && isHidden) {
    isHidden = false;
    setPaused(false);
  }
});

// The table of peers takes the server more work than all else: it is asked for no more often than a fiftieth of that work.
let asking = null;
async function showPeers() {
  clearTimeout(asking);
  const began = performance.now();
  if (!document.hidden && !isPaused) {
    try {
      const response = await call("api/peers", { address: byId("peers-address").value.trim() });
      peers.show(await response.json());
    } catch (error) {
      setText(byId("peers-note"), error.message);
    }
  }
  if (byId("peers-follow").checked) {
    asking = setTimeout(showPeers, Math.max(5000, 50 * (performance.now() - began)));
  }
}

byId("peers-form").addEventListener("submit", event => {
  event.preventDefault();
  showPeers();
});
byId("peers-follow").addEventListener("change", showPeers);
connect();
showPeers();
