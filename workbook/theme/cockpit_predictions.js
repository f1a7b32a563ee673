// Predictions, between this page and the notebook: predictions made here are noted there, and predictions
// made in the terminal or in another browser are shown here as made. The notebook's score counts.
"use strict";

(() => {
    const { answerTo, hello, say } = window.workbook.cockpit;
    const { scores } = window.workbook;
    /** The chain that sends the notebook one prediction after another. */
    let sent = Promise.resolve();
    /** True while a prediction that's being noted comes from the notebook. */
    let isFromNotebook = false;

    /** Returns the form of a scene on this page, if it has one.
     * @param {string} id */
    const formOf = (id) => /** @type {HTMLElement | undefined} */ (
        [...document.querySelectorAll(".predict")].find((place) => /** @type {HTMLElement} */ (place).dataset.id === id));

    /** Sends a prediction and takes over the notebook's score.
     * @param {string} id
     * @param {Made} made */
    async function send(id, made) {
        const [packageName, name] = id.split("/");
        const answer = await answerTo({ act: "predict", package: packageName, name, typed: made.typed });
        if (answer.event === "predicted") {
            takeOver(id, made, answer);
            document.dispatchEvent(new Event("workbook-noted"));
        } else {
            say(`The prediction is kept in this browser only: ${answer.words}`);
        }
    }

    /** @param {string} id
     * @param {Made} made */
    function queue(id, made) {
        // Questions with a few answers belong to no scene, so the browser keeps their answers.
        if (formOf(id) && made.typed.length > 0) {
            sent = sent.then(() => send(id, made));
        }
    }

    /** @param {string} id
     * @param {Made} made */
    function note(id, made) {
        isFromNotebook = true;
        scores.note(id, made);
        isFromNotebook = false;
    }

    /** @param {string} id
     * @param {Made} made
     * @param {{right: number, of: number}} counted */
    function takeOver(id, made, { right, of }) {
        if (made.right !== right || made.of !== of) {
            note(id, { ...made, right, of });
        }
    }

    /** Shows a prediction that was made elsewhere.
     * @param {HTMLElement} form
     * @param {string} version
     * @param {{right: number, of: number}} kept */
    function showMade(form, version, { right, of }) {
        note(form.dataset.id ?? "", { version, typed: [], right, of });
        form.replaceChildren(scores.madeElsewhere({ right, of }));
    }

    /** Compares this page with the notebook.
     * @param {any} list */
    function compare({ parts }) {
        const all = parts.flatMap((/** @type {any} */ part) =>
            part.predictions.map((/** @type {any} */ it) => [`${part.package}/${it.scene}`, it]));
        for (const [id, kept] of all) {
            const form = formOf(id);
            const { version = "", of = "" } = form?.dataset ?? {};
            const made = scores.get(id);
            if (!form) {
                continue;
            }
            const isKept = kept.is_complete && String(kept.of) === of;
            const isHere = made?.version === version;
            if (made && isHere && isKept) {
                takeOver(id, made, kept);
            } else if (made && isHere) {
                queue(id, made);
            } else if (isKept) {
                showMade(form, version, kept);
            }
        }
    }

    document.addEventListener("workbook-list", (event) => compare(/** @type {CustomEvent} */ (event).detail));
    void hello.then(() => document.addEventListener("workbook-predicted", (event) => {
        const { id, made } = /** @type {CustomEvent} */ (event).detail;
        if (!isFromNotebook) {
            queue(id, made);
        }
    }));
})();
