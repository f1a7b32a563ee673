// A bug of the hunt opens once its exercise is green: the bug's code is close to the reader's task. Without
// the cockpit, the page can't know which exercises are green and only asks the reader to write them first.
"use strict";

(() => {
    const { make } = window.workbook.elements;
    const bugs = [...document.querySelectorAll(".hunt")].map((place) => {
        const bug = /** @type {HTMLElement} */ (place);
        const note = make("p", "locked");
        note.hidden = true;
        bug.before(note);
        return { bug, note };
    });

    document.addEventListener("workbook-list", (event) => {
        const states = new Map();
        for (const part of /** @type {CustomEvent} */ (event).detail.parts) {
            for (const { number, name, state } of part.exercises) {
                states.set(number, { name, isOpen: state === "green" || state === "given" });
            }
        }
        for (const { bug, note } of bugs) {
            const { name, isOpen } = states.get(bug.dataset.number) ?? { name: "", isOpen: true };
            note.replaceChildren("This bug appears here once your ", make("code", "", `${bug.dataset.number} ${name}`), " is green.");
            note.hidden = isOpen;
            bug.hidden = !isOpen;
        }
    });
})();
