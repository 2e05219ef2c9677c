// Small helpers that build elements. Text of devices only ever becomes text nodes.

const PROPERTIES = new Set(["value", "checked", "disabled", "hidden", "type", "tabIndex", "readOnly", "selected", "htmlFor"]);

/** Returns the element with an id. */
export const byId = id => document.getElementById(id);

/**
 * Builds an element. `class`, `on` (listeners) and `data` (data attributes) are special; children are elements or text.
 */
export function el(name, props, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(props ?? {})) {
        if (value === undefined || value === null || value === false) {
            continue;
        }

        if (key === "class") {
            element.className = value;
        } else if (key === "on") {
            for (const [event, listener] of Object.entries(value)) {
                element.addEventListener(event, listener);
            }
        } else if (key === "data") {
            Object.assign(element.dataset, value);
        } else if (PROPERTIES.has(key)) {
            element[key] = value;
        } else {
            element.setAttribute(key, value === true ? "" : String(value));
        }
    }

    add(element, children);
    return element;
}

/** Appends children; nothing is appended for null, undefined and false. */
export function add(element, children) {
    for (const child of children.flat()) {
        if (child !== null && child !== undefined && child !== false) {
            element.append(child instanceof Node ? child : document.createTextNode(String(child)));
        }
    }

    return element;
}

/** Replaces what stands in an element. */
export function fill(element, ...children) {
    element.replaceChildren();
    return add(element, children);
}

/** Builds one of the icons that index.html defines as symbols. */
export function icon(name) {
    const space = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("class", "icon");
    svg.setAttribute("aria-hidden", "true");
    const use = document.createElementNS(space, "use");
    use.setAttribute("href", "#icon-" + name);
    svg.append(use);
    return svg;
}

const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Returns text for one line: characters that nobody sees, and those that turn the direction, become escapes. */
export function shown(text, longest = 500) {
    const all = String(text ?? "");
    const cut = all.length > longest ? all.slice(0, longest) + "…" : all;
    return cut.replace(HIDDEN, character => {
        switch (character) {
            case "\n": return "⏎";
            case "\t": return "⇥";
            default: return "\\u" + character.charCodeAt(0).toString(16).padStart(4, "0");
        }
    });
}

/** Returns a function that runs after nobody has called it for a while. */
export function debounce(milliseconds, action) {
    let timer = 0;
    return (...args) => {
        clearTimeout(timer);
        timer = setTimeout(() => action(...args), milliseconds);
    };
}

/** Returns a function that runs at most once a frame. */
export function oncePerFrame(action) {
    let asked = false;
    return () => {
        if (!asked) {
            asked = true;
            requestAnimationFrame(now => {
                asked = false;
                action(now);
            });
        }
    };
}

/** Tells screen readers what happened. */
export function announce(text) {
    const region = byId("announcer");
    if (region) {
        region.textContent = text;
    }
}
