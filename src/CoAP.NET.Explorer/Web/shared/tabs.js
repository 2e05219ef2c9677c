// Tabs by keyboard and pointer: arrows move, and the chosen panel is shown.

/** Makes tabs of a list of buttons with aria-controls. */
export function makeTabs(list, onChange) {
    const all = () => [...list.querySelectorAll('[role="tab"]')].filter(tab => !tab.hidden);

    function choose(tab, focus) {
        for (const other of list.querySelectorAll('[role="tab"]')) {
            const chosen = other === tab;
            other.setAttribute("aria-selected", String(chosen));
            other.tabIndex = chosen ? 0 : -1;
            const panel = document.getElementById(other.getAttribute("aria-controls"));
            if (panel) {
                panel.hidden = !chosen;
            }
        }

        if (focus) {
            tab.focus();
        }

        onChange?.(tab.id);
    }

    list.addEventListener("click", event => {
        const tab = event.target.closest('[role="tab"]');
        if (tab) {
            choose(tab, false);
        }
    });

    list.addEventListener("keydown", event => {
        const tabs = all();
        const at = tabs.indexOf(document.activeElement);
        const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
        if (at >= 0 && next !== undefined) {
            event.preventDefault();
            choose(tabs[(next + tabs.length) % tabs.length], true);
        }
    });

    return {
        choose: id => {
            const tab = document.getElementById(id);
            if (tab && tab.getAttribute("aria-selected") !== "true") {
                choose(tab, false);
            }
        },
        chosen: () => list.querySelector('[aria-selected="true"]')?.id,
    };
}
