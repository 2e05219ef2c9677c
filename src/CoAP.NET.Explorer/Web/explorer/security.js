// How requests are protected. Credentials stay in the memory of this page; nothing here is stored.

import { byId, el, fill, shown } from "./dom.js";

const NAMES = { psk: "PSK", certificate: "certificate", oscore: "OSCORE" };

export class Security {
    constructor(about, onChange) {
        this.about = about;
        this.onChange = onChange;
        this.value = null;
        this.chosen = false;
        this.uri = "";
        this.form = byId("security-form");
        this.build();
        byId("open-security").addEventListener("click", () => byId("security-dialog").showModal());
        this.form.addEventListener("submit", event => {
            event.preventDefault();
            this.apply();
        });
        this.form.addEventListener("change", () => this.showParts());
    }

    /** Returns what goes along with a request, or null. Until somebody chooses, a profile for that host is used. */
    current(uri) {
        if (this.chosen) {
            return this.value === null ? null : structuredClone(this.value);
        }

        const host = hostOf(uri);
        const profile = this.about.profiles.find(one => one.host && hostOf("x://" + one.host) === host);
        return profile ? { profile: profile.name } : null;
    }

    /** Shows in the header how requests to a device are protected. */
    show(uri) {
        this.uri = uri;
        const value = this.current(uri);
        byId("security-label").textContent = labelOf(value);
        byId("open-security").classList.toggle("on", value !== null);
    }

    build() {
        const { profiles, allowsSecrets } = this.about;
        const choices = [
            choice("none", "No security, or the keys that the server of this page has for the device"),
            profiles.length > 0 ? choice("profile", "A profile of this server") : null,
            allowsSecrets ? choice("psk", "A pre-shared key (DTLS, for coaps)") : null,
            allowsSecrets ? choice("certificate", "A certificate (DTLS for coaps, TLS for coaps+tcp and coaps+ws)") : null,
        ];
        this.parts = {
            profile: el("div", { class: "part" }, field("security-profile", "Profile", el("select", { id: "security-profile" },
                profiles.map(profile => el("option", { value: profile.name },
                    shown(profile.name, 80) + noteOf(profile)))))),
            psk: el("div", { class: "part" },
                input("psk-identity", "Identity"),
                input("psk-key", "Key (text, or 0x and hex)", "password")),
            certificate: el("div", { class: "part" },
                pem("certificate-ca", "Trusted authorities (PEM)"),
                pem("certificate-own", "Own certificate (PEM)"),
                pem("certificate-key", "Own key (PEM)"),
                check("security-insecure", "Do not check the server's certificate (insecure)")),
        };
        this.problem = el("p", { id: "security-problem", class: "problem", role: "alert", hidden: true });
        fill(this.form,
            el("fieldset", {}, el("legend", {}, "Transport"), choices, Object.values(this.parts)),
            allowsSecrets ? null : el("p", { class: "muted" }, "This server does not take credentials from the page."),
            this.problem,
            el("div", { class: "row end" },
                el("button", { type: "button", data: { testid: "security-forget" }, on: { click: () => this.forget() } }, "Forget all"),
                el("button", { type: "submit", class: "primary", data: { testid: "security-apply" } }, "Use")));
        this.showParts();
    }

    kind() {
        return this.form.querySelector('input[name="security-kind"]:checked')?.value ?? "none";
    }

    showParts() {
        for (const [name, part] of Object.entries(this.parts)) {
            part.hidden = name !== this.kind();
        }
    }

    forget() {
        this.form.reset();
        for (const entry of this.form.querySelectorAll("input:not([type=radio]):not([type=checkbox]), textarea")) {
            entry.value = "";
        }

        this.showParts();
        this.apply();
    }

    read() {
        const kind = this.kind();
        const value = {};
        const text = id => byId(id).value.trim();
        if (kind === "profile") {
            value.profile = byId("security-profile").value;
        } else if (kind === "psk") {
            if (byId("psk-key").value === "") {
                throw new InputProblem("A pre-shared key is missing.", "psk-key");
            }

            Object.assign(value, { identity: byId("psk-identity").value, key: byId("psk-key").value });
        } else if (kind === "certificate") {
            for (const [name, id] of [["ca", "certificate-ca"], ["certificate", "certificate-own"], ["key", "certificate-key"]]) {
                if (text(id) !== "") {
                    value[name] = text(id);
                }
            }

            value.insecure = byId("security-insecure").checked;
        }

        return Object.keys(value).length === 0 ? null : value;
    }

    apply() {
        try {
            this.value = this.read();
        } catch (error) {
            if (!(error instanceof InputProblem)) {
                throw error;
            }

            this.problem.hidden = false;
            this.problem.textContent = error.message;
            byId(error.id).focus();
            return;
        }

        this.problem.hidden = true;
        this.chosen = true;
        this.show(this.uri);
        byId("security-dialog").close();
        this.onChange();
    }
}

function labelOf(value) {
    if (value === null) {
        return "No security";
    }

    return value.profile !== undefined ? shown(value.profile, 24)
        : value.identity !== undefined ? "PSK"
        : value.insecure ? "Certificate, unchecked" : "Certificate";
}

function noteOf(profile) {
    const notes = [NAMES[profile.kind], profile.host ? "for " + shown(profile.host, 80) : null].filter(Boolean);
    return notes.length > 0 ? ` (${notes.join(", ")})` : "";
}

// A host without its brackets and its port.
function hostOf(uri) {
    const authority = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/?#]*@)?([^/?#]*)/i.exec(uri)?.[1] ?? "";
    const bare = /^[^[\]]*:[^[\]]*:/.test(authority) ? authority : authority.replace(/:\d*$/, "");
    return bare.replace(/[[\]]/g, "").toLowerCase();
}

class InputProblem extends Error {
    constructor(message, id) {
        super(message);
        this.id = id;
    }
}

function choice(value, text) {
    return el("label", { class: "check" }, el("input", {
        type: "radio", name: "security-kind", value, checked: value === "none", data: { testid: "security-" + value },
    }), " " + text);
}

function field(id, label, control) {
    control.dataset.testid = id;
    return el("div", { class: "field" }, el("label", { for: id }, label), control);
}

function check(id, text) {
    return el("label", { class: "check" }, el("input", { id, type: "checkbox", data: { testid: id } }), " " + text);
}

function input(id, label, type = "text") {
    return field(id, label, el("input", { id, type, autocomplete: "off", spellcheck: "false", class: "mono" }));
}

// PEM can be pasted, or read from a file that never leaves the page otherwise.
function pem(id, label) {
    const area = el("textarea", { id, rows: "3", spellcheck: "false", autocomplete: "off", class: "mono", placeholder: "-----BEGIN …" });
    const file = el("input", { type: "file", "aria-label": label + " from a file", data: { testid: id + "-file" } });
    file.addEventListener("change", async () => {
        if (file.files[0]) {
            area.value = await file.files[0].text();
            file.value = "";
        }
    });
    const whole = field(id, label, area);
    whole.append(file);
    return whole;
}
