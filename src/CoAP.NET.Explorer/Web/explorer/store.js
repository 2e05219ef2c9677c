// What this browser keeps: bookmarks and the history of requests. Secrets are never among it.

const BOOKMARKS = "coap.bookmarks";
const HISTORY = "coap.history";
const PAYLOADS = "coap.history.payloads";
const MOST_REQUESTS = 60;
const MOST_BOOKMARKS = 100;
const LONGEST_PAYLOAD = 2048;
const LONGEST_OPTION = 300;

function read(key, otherwise) {
    try {
        const value = JSON.parse(localStorage.getItem(key));
        return value ?? otherwise;
    } catch {
        return otherwise;
    }
}

function write(key, value) {
    try {
        localStorage.setItem(key, JSON.stringify(value));
    } catch {
        // Storage is full or forbidden; the page works without it.
    }
}

function list(key) {
    const value = read(key, []);
    return Array.isArray(value) ? value : [];
}

export const bookmarks = {
    all: () => list(BOOKMARKS).filter(uri => typeof uri === "string"),
    has: uri => bookmarks.all().includes(uri),
    add: uri => write(BOOKMARKS, [uri, ...bookmarks.all().filter(other => other !== uri)].slice(0, MOST_BOOKMARKS)),
    remove: uri => write(BOOKMARKS, bookmarks.all().filter(other => other !== uri)),
};

export const history = {
    all: () => list(HISTORY).filter(entry => entry && typeof entry.uri === "string" && typeof entry.method === "string"),
    clear: () => write(HISTORY, []),
    keepsPayloads: () => read(PAYLOADS, false) === true,

    /** Says whether payloads are kept; those that are there go with a no. */
    keepPayloads(keep) {
        write(PAYLOADS, keep);
        if (!keep) {
            write(HISTORY, history.all().map(({ payload, ...rest }) => rest));
        }
    },

    /** Keeps a request: named members only, so that no credentials can come along. */
    add(request, code) {
        const entry = {
            method: request.method,
            uri: request.uri,
            confirmable: request.confirmable,
            blockSize: request.blockSize,
            timeoutSeconds: request.timeoutSeconds,
            options: request.options.filter(option => option.value.length <= LONGEST_OPTION),
            at: new Date().toISOString(),
            code,
        };
        const payload = request.payload;
        if (history.keepsPayloads() && payload && payload.kind !== "file" && payload.value.length <= LONGEST_PAYLOAD) {
            entry.payload = payload;
        }

        const same = other => other.method === entry.method && other.uri === entry.uri
            && JSON.stringify(other.options) === JSON.stringify(entry.options)
            && JSON.stringify(other.payload) === JSON.stringify(entry.payload);
        write(HISTORY, [entry, ...history.all().filter(other => !same(other))].slice(0, MOST_REQUESTS));
    },
};

/** Chooses a theme: light, dark, or null for that of the system. */
export function chooseTheme(theme) {
    try {
        if (theme) {
            localStorage.setItem("coap.theme", theme);
        } else {
            localStorage.removeItem("coap.theme");
        }
    } catch {
        // The choice then lasts as long as the page.
    }

    if (theme) {
        document.documentElement.dataset.theme = theme;
    } else {
        delete document.documentElement.dataset.theme;
    }
}
