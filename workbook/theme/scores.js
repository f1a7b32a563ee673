// The reader's predictions, kept in this browser and nowhere else: the side bar counts them, and the page
// with the sheets exports, imports and clears them.
"use strict";

(() => {
    const { make, button, kept } = window.workbook.elements;
    const text = kept("event-loop-workbook.predictions");

    /** @returns {Record<string, Made>} */
    function all() {
        try {
            return JSON.parse(text.get() || "{}");
        } catch {
            return {};
        }
    }

    /** @param {Record<string, Made>} made */
    function keep(made) {
        text.set(JSON.stringify(made));
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
            for (const link of document.querySelectorAll(`#mdbook-sidebar a[href$="${page}"]:not(.cockpit-progress a)`)) {
                let count = link.querySelector(".predicted");
                if (!count) {
                    count = make("span", "predicted");
                    link.append(" ", count);
                }
                count.textContent = made > 0 ? `${made} of ${of} predicted` : "";
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
        const summary = place.querySelector("p") ?? place.appendChild(make("p", ""));
        // A screen reader also reports the change that an import or a clear has made.
        summary.setAttribute("role", "status");
        summary.textContent = made.length === 0
            ? "You haven't made a prediction in this browser yet."
            : `In this browser you've made ${counted(made.length)}, and ${right} of ${of} ${of === 1 ? "blank was" : "blanks were"} right.`;
        if (!place.querySelector("button")) {
            place.append(
                button("Export", exportAll), " ", button("Import", importAll), " ", button("Clear", clear));
        }
        for (const needed of [...place.querySelectorAll("button")].filter(({ textContent }) => textContent !== "Import")) {
            needed.disabled = made.length === 0;
        }
    }

    /** @param {number} count */
    const counted = (count) => count === 1 ? "1 prediction" : `${count} predictions`;

    /** Adds a sentence to the summary.
     * @param {string} text */
    function say(text) {
        const summary = document.querySelector("#my-predictions p");
        summary?.replaceChildren(`${text} ${summary.textContent}`);
    }

    function exportAll() {
        const link = make("a", "");
        link.href = URL.createObjectURL(new Blob([JSON.stringify(all(), null, 1)], { type: "application/json" }));
        link.download = "predictions.json";
        link.click();
        // Not before the browser has begun to save the file.
        setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    }

    function importAll() {
        const input = make("input", "");
        input.type = "file";
        input.accept = ".json,application/json";
        input.addEventListener("change", async () => {
            const text = await input.files?.[0]?.text();
            const read = parsed(text ?? "");
            if (!read) {
                showSummary();
                say("That file wasn't exported by this page, so nothing has changed.");
                return;
            }
            // A prediction is made only once, so those that were made here stay.
            const here = all();
            const added = Object.keys(read).filter((id) => !(id in here)).length;
            const kept = Object.keys(read).length - added;
            keep({ ...read, ...here });
            say(`Imported ${counted(added)}.${kept > 0 ? ` You'd already made ${kept} of the file's predictions here, and yours weren't changed.` : ""}`);
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
                && one.typed.every((/** @type {any} */ text) => typeof text === "string")
                && Number.isInteger(one.right) && Number.isInteger(one.of) && 0 <= one.right && one.right <= one.of;
            return typeof read === "object" && !Array.isArray(read) && Object.values(read).every(isMade) ? read : null;
        } catch {
            return null;
        }
    }

    function clear() {
        const count = counted(Object.keys(all()).length);
        if (confirm(`Forget ${count} made in this browser? Export first if you want to keep a copy.`)) {
            keep({});
        }
    }

    window.workbook.scores = {
        /** Reports a prediction that the notebook has and this browser doesn't.
         * @param {{right: number, of: number}} made */
        madeElsewhere: ({ right, of }) => make("p", "summary",
            `You've predicted this scene in the terminal or in another browser: ${right} of ${of} right.`),
        /** @param {string} id */
        get: (id) => all()[id],
        /**
         * @param {string} id
         * @param {Made} made
         */
        note: (id, made) => {
            keep({ ...all(), [id]: made });
            // The cockpit passes the prediction on to the notebook.
            document.dispatchEvent(new CustomEvent("workbook-predicted", { detail: { id, made } }));
        },
    };
    show();
})();
