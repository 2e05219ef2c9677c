import { bytes, make, number, percent, setText, short, time, words } from "./dashboard-text.js";

// Rows keep their elements by key, so that focus and selection stay where they are.
class Rows {
  constructor(body, empty) {
    this.body = body;
    this.rows = new Map();
    this.empty = empty;
    this.columns = body.parentElement.querySelectorAll("thead th").length;
  }

  show(items, keyOf, begin, update) {
    const focused = document.activeElement;
    const keys = new Set();
    let after = null;
    for (const item of items) {
      const key = keyOf(item);
      keys.add(key);
      let row = this.rows.get(key);
      if (!row) {
        row = begin(item);
        this.rows.set(key, row);
      }
      update(row, item);
      const expected = after ? after.nextSibling : this.body.firstChild;
      if (expected !== row) this.body.insertBefore(row, expected);
      after = row;
    }
    for (const [key, row] of this.rows) {
      if (!keys.has(key)) {
        row.remove();
        this.rows.delete(key);
      }
    }
    if (items.length === 0 && !this.nothing) {
      this.nothing = document.createElement("tr");
      const cell = make("td", "faint", this.empty);
      cell.colSpan = this.columns;
      this.nothing.append(cell);
      this.body.append(this.nothing);
    } else if (items.length > 0 && this.nothing) {
      this.nothing.remove();
      this.nothing = null;
    }
    if (focused !== document.activeElement && focused?.isConnected) focused.focus();
  }
}

function rowOf(classes) {
  const row = document.createElement("tr");
  for (const name of classes) row.append(make("td", name));
  return row;
}

// What operators call what a limit bounds; the name of the limit itself is the title of its row.
const boundNames = {
  "Peers.MaxCount": "Peers",
  "Deduplication.Memory": "Replies kept for copies",
  "Requests.MaxServed": "Requests being served",
  "Messages.MaxOutstanding": "Unacknowledged messages",
  "Blockwise.RequestMemory": "Request bodies in blocks",
  "Blockwise.ResponseMemory": "Response bodies in blocks",
  "Observe.MaxObservers": "Observers",
  "Observe.MaxObservations": "Observations of other servers",
  "Connections.MaxCount": "Connections",
  "Connections.ReceiveMemory": "Incomplete messages of connections",
  "Connections.SendMemory": "Unsent bytes of connections",
};

function boundName(limit) {
  return boundNames[limit] ?? words(limit);
}

function fill(row, texts) {
  texts.forEach((text, i) => setText(row.cells[i], text));
}

export class Tables {
  constructor() {
    const rows = (id, empty) => new Rows(document.getElementById(id), empty);
    this.routes = rows("routes", "No requests in the last minute.");
    this.codes = rows("codes", "No answers in the last minute.");
    this.drops = rows("drops", "Nothing so far.");
    this.bounds = document.getElementById("bounds");
  }

  show(sample) {
    this.routes.show(sample.routes, route => `${route.others} ${route.route}`,
      () => rowOf(["mono", "n", "n", "n", "n", "n", "n"]),
      (row, route) => fill(row, [
        route.others ? "other routes" : route.route ?? "no route matched",
        number(route.rate), ...(route.recent ?? [null, null, null]).map(time), time(route.minute?.[2]), number(route.observers),
      ]));
    const answers = sample.codes.reduce((sum, code) => sum + code.count, 0);
    this.codes.show([...sample.codes].sort((a, b) => b.count - a.count), code => code.code,
      code => rowOf([`mono ${code.code.startsWith("2") ? "good" : code.code.startsWith("5") ? "bad" : "warn"}`, "", "n", "n"]),
      (row, code) => fill(row, [code.code, code.name ?? "", number(code.rate), percent(code.count, answers)]));
    this.drops.show([...sample.drops, ...sample.refusals.map(one => ({ ...one, refused: true }))]
      .sort((a, b) => b.minute - a.minute || b.total - a.total), one => one.counter,
      () => rowOf(["", "n", "n"]),
      (row, one) => fill(row, [one.refused ? `refused: ${one.reason}` : one.reason, number(one.minute), number(one.total)]));
    this.showBounds(sample.bounds);
  }

  showBounds(bounds) {
    while (this.bounds.children.length < bounds.length) {
      const item = make("li");
      item.append(make("span"), make("span", "amount"), document.createElement("progress"));
      this.bounds.append(item);
    }
    bounds.forEach((bound, i) => {
      const [name, amount, bar] = this.bounds.children[i].children;
      const show = bound.bytes ? bytes : short;
      setText(name, boundName(bound.name));
      name.title = `CoapLimits.${bound.name}`;
      setText(amount, `${show(bound.used)} of ${show(bound.limit)}`);
      bar.max = Math.max(1, bound.limit);
      bar.value = Math.min(bound.used, bar.max);
      bar.setAttribute("aria-label", `${boundName(bound.name)}: ${amount.textContent}`);
      const part = bound.limit > 0 ? bound.used / bound.limit : 0;
      bar.dataset.level = part > 0.9 ? "bad" : part > 0.7 ? "warn" : "good";
    });
  }
}

export class Peers {
  constructor(onTrace) {
    this.rows = new Rows(document.getElementById("peers"), "No peers.");
    this.note = document.getElementById("peers-note");
    this.onTrace = onTrace;
  }

  show(table) {
    setText(this.note, table.truncated ? `the ${table.peers.length} heard last of more` : `${table.peers.length}`);
    this.rows.show(table.peers, peer => `${peer.scheme} ${peer.address} ${peer.local}`,
      peer => {
        const row = rowOf(["mono", "clip", "", "", "n", "n", "n", "n", "n", "n", "", ""]);
        const button = make("button", "", "Trace");
        button.type = "button";
        button.setAttribute("aria-label", `Trace the messages of ${peer.address}`);
        button.addEventListener("click", () => this.onTrace(peer.address));
        row.cells[11].append(button);
        return row;
      },
      (row, peer) => {
        fill(row, [
          peer.address, peer.identity === null ? "–" : peer.known ? peer.identity : `${peer.identity} (not proven)`, peer.scheme,
          peer.verified ? "verified" : peer.newcomer ? "new" : "not verified",
          peer.lastSeen === null ? "never" : peer.lastSeen < 1 ? "now" : time(peer.lastSeen),
          number(peer.observers), number(peer.running), number(peer.outstanding + peer.queued + peer.awaited),
          time(peer.roundTrip), time(peer.patience),
          peer.drop ? `${words(peer.drop.reason)}, ${time(peer.drop.ago)} ago, ${number(peer.drop.count)} in all` : "–",
        ]);
        row.cells[1].title = peer.identity ?? "";
        row.cells[3].className = peer.verified ? "good" : "faint";
        row.cells[10].className = peer.drop ? "warn" : "faint";
      });
  }
}
