// The tree of resources. Only the rows that are visible stand in the document.

import { el, fill, oncePerFrame, shown } from "./dom.js";

const LOW = 30;
const HIGH = 46;
const DEEPEST = 24;
const AHEAD = 200;

export class ResourceTree {
    /** `actions` has select(link), open(link) and observe(link); `formatName` names a content format. */
    constructor(container, actions, formatName) {
        this.container = container;
        this.actions = actions;
        this.formatName = formatName;
        this.root = newNode("", "", 0);
        this.rows = [];
        this.offsets = new Float64Array(1);
        this.elements = new Map();
        this.active = -1;
        this.selected = null;
        this.total = 0;
        this.found = 0;
        this.typed = "";
        this.space = el("div", { class: "tree-space", role: "none" });
        container.append(this.space);
        this.draw = oncePerFrame(() => this.render());
        container.addEventListener("scroll", this.draw, { passive: true });
        container.addEventListener("keydown", event => this.key(event));
        container.addEventListener("click", event => this.click(event));
        container.addEventListener("dblclick", event => this.open(event));
        container.addEventListener("focus", () => {
            if (this.active < 0 && this.rows.length > 0) {
                this.activate(0, false);
            }
        });
        new ResizeObserver(this.draw).observe(container);
    }

    /** Shows links; those of another host stand below a node of their own. */
    setLinks(links, base) {
        this.root = newNode("", "", 0);
        this.total = links.length;
        this.selected = null;
        for (const link of links) {
            this.insert(link, base);
        }

        this.filter(this.terms?.join(" ") ?? "");
        this.container.scrollTop = 0;
    }

    insert(link, base) {
        const host = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(link.uri)?.[0] ?? "";
        let node = this.root;
        if (host !== "" && base && host.toLowerCase() !== base.toLowerCase()) {
            node = child(node, "host " + host, host);
        }

        const segments = String(link.path ?? "/").replace(/^\//, "").split("/");
        // A slash at the end belongs to the name: /config/ is another resource than /config.
        if (segments.length > 1 && segments[segments.length - 1] === "") {
            segments.pop();
            segments.push(segments.pop() + "/");
        }

        if (segments.length > DEEPEST) {
            segments.push(segments.splice(DEEPEST - 1).join("/"));
        }

        for (const segment of segments) {
            node = child(node, "path " + segment, /^\/?$/.test(segment) ? "/" + segment : segment);
        }

        // Two links to one path, which differ in their query, are two rows.
        if (node.link) {
            node = child(node, "link " + link.uri, link.uri.slice(host.length) || link.uri);
        }

        node.link = link;
        const kinds = [...(link.rt ?? []), ...(link.if ?? [])];
        node.text = [link.path, link.title ?? "", ...kinds].join("\n").toLowerCase();
        node.note = [link.title, ...kinds].filter(Boolean).join(" · ");
    }

    /** Leaves only resources that contain every word. */
    filter(text) {
        this.terms = text.toLowerCase().split(/\s+/).filter(Boolean);
        this.found = 0;
        // Children come after their parents in `order`; going backwards, each parent learns of its children's hits.
        const order = [this.root];
        for (let index = 0; index < order.length; index++) {
            const node = order[index];
            node.hit = node.link !== null && this.terms.every(term => node.text.includes(term));
            this.found += node.hit ? 1 : 0;
            for (const next of node.children.values()) {
                order.push(next);
            }
        }

        for (let index = order.length - 1; index > 0; index--) {
            order[index].parent.hit ||= order[index].hit;
        }

        this.flatten();
    }

    flatten() {
        const before = this.rows[this.active];
        const rows = [];
        const stack = [];
        const push = node => {
            const visible = [...node.children.values()].filter(next => next.hit);
            for (let index = visible.length - 1; index >= 0; index--) {
                visible[index].place = index + 1;
                visible[index].siblings = visible.length;
                stack.push(visible[index]);
            }
        };

        push(this.root);
        while (stack.length > 0) {
            const node = stack.pop();
            rows.push(node);
            if (node.children.size > 0 && this.isOpen(node)) {
                push(node);
            }
        }

        this.rows = rows;
        this.offsets = new Float64Array(rows.length + 1);
        for (let index = 0; index < rows.length; index++) {
            this.offsets[index + 1] = this.offsets[index] + heightOf(rows[index]);
        }

        this.active = before ? rows.indexOf(before) : -1;
        this.space.style.height = this.offsets[rows.length] + "px";
        this.elements.clear();
        this.space.replaceChildren();
        this.render();
    }

    isOpen(node) {
        return this.terms.length > 0 || node.expanded;
    }

    rowAt(top) {
        let low = 0;
        let high = this.rows.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.offsets[middle] <= top) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }

        return low;
    }

    render() {
        const top = this.container.scrollTop;
        const first = this.rowAt(Math.max(0, top - AHEAD));
        const last = this.rows.length === 0 ? -1 : this.rowAt(top + this.container.clientHeight + AHEAD);
        for (const [index, element] of this.elements) {
            if ((index < first || index > last) && index !== this.active) {
                element.remove();
                this.elements.delete(index);
            }
        }

        for (let index = first; index <= last; index++) {
            this.rowElement(index);
        }
    }

    rowElement(index) {
        let element = this.elements.get(index);
        if (!element) {
            element = this.build(this.rows[index], index);
            this.elements.set(index, element);
            this.space.append(element);
        }

        return element;
    }

    build(node, index) {
        const link = node.link;
        const folder = node.children.size > 0;
        const row = el("div", {
            class: "tree-row" + (link ? " leaf" : "") + (index === this.active ? " active" : ""),
            id: "tree-row-" + index,
            role: "treeitem",
            data: { row: index, testid: "tree-row" },
            "aria-level": node.level,
            "aria-setsize": node.siblings,
            "aria-posinset": node.place,
            "aria-expanded": folder ? String(this.isOpen(node)) : null,
            "aria-selected": String(node === this.selected),
        });
        row.style.top = this.offsets[index] + "px";
        row.style.height = heightOf(node) + "px";
        row.style.paddingInlineStart = 8 + Math.min(node.level - 1, 10) * 14 + "px";
        const badges = link ? [
            link.obs ? el("span", { class: "badge obs", title: "Observable" }, "obs") : null,
            this.formatBadge(link.ct ?? []),
        ] : [];
        fill(row,
            el("span", { class: "twist" + (folder ? this.isOpen(node) ? " open" : " closed" : ""), "aria-hidden": "true" }),
            el("span", { class: "tree-words" },
                el("span", { class: "tree-name" }, el("bdi", { class: "device" }, shown(node.name, 120)), badges),
                node.note ? el("span", { class: "tree-note device", title: shown(node.note) }, shown(node.note, 160)) : null));
        if (link) {
            row.title = shown(link.uri);
        }

        return row;
    }

    // The first format has a name in the row; the others stand in its title.
    formatBadge(formats) {
        if (formats.length === 0) {
            return null;
        }

        const names = formats.slice(0, 20).map(number => this.formatName(number));
        return el("span", { class: "badge ct", title: shown(names.join("\n"), 1000).replaceAll("⏎", "\n") },
            shown(shortName(names[0]), 24) + (formats.length > 1 ? " +" + (formats.length - 1) : ""));
    }

    indexOf(event) {
        const row = event.target.closest(".tree-row");
        return row ? Number(row.dataset.row) : -1;
    }

    click(event) {
        const index = this.indexOf(event);
        if (index < 0) {
            return;
        }

        const node = this.rows[index];
        this.activate(index, false);
        if (node.children.size > 0 && (event.target.closest(".twist") || !node.link)) {
            this.toggle(node, !node.expanded);
        }

        this.choose(node);
    }

    open(event) {
        const link = this.rows[this.indexOf(event)]?.link;
        if (link) {
            this.actions.open(link);
        }
    }

    choose(node) {
        if (!node.link) {
            return;
        }

        const before = this.rows.indexOf(this.selected);
        this.selected = node;
        this.elements.get(before)?.setAttribute("aria-selected", "false");
        this.elements.get(this.rows.indexOf(node))?.setAttribute("aria-selected", "true");
        this.actions.select(node.link);
    }

    toggle(node, expanded) {
        if (node.children.size > 0 && this.terms.length === 0 && node.expanded !== expanded) {
            node.expanded = expanded;
            this.flatten();
        }
    }

    activate(index, scroll = true) {
        const next = Math.max(0, Math.min(this.rows.length - 1, index));
        this.elements.get(this.active)?.classList.remove("active");
        this.active = next;
        if (scroll) {
            const view = this.container;
            if (this.offsets[next] < view.scrollTop) {
                view.scrollTop = this.offsets[next];
            } else if (this.offsets[next + 1] > view.scrollTop + view.clientHeight) {
                view.scrollTop = this.offsets[next + 1] - view.clientHeight;
            }
        }

        const element = this.rowElement(next);
        element.classList.add("active");
        this.container.setAttribute("aria-activedescendant", element.id);
    }

    key(event) {
        const node = this.rows[this.active];
        if (!node || event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }

        const page = Math.max(1, Math.floor(this.container.clientHeight / HIGH) - 1);
        const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -this.rows.length, End: this.rows.length };
        if (event.key in moves) {
            this.activate(this.active + moves[event.key]);
        } else if (event.key === "ArrowRight") {
            if (node.children.size > 0 && this.isOpen(node)) {
                this.activate(this.active + 1);
            } else {
                this.toggle(node, true);
            }
        } else if (event.key === "ArrowLeft") {
            if (node.children.size > 0 && this.isOpen(node) && this.terms.length === 0) {
                this.toggle(node, false);
            } else if (node.parent !== this.root) {
                this.activate(this.rows.indexOf(node.parent));
            }
        } else if (event.key === "Enter" || event.key === " ") {
            if (!node.link) {
                this.toggle(node, !node.expanded);
            } else {
                this.choose(node);
                if (event.key === "Enter") {
                    this.actions.open(node.link);
                }
            }
        } else if (event.key === "o" && node.link && this.typed === "") {
            this.choose(node);
            this.actions.observe(node.link);
        } else if (event.key.length === 1) {
            this.typeAhead(event.key);
        } else {
            return;
        }

        event.preventDefault();
    }

    typeAhead(character) {
        clearTimeout(this.typing);
        this.typing = setTimeout(() => this.typed = "", 700);
        this.typed += character.toLowerCase();
        for (let step = this.typed.length > 1 ? 0 : 1; step < this.rows.length; step++) {
            const index = (this.active + step) % this.rows.length;
            if (this.rows[index].name.toLowerCase().startsWith(this.typed)) {
                this.activate(index);
                return;
            }
        }
    }
}

function newNode(name, key, level, parent = null) {
    return {
        name, key, level, parent, children: new Map(), link: null, text: "", note: "", expanded: true, hit: false, place: 1, siblings: 1,
    };
}

function child(node, key, name) {
    let next = node.children.get(key);
    if (!next) {
        next = newNode(name, key, node.level + 1, node);
        node.children.set(key, next);
    }

    return next;
}

function heightOf(node) {
    return node.note ? HIGH : LOW;
}

function shortName(name) {
    return name.replace(/;.*$/, "").replace(/^(application|text|image)\//, "");
}
