// Plays a scene on the reader's machine, next to its place in the book: its lines appear one by one.
// The reader can step through such a run, and a run on their own page is compared with the reference's.
"use strict";

(() => {
    const { make, button, status } = window.workbook.elements;
    const { ask } = window.workbook.cockpit;
    const COMMAND = /^cargo run -p (\w+) -- play (\w+)$/;

    /** Returns the transcript that the book shows after a command; that of a prediction only once it's unfolded.
     * @param {Element} after */
    const expectedAfter = (after) => () => {
        const fold = after.closest("details.transcript");
        const next = fold ? fold.querySelector("pre code") : after.parentElement?.nextElementSibling?.matches(".cockpit-play")
            ? after.parentElement.nextElementSibling.nextElementSibling?.querySelector("code") : null;
        return next?.textContent?.trimEnd().split("\n") ?? null;
    };

    /** Makes the buttons for a scene and the place for its output.
     * @param {string} packageName
     * @param {string} scene
     * @param {() => string[] | null} expected */
    function player(packageName, scene, expected) {
        const [said, lines, steps] = [status("said"), make("ol", "played lines"), make("div", "stepped")];
        lines.tabIndex = 0;
        lines.setAttribute("aria-label", `what ${scene} prints`);
        lines.hidden = true;
        /** @type {AbortController | null} */
        let running = null;
        let whose = "";

        /** Makes the server run one command at a time, until it ends or is stopped.
         * @param {object} what
         * @param {(event: any) => void} hear */
        async function have(what, hear) {
            running = new AbortController();
            [stop.hidden, through.hidden] = [false, true];
            try {
                await ask({ package: packageName, name: scene, whose, ...what }, (event) => {
                    if (["error", "not_judged"].includes(event.event)) {
                        said.textContent = event.words;
                    } else if (event.event !== "over") {
                        hear(event);
                    } else if (event.code !== 0 && event.report && /…/.test(said.textContent ?? "")) {
                        said.textContent = event.report;
                    }
                }, running.signal);
            } catch (error) {
                const { name, message } = /** @type {Error} */ (error);
                said.textContent = name === "AbortError" ? "Stopped." : message;
            }
            running = null;
            stop.hidden = true;
        }

        /** @param {string} of */
        async function play(of) {
            if (running) {
                return;
            }
            whose = of;
            const wanted = expected();
            let at = 0;
            let differs = false;
            lines.replaceChildren();
            steps.replaceChildren();
            lines.hidden = false;
            said.textContent = "starting…";

            /** @param {any} event */
            function hear(event) {
                if (event.event === "play") {
                    said.textContent = event.runs;
                } else if (event.event === "compiling") {
                    said.textContent = "compiling…";
                } else if (event.event === "problem") {
                    lines.append(make("li", "is-wrong", event.rendered));
                } else if (event.event === "line") {
                    const line = make("li", "", make("span", "line", event.text));
                    if (wanted && !differs && wanted[at] !== event.text) {
                        differs = true;
                        line.className = "is-wrong";
                        line.append(make("span", "yours", `the first difference; the book has: ${wanted[at] ?? "no more lines"}`));
                    }
                    at += 1;
                    lines.append(line);
                } else if (event.event === "printed") {
                    event.lines.forEach((/** @type {string} */ text) => lines.append(make("li", "printed", text)));
                } else if (event.event === "end") {
                    said.textContent = event.words ?? (differs ? "The output isn't what the book shows." : "That's all.");
                }
            }

            await have({ act: "play" }, hear);
            through.hidden = at === 0;
        }

        /** Plays the run again as a recording. */
        async function stepThrough() {
            if (running) {
                return;
            }
            /** @type {Record<string, any>} */
            const runs = {};
            said.textContent = "recording the run… The first time, the recorder has to be compiled.";
            await have({ act: "record" }, (event) => {
                if (event.event === "recording") {
                    runs[event.whose] = event;
                }
            });
            const run = runs.yours ?? (whose === "reference" ? runs.reference : null);
            if (run) {
                const other = runs.yours && run.repeats ? runs.reference.recording : undefined;
                window.workbook.play_recording(steps, run.recording, other);
                const parting = steps.querySelector(".parting") ? "This run differs from the reference's: a mark above the slider shows where."
                    : other ? "Step by step, this run is the same as the reference's."
                        : "This scene's steps differ from run to run, so they aren't compared with the reference's.";
                said.textContent = runs.yours ? `${run.runs}. ${parting}` : run.runs;
            } else {
                through.hidden = false;
            }
        }

        const controls = [
            { name: "Play", label: `play ${scene} on the reference`, whose: "reference" },
            { name: "Play on my page", label: `play ${scene} on my page`, whose: "mine" },
        ].map(({ name, label, whose }) => button(name, () => void play(whose), label));
        const stop = button("Stop", () => running?.abort(), `stop ${scene}`);
        stop.hidden = true;
        const through = button("Step through this run", () => void stepThrough());
        through.setAttribute("aria-label", `step through this run of ${scene}`);
        through.hidden = true;
        return make("div", "cockpit-play",
            make("p", "controls", controls[0], " ", controls[1], " ", stop, " ", through), said, lines, steps);
    }

    for (const shown of document.querySelectorAll("main :is(.filename, details.transcript > summary code)")) {
        const [, packageName, scene] = shown.textContent?.trim().match(COMMAND) ?? [];
        if (!packageName) {
            continue;
        }
        const place = player(packageName, scene, expectedAfter(shown));
        // A prediction's own fold has the place, so that playing doesn't reveal the answer.
        (shown.closest("summary") ?? shown.parentElement ?? shown).after(place);
    }
})();
