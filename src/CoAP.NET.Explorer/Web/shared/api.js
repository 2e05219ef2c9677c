// The way to the server of the page: its token, single answers, and streams of lines.

const TOKEN = "coap.token";
const token = readToken();

/** What the server, or the way to it, reports as an error. */
export class ApiError extends Error {
    constructor(problem, status) {
        super(problem.detail ?? problem.title ?? "The server reports an error.");
        this.title = problem.title ?? "The request failed";
        this.detail = problem.detail ?? "";
        this.hint = problem.hint ?? "";
        this.status = status;
    }
}

// The token stands in the address once; the address bar and the history must not keep it.
function readToken() {
    const found = new URLSearchParams(location.hash.slice(1)).get("token");
    try {
        if (found) {
            sessionStorage.setItem(TOKEN, found);
            history.replaceState(null, "", location.pathname + location.search);
        }

        return found ?? sessionStorage.getItem(TOKEN) ?? "1";
    } catch {
        return found ?? "1";
    }
}

async function send(name, body, { signal, file } = {}) {
    const headers = { "X-CoAP-Explorer": token };
    let content;
    if (file) {
        content = new FormData();
        content.append("request", JSON.stringify(body));
        content.append("file", file, "file");
    } else {
        headers["Content-Type"] = "application/json";
        content = JSON.stringify(body);
    }

    let response;
    try {
        response = await fetch("api/" + name, { method: "POST", headers, body: content, signal, cache: "no-store" });
    } catch (error) {
        if (error.name === "AbortError") {
            throw error;
        }

        throw new ApiError({
            title: "The page cannot reach its server",
            detail: "The process that serves this page does not answer.",
            hint: "Check that it still runs, and load the page again.",
        }, 0);
    }

    if (!response.ok) {
        throw new ApiError(await problemOf(response), response.status);
    }

    return response;
}

async function problemOf(response) {
    try {
        const problem = await response.json();
        if (problem && typeof problem === "object") {
            return problem;
        }
    } catch {
        // The body says nothing; the status has to do.
    }

    return {
        title: "The server of the page answers " + response.status,
        detail: response.statusText,
        hint: response.status === 401 || response.status === 403
            ? "Open the page with the address that the server printed; it carries the token." : "",
    };
}

/** Asks for one answer. */
export async function ask(name, body, signal) {
    return (await send(name, body, { signal })).json();
}

/** Asks for lines of JSON and calls `onEvent` for each as it comes; the promise ends with the stream. */
export async function follow(name, body, onEvent, options = {}) {
    const response = await send(name, body, options);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let parts = [];
    let since = performance.now();
    const take = line => {
        if (line.trim() !== "") {
            onEvent(JSON.parse(line));
        }
    };

    for (;;) {
        let step;
        try {
            step = await reader.read();
        } catch (error) {
            if (error.name === "AbortError" || options.signal?.aborted) {
                throw new DOMException("The page stopped it.", "AbortError");
            }

            throw new ApiError({ title: "The stream broke off", detail: "The server of the page closed the connection." }, 0);
        }

        if (step.done) {
            take(parts.join(""));
            return;
        }

        // A long line comes in many chunks; they are joined once, when its end is there.
        const lines = step.value.split("\n");
        for (let index = 0; index < lines.length - 1; index++) {
            parts.push(lines[index]);
            const line = parts.join("");
            parts = [];
            take(line);
            if (performance.now() - since > 8) {
                await breathe();
                since = performance.now();
                options.signal?.throwIfAborted();
            }
        }

        parts.push(lines[lines.length - 1]);
    }
}

// Other tasks, such as drawing, get their turn; unlike a timer this also works quickly in hidden pages.
function breathe() {
    return new Promise(resolve => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => {
            channel.port1.close();
            resolve();
        };
        channel.port2.postMessage(0);
    });
}
