// Plays a scene on the reader's machine, next to where the book shows it: its lines appear as they come.
"use strict";

(() => {
    const { make, button } = window.workbook.elements;
    const { ask } = window.workbook.cockpit;
    const COMMAND = /^cargo run -p (\w+) -- play (\w+)$/;
    if (location.pathname.endsWith("print.html")) {
        return;
    }

    /** Returns the transcript that the book shows after a command: of a prediction, once it's unfolded.
     * @param {Element} after */
    const expectedAfter = (after) => () => {
        const fold = after.closest("details.transcript");
        const next = fold ? fold.querySelector("pre code") : after.parentElement?.nextElementSibling?.matches(".cockpit-play")
            ? after.parentElement.nextElementSibling.nextElementSibling?.querySelector("code") : null;
        return next?.textContent?.trimEnd().split("\n") ?? null;
    };

    /** Makes the buttons for a scene, and the place for what it prints.
     * @param {string} packageName
     * @param {string} scene
     * @param {() => string[] | null} expected */
    function player(packageName, scene, expected) {
        const [said, lines] = [make("p", "said"), make("ol", "played lines")];
        lines.tabIndex = 0;
        lines.setAttribute("aria-label", `what ${scene} prints`);
        lines.hidden = true;
        said.setAttribute("role", "status");
        /** @type {AbortController | null} */
        let running = null;

        /** @param {string} whose */
        async function play(whose) {
            if (running) {
                return;
            }
            running = new AbortController();
            const wanted = expected();
            let at = 0;
            let differs = false;
            lines.replaceChildren();
            lines.hidden = false;
            stop.hidden = false;
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
                    said.textContent = event.words ?? (differs ? "It isn't what the book shows." : "That's all.");
                } else if (event.event === "error") {
                    said.textContent = event.words;
                } else if (event.event === "over" && event.code !== 0 && event.report && at === 0 && /…$/.test(said.textContent ?? "")) {
                    said.textContent = event.report;
                }
            }

            try {
                await ask({ act: "play", package: packageName, name: scene, whose }, hear, running.signal);
            } catch (error) {
                const { name, message } = /** @type {Error} */ (error);
                said.textContent = name === "AbortError" ? "Stopped." : message;
            }
            running = null;
            stop.hidden = true;
        }

        const controls = [
            { name: "Play", label: `play ${scene} on the reference`, whose: "reference" },
            { name: "Play on my page", label: `play ${scene} on my page`, whose: "mine" },
        ].map(({ name, label, whose }) => button(name, () => void play(whose), label));
        const stop = button("Stop", () => running?.abort(), `stop ${scene}`);
        stop.hidden = true;
        return make("div", "cockpit-play", make("p", "controls", controls[0], " ", controls[1], " ", stop), said, lines);
    }

    for (const shown of document.querySelectorAll("main :is(.filename, details.transcript > summary code)")) {
        const [, packageName, scene] = shown.textContent?.trim().match(COMMAND) ?? [];
        if (!packageName) {
            continue;
        }
        const place = player(packageName, scene, expectedAfter(shown));
        // A prediction's own fold has it, so that playing doesn't tell before.
        (shown.closest("summary") ?? shown.parentElement ?? shown).after(place);
    }
})();
