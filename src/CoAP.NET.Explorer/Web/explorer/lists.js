// The dialogs of bookmarks and of the history.

import { byId } from "./dom.js";
import { fillEntries } from "./devices.js";
import { bookmarks, history } from "./store.js";

/** Shows whether the address in the header is a bookmark. */
export function showBookmark() {
    byId("bookmark").setAttribute("aria-pressed", String(bookmarks.has(byId("target").value.trim())));
}

/** Prepares the bookmarks; `connect` opens an address. */
export function prepareBookmarks(connect) {
    const dialog = byId("bookmarks-dialog");
    byId("target").addEventListener("input", showBookmark);
    byId("bookmark").addEventListener("click", () => {
        const uri = byId("target").value.trim();
        if (uri !== "") {
            bookmarks[bookmarks.has(uri) ? "remove" : "add"](uri);
            showBookmark();
        }
    });
    const show = () => fillEntries(byId("bookmark-list"), bookmarks.all().map(uri => ({
        text: uri,
        testid: "bookmark-entry",
        open: () => {
            dialog.close();
            connect(uri);
        },
        remove: () => {
            bookmarks.remove(uri);
            show();
            showBookmark();
            dialog.querySelector(".close").focus();
        },
    })), "No bookmarks yet. The star beside the address adds one.");
    byId("open-bookmarks").addEventListener("click", () => {
        show();
        dialog.showModal();
    });
}

/** Prepares the history; `load` takes an entry to the editor. */
export function prepareHistory(load) {
    const dialog = byId("history-dialog");
    const show = () => fillEntries(byId("history-list"), history.all().map(entry => ({
        text: entry.uri,
        testid: "history-entry",
        badge: entry.method,
        note: [entry.code, new Date(entry.at).toLocaleString()].filter(Boolean).join(" · "),
        open: () => {
            dialog.close();
            load(entry);
        },
    })), "No requests yet.");
    byId("open-history").addEventListener("click", () => {
        byId("history-payloads").checked = history.keepsPayloads();
        show();
        dialog.showModal();
    });
    byId("history-payloads").addEventListener("change", event => history.keepPayloads(event.target.checked));
    byId("history-clear").addEventListener("click", () => {
        history.clear();
        show();
    });
}
