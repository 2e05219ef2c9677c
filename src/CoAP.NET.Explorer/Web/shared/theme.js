// This classic script runs before the page is drawn, so that a chosen theme does not flash.
(function () {
    "use strict";
    var chosen = null;
    try {
        chosen = localStorage.getItem("coap.theme");
    } catch {
        // A browser may forbid storage; the page then follows the system.
    }

    if (chosen === "light" || chosen === "dark") {
        document.documentElement.dataset.theme = chosen;
    }
})();
