// Puts a page's recordings into folds. The recording of a scene that the reader is asked to predict stays
// closed until the prediction is made or its answer is open.
"use strict";

(() => {
    const { play_recording, elements: { make } } = window.workbook;

    /** Returns true for a run whose lists fit beside its source. Longer lists would push the text far apart, so
     * they wait until the reader opens them.
     * @param {Recording} recording */
    function isShort({ moments }) {
        const lists = ["ready", "timers", "descriptors", "waits"].filter((list) => moments.some((moment) => list in moment));
        return lists.length < 3;
    }

    /** Opens a fold with the run. The player is made when the fold is first opened.
     * @param {HTMLDetailsElement} fold
     * @param {Recording} recording */
    function unlock(fold, recording) {
        const place = make("div", "");
        fold.classList.remove("is-locked");
        /** @type {HTMLElement} */ (fold.firstElementChild).replaceChildren(
            `Step through this run: ${recording.moments.length} steps`);
        fold.append(place);
        /** @type {((step: number) => void) | undefined} */
        let go;
        const play = () => go ??= play_recording(place, recording);
        fold.addEventListener("toggle", () => {
            play();
            // The player's keys work at once and don't turn the book's pages.
            if (document.activeElement === fold.firstElementChild) {
                /** @type {HTMLElement | null} */ (place.querySelector(".player"))?.focus({ preventScroll: true });
            }
        }, { once: true });
        opened.set(recording.scene, (step) => {
            fold.open = true;
            play()(step);
            fold.scrollIntoView();
        });
    }

    /** Opens the page's recordings that aren't locked, at a step.
     * @type {Map<string, (step: number) => void>} */
    const opened = new Map();

    /** Goes to the step that the address names: `#recording-level_or_edge-12`. */
    function followAddress() {
        const [, scene, step] = location.hash.match(/^#recording-(\w+)-(\d+)$/) ?? [];
        opened.get(scene)?.(Number(step));
    }

    /** Keeps a fold closed until the reader has predicted the scene or opened its answer, which `predict.js`
     * sums up in the form's place.
     * @param {HTMLDetailsElement} fold
     * @param {Element} prediction
     * @param {() => void} open */
    function lock(fold, prediction, open) {
        const summary = /** @type {HTMLElement} */ (fold.firstElementChild);
        summary.textContent = "Step through this run, after your prediction";
        summary.setAttribute("aria-disabled", "true");
        fold.classList.add("is-locked");
        const stay = (/** @type {Event} */ event) => event.preventDefault();
        summary.addEventListener("click", stay);
        const watcher = new MutationObserver(() => {
            if (prediction.querySelector(".summary")) {
                watcher.disconnect();
                summary.removeEventListener("click", stay);
                summary.removeAttribute("aria-disabled");
                fold.open = false;
                open();
            }
        });
        watcher.observe(prediction, { childList: true, subtree: true });
    }

    /** Returns the form that asks for a scene, if the page has such a form. This script runs before `predict.js`,
     * which replaces the forms' data by the forms.
     * @param {string} scene */
    function predictionOf(scene) {
        return [...document.querySelectorAll(".predict")].find((place) =>
            JSON.parse(place.querySelector("script")?.textContent ?? "{}").id === scene);
    }

    for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("div.recording"))) {
        const recording = JSON.parse(place.querySelector("script")?.textContent ?? "null");
        const fold = make("details", "", make("summary", ""));
        const prediction = predictionOf(place.dataset.scene ?? "");
        place.append(fold);
        if (prediction) {
            lock(fold, prediction, () => unlock(fold, recording));
        } else {
            unlock(fold, recording);
            fold.open = isShort(recording);
        }
    }
    followAddress();
    addEventListener("hashchange", followAddress);
})();
