// Editors of options, typed by what the server knows of each option.

import { byId, el, fill, icon } from "./dom.js";
import { fromHex } from "./bytes.js";

const FROM_URI = new Set([3, 7, 11, 15]);
const LARGEST_NUMBER = 65535;
const PATIENCE = 200;

/** The rows of options in the editor of requests. */
export class OptionRows {
    constructor(list, definitions, onChange) {
        this.list = list;
        this.onChange = onChange;
        this.byNumber = new Map(definitions.map(definition => [definition.number, definition]));
        this.byName = new Map(definitions.map(definition => [definition.name.toLowerCase(), definition]));
        this.rows = [];
        fill(byId("option-list"), definitions.filter(definition => definition.request)
            .map(definition => el("option", { value: definition.name }, `${definition.number} · ${kindText(definition)}`)));
    }

    /** Finds an option by its name or its number. */
    find(text) {
        const trimmed = text.trim();
        if (/^\d{1,5}$/.test(trimmed) && Number(trimmed) <= LARGEST_NUMBER) {
            const number = Number(trimmed);
            return this.byNumber.get(number)
                ?? { number, name: "Option " + number, format: "opaque", min: 0, max: 65535, repeatable: true };
        }

        return this.byName.get(trimmed.toLowerCase()) ?? null;
    }

    add(name = "", value = "", focus = true) {
        const id = "option-" + OptionRows.next++;
        const row = { definition: null };
        row.name = el("input", {
            id: id + "-name", list: "option-list", value: name, placeholder: "Name or number", spellcheck: "false", autocomplete: "off",
            "aria-label": "Option", data: { testid: "option-name" }, "aria-describedby": id + "-problem",
        });
        row.value = el("input", {
            id: id + "-value", spellcheck: "false", autocomplete: "off", "aria-label": "Value of the option",
            data: { testid: "option-value" }, "aria-describedby": id + "-problem " + id + "-note",
        });
        row.note = el("p", { id: id + "-note", class: "note muted" });
        row.problem = el("p", { id: id + "-problem", class: "problem", data: { testid: "option-problem" }, hidden: true });
        const remove = el("button", {
            type: "button", class: "quiet square", "aria-label": "Remove this option", title: "Remove this option",
            data: { testid: "option-remove" }, on: { click: () => this.remove(row) },
        }, icon("close"));
        row.element = el("li", { class: "option-row", data: { testid: "option-row" } }, row.name, row.value, remove, row.note, row.problem);
        row.name.addEventListener("input", () => this.retype(row));
        row.value.addEventListener("input", () => this.changed());
        // A message that moves the page must not come between the two halves of a click.
        row.name.addEventListener("change", () => setTimeout(() => this.changed(true), PATIENCE));
        row.value.addEventListener("change", () => setTimeout(() => this.changed(true), PATIENCE));
        this.rows.push(row);
        this.list.append(row.element);
        this.retype(row, value);
        if (focus) {
            row.name.focus();
        }
    }

    remove(row) {
        const at = this.rows.indexOf(row);
        this.rows.splice(at, 1);
        row.element.remove();
        (this.rows[Math.min(at, this.rows.length - 1)]?.name ?? byId("option-add")).focus();
        this.changed();
    }

    clear() {
        this.rows = [];
        this.list.replaceChildren();
    }

    // The field takes the type of its option.
    retype(row, value = row.value.value) {
        const definition = this.find(row.name.value);
        const format = definition?.format;
        row.definition = definition;
        const number = format === "uint" || format === "block";
        row.value.type = number ? "number" : "text";
        row.value.disabled = format === "empty";
        row.value.placeholder = { uint: "0", block: "0", string: "text", opaque: "0x…", empty: "no value" }[format] ?? "value";
        row.value.classList.toggle("mono", format === "opaque");
        if (number) {
            row.value.min = "0";
            row.value.max = definition.max <= 6 ? String(2 ** (8 * definition.max) - 1) : "";
            row.value.step = "1";
        } else {
            row.value.removeAttribute("min");
            row.value.removeAttribute("max");
            row.value.removeAttribute("step");
        }

        row.value.value = format === "empty" ? "" : value;
        const notes = definition ? [`${definition.number} · ${kindText(definition)}`] : [];
        if (definition && FROM_URI.has(definition.number)) {
            notes.push("the URI sets this too");
        }

        row.note.textContent = notes.join(" · ");
        this.changed();
    }

    changed(show = false) {
        this.validate(show);
        this.onChange();
    }

    /** Checks every row; returns whether all are right. */
    validate(show = true) {
        const seen = new Set();
        let right = true;
        for (const row of this.rows) {
            const problem = this.problemOf(row, seen);
            right &&= problem === null;
            const visible = problem !== null && (show || row.value.getAttribute("aria-invalid") === "true");
            row.problem.hidden = !visible;
            row.note.hidden = visible;
            row.problem.textContent = visible ? problem : "";
            row.value.setAttribute("aria-invalid", String(visible));
        }

        return right;
    }

    problemOf(row, seen) {
        const definition = row.definition;
        if (!definition) {
            return row.name.value.trim() === "" ? "Choose an option, or remove the row."
                : `No option has this name. A number from 0 to ${LARGEST_NUMBER} works too.`;
        }

        if (!definition.repeatable && seen.has(definition.number)) {
            return `${definition.name} may stand in a request once only.`;
        }

        seen.add(definition.number);
        return valueProblem(definition, row.value);
    }

    /** Returns the options as the server takes them. */
    values() {
        return this.rows.filter(row => row.definition).map(row => ({ number: row.definition.number, value: row.value.value.trim() }));
    }

    /** Names an option by its number. */
    nameOf(number) {
        return this.byNumber.get(number)?.name ?? String(number);
    }
}

OptionRows.next = 1;

function kindText(definition) {
    const { min, max } = definition;
    const range = (min === max ? `${max}` : `${min}–${max}`) + (max === 1 ? " byte" : " bytes");
    switch (definition.format) {
        case "empty": return "no value";
        case "uint": return `number, ${range}`;
        case "string": return `text, ${range}`;
        case "opaque": return `hex, ${range}`;
        default: return `${definition.format}, ${range}`;
    }
}

/** Says what is wrong with a value, or null. */
export function valueProblem(definition, field) {
    const text = field.value.trim();
    const { min = 0, max = 65535, name } = definition;
    switch (definition.format) {
        case "empty":
            return null;
        case "uint":
        case "block": {
            if (field.validity?.badInput || !/^\d+$/.test(text)) {
                return `${name} is a whole number from 0 on.`;
            }

            const value = BigInt(text);
            const length = value === 0n ? 0 : Math.ceil(value.toString(16).length / 2);
            return length > max ? `${name} is at most ${2n ** BigInt(8 * max) - 1n}.`
                : length < min ? `${name} takes at least ${min} bytes.` : null;
        }

        case "string":
            return lengthProblem(name, new TextEncoder().encode(field.value.trim()).length, min, max);
        default: {
            const bytes = fromHex(text);
            return bytes === null ? `${name} takes pairs of hexadecimal digits, for instance 0x0a1b.`
                : lengthProblem(name, bytes.length, min, max);
        }
    }
}

function lengthProblem(name, length, min, max) {
    if (length >= min && length <= max) {
        return null;
    }

    return min === max ? `${name} takes ${min} bytes; these are ${length}.` : `${name} takes ${min} to ${max} bytes; these are ${length}.`;
}
