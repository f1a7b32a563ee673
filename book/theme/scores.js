// The reader's predictions, kept in this browser and nowhere else: the side bar counts them, and the page
// with the sheets exports, imports and clears them.
"use strict";

window.workbook = window.workbook || {};

(() => {
    const KEY = "event-loop-workbook.predictions";
    /** What's kept where the browser keeps nothing, as some do for files. */
    let memory = "{}";

    /** @returns {Record<string, Made>} */
    function all() {
        try {
            return JSON.parse(localStorage.getItem(KEY) ?? memory);
        } catch {
            return JSON.parse(memory);
        }
    }

    /** @param {Record<string, Made>} made */
    function keep(made) {
        memory = JSON.stringify(made);
        try {
            localStorage.setItem(KEY, memory);
        } catch {
            // Then it lasts as long as the page.
        }
        show();
    }

    /** Returns the predictions of each page, as the builder lists them.
     * @returns {Record<string, string[]>} */
    function pages() {
        const listed = document.getElementById("predictions-of-pages");
        return listed ? JSON.parse(listed.textContent ?? "{}") : {};
    }

    /** Counts a page's predictions: those made, and all. */
    function countsOfPages() {
        const made = all();
        return Object.entries(pages()).map(([page, ids]) =>
            ({ page, made: ids.filter((id) => id in made).length, of: ids.length }));
    }

    function show() {
        for (const { page, made, of } of countsOfPages()) {
            // The side bar links to pages by their names, relative to the root.
            for (const link of document.querySelectorAll(`#mdbook-sidebar a[href$="${page}"]`)) {
                let count = link.querySelector(".predicted");
                if (!count) {
                    count = document.createElement("span");
                    count.className = "predicted";
                    link.append(" ", count);
                }
                count.textContent = made > 0 ? `${made} of ${of}` : "";
                count.setAttribute("aria-label", made > 0 ? `${made} of ${of} predictions made` : "");
            }
        }
        showSummary();
    }

    function showSummary() {
        const place = document.getElementById("my-predictions");
        if (!place) {
            return;
        }
        const made = Object.values(all());
        const right = made.reduce((sum, one) => sum + one.right, 0);
        const of = made.reduce((sum, one) => sum + one.of, 0);
        const summary = place.querySelector("p") ?? place.appendChild(document.createElement("p"));
        summary.textContent = made.length === 0
            ? "You haven't made a prediction in this browser yet."
            : `In this browser you've made ${made.length} predictions, and ${right} of their ${of} blanks were right.`;
        if (!place.querySelector("button")) {
            place.append(
                button("Export", exportAll), " ", button("Import", importAll), " ", button("Clear", clear));
        }
    }

    /**
     * @param {string} name
     * @param {() => void} action
     */
    function button(name, action) {
        const made = document.createElement("button");
        made.type = "button";
        made.textContent = name;
        made.addEventListener("click", action);
        return made;
    }

    function exportAll() {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob([JSON.stringify(all(), null, 1)], { type: "application/json" }));
        link.download = "predictions.json";
        link.click();
    }

    function importAll() {
        const input = document.createElement("input");
        input.type = "file";
        input.accept = ".json,application/json";
        input.addEventListener("change", async () => {
            const text = await input.files?.[0]?.text();
            const read = text && parsed(text);
            if (read) {
                keep({ ...all(), ...read });
            } else {
                alert("That isn't a file of predictions that this page has exported.");
            }
        });
        input.click();
    }

    /** Returns the predictions in a text, or null if it has none.
     * @param {string} text
     * @returns {Record<string, Made> | null} */
    function parsed(text) {
        try {
            const read = JSON.parse(text);
            const isMade = (/** @type {any} */ one) =>
                typeof one.version === "string" && Array.isArray(one.typed)
                && Number.isInteger(one.right) && Number.isInteger(one.of);
            return typeof read === "object" && Object.values(read).every(isMade) ? read : null;
        } catch {
            return null;
        }
    }

    function clear() {
        if (confirm("Forget all predictions that you've made in this browser?")) {
            keep({});
        }
    }

    window.workbook.scores = {
        /** @param {string} id */
        get: (id) => all()[id],
        /**
         * @param {string} id
         * @param {Made} made
         */
        note: (id, made) => keep({ ...all(), [id]: made }),
    };
    show();
})();
