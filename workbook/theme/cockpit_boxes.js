// The exercises of a page: the place of the reader's function, the verdict on the last save, hints, and
// the change of the page's box when it turns green.
"use strict";

(() => {
    const { make, button, link, status, withCode } = window.workbook.elements;
    const { answerTo, listen, confirm, say } = window.workbook.cockpit;
    const { show, place, code } = window.workbook.verdict;
    /** @type {HTMLElement[]} */
    const boxes = [...document.querySelectorAll(".exercise[data-package]")]
        .filter((box) => box instanceof HTMLElement);
    const packageName = boxes[0]?.dataset.package;
    if (!packageName) {
        return;
    }

    /** The contents of an exercise's box.
     * @typedef {{box: HTMLElement, panel: HTMLDetailsElement, title: HTMLElement, where: HTMLElement,
     *     controls: HTMLElement, hints: HTMLElement, verdict: HTMLElement, said: HTMLElement, state: string}} Box */

    /** @type {Map<string, Box>} */
    const byNumber = new Map();

    for (const box of boxes) {
        const title = make("summary", "", make("strong", "", box.dataset.number ?? ""), " …");
        const where = make("p", "where");
        const [controls, hints] = [make("p", "controls"), make("ol", "hints")];
        const [verdict, said] = [make("div", "verdict"), status("said")];
        verdict.setAttribute("role", "status");
        const panel = make("details", "cockpit", title, where, controls, said, hints, verdict);
        box.append(panel);
        byNumber.set(box.dataset.number ?? "",
            { box, panel, title, where, controls, hints, verdict, said, state: "" });
    }

    /** Runs a command for an exercise and returns the answer.
     * @param {Box} shown
     * @param {object} asked */
    async function run(shown, asked) {
        shown.said.textContent = "…";
        const answer = await answerTo(asked);
        shown.said.textContent = ["error", "not_judged"].includes(answer.event) ? answer.words : "";
        return answer;
    }

    /** Runs a command that can't be undone: asks first, in the runner's words.
     * @param {Box} shown
     * @param {string} act
     * @param {string} number
     * @param {string} yes */
    async function ifSure(shown, act, number, yes) {
        const asked = { act, package: packageName, name: number };
        const question = await run(shown, { ...asked, sure: false });
        if (question?.event === "asks" && await confirm(question.question, question.overwrites, yes)) {
            return run(shown, { ...asked, sure: true });
        }
        return question?.event === "asks" ? null : question;
    }

    /** @param {Box} shown
     * @param {any} hints */
    function showHints(shown, { shown: read }) {
        shown.hints.replaceChildren(...read.map((/** @type {any} */ { kind, text }) =>
            make("li", "", ...kind === "code" ? [code(text, "rust")] : withCode(text))));
    }

    /** @param {Box} shown
     * @param {any} exercise */
    function showControls(shown, { number, hints, state }) {
        const left = hints.of - hints.shown.length;
        const controls = [];
        if (left > 0 && state !== "green") {
            controls.push(button(`Hint ${hints.shown.length + 1} of ${hints.of}`, async () => {
                const answer = await run(shown, { act: "hint", package: packageName, name: number });
                if (answer?.event === "hint") {
                    showHints(shown, answer.hints);
                    showControls(shown, { number, hints: answer.hints, state });
                    shown.hints.lastElementChild?.scrollIntoView({ block: "nearest" });
                    shown.controls.querySelector("button")?.focus();
                }
            }));
        }
        // Our body is in the box's fold once the box is green, except for a loop from scratch.
        const isFolded = shown.box.querySelector("details.yours-first") !== null;
        if (state !== "given" && (state !== "green" || !isFolded)) {
            controls.push(button("Reveal", async () => {
                const answer = await ifSure(shown, "reveal", number, "Show it");
                if (answer?.event === "reveal") {
                    shown.verdict.replaceChildren(make("p", "", "Ours:"), code(answer.function, "rust"));
                }
            }));
        }
        controls.push(button("Reset", async () => {
            const answer = await ifSure(shown, "reset", number, "Reset it");
            if (answer?.event === "reset") {
                const saved = answer.saved.join(", ");
                shown.said.dataset.while = "not written";
                shown.said.textContent = `${number} is as it was at the start.${saved ? ` A copy of the old code: ${saved}` : ""}`;
            }
        }));
        shown.controls.replaceChildren(...controls.flatMap((control) => [control, " "]));
    }

    /** Shows an exercise's state.
     * @param {any} exercise */
    function showExercise(exercise) {
        const shown = byNumber.get(exercise.number);
        if (!shown) {
            return;
        }
        const { number, name, minutes, file, line, yours, not_checked: notChecked } = exercise;
        // If a page doesn't compile, one exercise is the cause, and the others aren't judged.
        const state = exercise.state !== "does not compile" || number === current ? exercise.state
            : exercise.was_green ? "was green" : "waits";
        shown.title.replaceChildren(make("strong", "", `${number} ${name}`),
            state === "waits" && current ? ` ${exercise.was_green ? "was green, " : ""}waits for ${current}` : ` ${state}`,
            state === "green" || state === "given" ? "" : `, about ${minutes} min`);
        shown.box.dataset.state = state;
        shown.where.replaceChildren(...file ? ["Write it in ", place(file, line, { package: packageName ?? "", number })] : []);
        if (state === "waits" && current) {
            shown.where.append(" It's judged once ", linkTo(current), " is green.");
        }
        // A message about one state isn't true in another state.
        if (shown.said.dataset.while && shown.said.dataset.while !== state) {
            delete shown.said.dataset.while;
            shown.said.replaceChildren();
        }
        showHints(shown, exercise.hints);
        showControls(shown, exercise);
        if (state === "green" && shown.state !== "green") {
            showYours(shown, yours, notChecked);
        } else if (state !== "green") {
            shown.box.querySelector(".yours")?.remove();
        }
        shown.state = state;
    }

    /** Returns a link to an exercise, if this page has it.
     * @param {string} number
     * @param {string} [text] */
    function linkTo(number, text = number) {
        return byNumber.has(number) ? link(text, `#exercise-${number.replace(".", "-")}`) : text;
    }

    /** Unfolds our body, with the reader's own body beside it.
     * @param {Box} shown
     * @param {string | null} yours
     * @param {string | null} notChecked */
    function showYours(shown, yours, notChecked) {
        const ours = /** @type {HTMLDetailsElement | null} */ (shown.box.querySelector("details.yours-first"));
        if (ours) {
            ours.open = true;
        }
        shown.box.querySelector(".yours")?.remove();
        if (yours) {
            const beside = make("div", "yours", make("p", "", "Yours:"), code(yours, "rust"));
            if (notChecked) {
                beside.append(make("p", "", `Not checked: ${notChecked}`));
            }
            shown.panel.before(beside);
        }
        shown.verdict.replaceChildren();
    }

    /** Opens the box of the exercise to work on and closes the other boxes that were opened for that reason.
     * @param {string | null} number */
    function open(number) {
        byNumber.forEach(({ panel }, of) => {
            if (of === number) {
                panel.open = true;
            } else if (panel.dataset.opened) {
                panel.open = false;
            }
            panel.dataset.opened = of === number ? "yes" : "";
        });
    }

    /** @type {any[]} */
    let problems = [];
    /** The exercise to work on, whose box shows the command in progress. @type {string | null} */
    let current = null;

    /** Returns the number of the exercise to work on: the current one, or the first that's left.
     * @param {any[]} exercises
     * @returns {string | null} */
    function toWriteOf(exercises) {
        const left = exercises.filter(({ state }) => !["green", "given", "waits"].includes(state));
        return (left.find(({ number }) => number === current) ?? left[0])?.number ?? null;
    }

    /** @param {string} words */
    function underWay(words) {
        const shown = byNumber.get(current ?? "");
        if (shown) {
            shown.verdict.dataset.underWay = words;
        }
    }

    /** @param {any} verdict */
    function showVerdict(verdict) {
        byNumber.forEach(({ verdict: place }) => {
            delete place.dataset.underWay;
            place.replaceChildren();
        });
        const before = current;
        // While the page doesn't compile, the reader is still at the same exercise.
        current = verdict.outcome === "does not compile" ? verdict.exercise ?? toWriteOf(verdict.exercises) : verdict.exercise;
        verdict.exercises.forEach(showExercise);
        const took = `judged in ${verdict.seconds.toFixed(1)} s`;
        const shown = byNumber.get(current ?? "");
        if (shown) {
            say("");
            show(shown.verdict, verdict, problems);
            shown.verdict.append(make("p", "took", took));
            open(current);
        } else if (verdict.outcome === "green" || !current) {
            say(verdict.words);
            open(null);
        } else {
            say(`${current}, on another page of the chapter: ${verdict.words}`);
        }
        const done = byNumber.get(verdict.newly_green.at(-1) ?? "");
        if (done && before !== current && shown) {
            done.said.dataset.while = "green";
            done.said.replaceChildren(`Green, ${took}. `, linkTo(current ?? "", `Next: ${current}`));
            done.panel.open = true;
        }
        document.dispatchEvent(new CustomEvent("workbook-verdict", { detail: verdict }));
    }

    const stream = listen({ stream: "watch", package: packageName }, (event) => {
        switch (event.event) {
            case "begin":
            case "saved":
            case "interrupted":
                problems = [];
                break;
            case "list": {
                const part = event.parts.find((/** @type {any} */ it) => it.package === packageName);
                current = toWriteOf(part?.exercises ?? []);
                part?.exercises.forEach(showExercise);
                open(current);
                break;
            }
            case "compiling":
                problems = [];
                underWay("compiling…");
                break;
            case "problem":
                problems.push(event);
                break;
            case "judging":
                underWay("running the scenes…");
                break;
            case "verdict":
                showVerdict(event);
                break;
            case "note":
                say(event.words);
                break;
            case "not_judged":
            case "error": {
                // The page couldn't be judged, so no verdict follows.
                underWay("");
                const shown = byNumber.get(current ?? "");
                (shown?.verdict ?? make("div", "")).replaceChildren(make("p", "", event.words));
                say(event.words);
                break;
            }
            case "end":
                underWay("");
                break;
            case "over": {
                say(`Your page is no longer judged when you save. ${event.report ?? ""}`);
                document.querySelector(".cockpit-banner")?.append(" ", button("Judge my page on save again", () => {
                    say("");
                    stream.again();
                }));
                break;
            }
        }
    });
})();
