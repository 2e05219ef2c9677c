import { make, setText } from "./dashboard-text.js";
import { follow } from "./dashboard-stream.js";

// The messages of one peer, the newest first.
export class Trace {
  constructor() {
    this.list = document.getElementById("trace");
    this.status = document.getElementById("trace-status");
    this.peer = document.getElementById("trace-peer");
    this.start = document.getElementById("trace-start");
    this.stop = document.getElementById("trace-stop");
    this.running = null;
    this.bounds = { allowed: true, seconds: 60, messages: 500, payloads: false };
    document.getElementById("trace-form").addEventListener("submit", event => {
      event.preventDefault();
      this.run(this.peer.value.trim());
    });
    this.stop.addEventListener("click", () => this.running?.abort());
  }

  allow(bounds) {
    this.bounds = bounds;
    setText(document.getElementById("trace-note"), bounds.allowed
      ? `at most ${bounds.seconds} s and ${bounds.messages} messages${bounds.payloads ? "" : "; payloads are blanked"}`
      : "is switched off");
    this.start.disabled = !bounds.allowed;
  }

  async run(peer) {
    this.running?.abort();
    if (!peer || !this.bounds.allowed) return;
    const own = new AbortController();
    this.running = own;
    this.peer.value = peer;
    this.list.replaceChildren();
    this.count = 0;
    this.stop.disabled = false;
    setText(this.status, `The trace of ${peer} starts.`);
    try {
      await follow("api/trace", { peer }, own.signal, event => this.see(event, peer));
    } catch (error) {
      if (this.running === own) setText(this.status, own.signal.aborted ? `Stopped after ${this.count} messages.` : error.message);
    }
    if (this.running === own) {
      this.running = null;
      this.stop.disabled = true;
    }
  }

  see(event, peer) {
    if (event.kind === "begin") {
      setText(this.status, `Tracing ${peer}. Nothing came yet.`);
    } else if (event.kind === "message") {
      this.count++;
      this.list.prepend(this.itemOf(event));
      setText(this.status, `Tracing ${peer}: ${this.count} messages.`);
    } else if (event.kind === "dropped") {
      this.list.prepend(make("li", "faint", `${event.count} messages were left out: they came faster than this page reads.`));
    } else if (event.kind === "end") {
      const why = { time: "its time is over", messages: "that is as many as it shows", stopping: "the server stops" };
      setText(this.status, `The trace of ${peer} ended after ${this.count} messages: ${why[event.reason] ?? event.reason}.`);
    }
  }

  itemOf(message) {
    const item = make("li");
    const details = make("details");
    const summary = make("summary");
    const at = new Date(message.time);
    const what = [message.type, message.code ? `${message.code} ${message.name ?? ""}` : null, message.path,
      message.messageId === undefined ? null : `#${message.messageId}`, message.token ? `token ${message.token}` : null];
    summary.append(
      make("span", "mono faint", `${at.toTimeString().slice(0, 8)}.${String(at.getMilliseconds()).padStart(3, "0")}`),
      arrow(message.inbound),
      make("span", "what mono", message.error ? "Not a CoAP message" : what.filter(Boolean).join("  ")),
      make("span", "faint n", `${message.size} B  ${message.scheme}`));
    details.append(summary);
    details.addEventListener("toggle", () => {
      if (details.open && details.children.length === 1) details.append(detailOf(message));
    });
    item.append(details);
    return item;
  }
}

function arrow(inbound) {
  const mark = make("span", inbound ? "in" : "out", inbound ? "→" : "←");
  mark.setAttribute("role", "img");
  mark.setAttribute("aria-label", inbound ? "received" : "sent");
  mark.title = inbound ? "received" : "sent";
  return mark;
}

function detailOf(message) {
  const detail = make("div", "detail");
  const fields = make("ul", "fields");
  for (const field of message.fields) fields.append(make("li", `level${field.level}`, field.text));
  if (message.error) fields.append(make("li", "bad", message.error.message));
  for (const remark of message.remarks) fields.append(make("li", "warn", remark));
  if (message.blanked) fields.append(make("li", "faint", "The payload is not shown."));
  else if (message.payload !== undefined) fields.append(make("li", "", message.payload));
  detail.append(fields, make("pre", "bytes", (message.hex.match(/.{1,2}/g) ?? []).join(" ")));
  return detail;
}
