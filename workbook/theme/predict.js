// Asks for predictions in the page: a transcript with blanks, lines to put in order, or one of a few
// answers. The reader's prediction is compared once, and then the explanation unfolds. Without this
// script, the page has the answers in their folds.
"use strict";

(() => {
    const { scores } = window.workbook;
    const { make, button, status, withCode } = window.workbook.elements;
    const { ofLines, ofOne, spaced, answered, compared, comparedRows, rowOf, typedInto } = window.workbook.forms;

    /** Returns the folds that answer a prediction: its transcript, its twin, and its explanation.
     * @param {Element} place */
    function foldsOf(place) {
        const folds = [];
        for (let next = place.nextElementSibling; next; next = next.nextElementSibling) {
            if (next instanceof HTMLDetailsElement) {
                const isAnswer = next.matches(".transcript, .twin")
                    || /^(What happened|Predict:)/.test(next.querySelector("summary")?.textContent ?? "");
                if (!isAnswer) {
                    break;
                }
                folds.push(next);
            } else if (!next.matches(".recording") && !next.querySelector(":scope > .filename")) {
                break;
            }
        }
        return folds;
    }

    /** Takes the content of a fold out of the page until the fold is opened, so that neither a search in the page
     * nor a screen reader comes across the answer.
     * @param {HTMLDetailsElement} fold
     * @param {() => void} opened */
    function hide(fold, opened) {
        const content = document.createDocumentFragment();
        content.append(...[...fold.childNodes].filter((node) => node.nodeName !== "SUMMARY"));
        const restore = () => fold.append(content);
        fold.addEventListener("toggle", () => {
            restore();
            opened();
        }, { once: true });
        window.addEventListener("beforeprint", restore, { once: true });
    }

    /** Asks for a scene's transcript.
     * @param {HTMLElement} place
     * @param {Lines & {id: string, version: string, wrong: {at: number, line: string, overlooks: string}[]}} asks */
    function askForLines(place, asks) {
        const { id, version, lines, choices, wrong } = asks;
        const of = lines.filter(({ given }) => !given).length;
        const folds = foldsOf(place);

        /** @param {string} typed
         * @param {number} at */
        function judgeLine(typed, at) {
            const { text, given } = lines[at];
            const { line, words } = answered(asks, at, typed);
            const right = given ? null : line === spaced(text);
            return { text, right, yours: words, overlooks: wrong.find((it) => it.at === at && it.line === line)?.overlooks };
        }

        /** @param {string[]} typed */
        function judge(typed) {
            const judged = lines.map((_, at) => judgeLine(typed[at] ?? "", at));
            const count = judged.filter(({ right }) => right).length;
            const summary = make("p", "summary", `${count} of ${of} right.`);
            place.replaceChildren(summary, compared(judged));
            return { count, summary };
        }

        Object.assign(place.dataset, { id, version, of });
        const before = scores.get(id);
        if (before?.version === version) {
            if (before.typed.length > 0) {
                judge(before.typed);
            } else {
                place.replaceChildren(scores.madeElsewhere(before));
            }
            return;
        }
        const said = status("said");
        const check = button("Check", () => {
            const { mustBe, says } = left();
            if (mustBe || (says !== "" && !said.textContent?.endsWith("go on anyway."))) {
                said.textContent = mustBe ? says : `${says} Press Check once more to go on anyway.`;
                return;
            }
            const all = asksInTurn ? next() : typed();
            if (!all) {
                return;
            }
            const { count, summary } = judge(all);
            scores.note(id, { version, typed: all, right: count, of });
            summary.tabIndex = -1;
            summary.focus();
            const why = folds.filter((fold) => !fold.matches(".twin, .transcript"));
            (why.length > 0 ? why : folds.slice(0, 1)).forEach((fold) => fold.open = true);
        });
        // If the order is asked for, a line would reveal the lines before it. So each line is asked for once
        // the lines before it are known.
        const asksInTurn = choices.length > 0;
        /** @type {string[]} */
        const taken = [];
        /** @type {HTMLElement[]} */
        const rows = asksInTurn ? [] : lines.map((_, at) => rowOf(asks, at));
        const { form, lines: list, typed, left } = ofLines(asks, check, rows);

        /** Shows the lines before the next one to ask for. Returns false if all have been asked for. */
        function showUpToTheNext() {
            while (lines[taken.length]?.given) {
                list.append(...comparedRows([judgeLine("", taken.length)]));
                taken.push("");
            }
            const isMore = taken.length < lines.length;
            list.append(...isMore ? [rowOf(asks, taken.length)] : []);
            return isMore;
        }

        /** Compares the current answer and goes on to the next line. At the end, returns the reader's answers. */
        function next() {
            const row = list.lastElementChild ?? list;
            const judged = judgeLine(typedInto(row), taken.length);
            row.replaceWith(...comparedRows([judged]));
            taken.push(typedInto(row));
            if (!showUpToTheNext()) {
                return taken;
            }
            said.textContent = judged.right ? "Right." : "The scene prints a different line.";
            /** @type {HTMLElement | null} */ (list.querySelector(".control"))?.focus();
            return null;
        }

        if (asksInTurn) {
            showUpToTheNext();
        }
        const hint = before ? "This scene has changed since you predicted it. " : "";
        place.replaceChildren(make("p", "", `${hint}What does the scene print? You can predict each line only once.`), form, check, said);
        hideAll(place, folds, check);
    }

    /** Hides the answers. Once one of them is open, there's nothing left to predict.
     * @param {HTMLElement} place
     * @param {HTMLDetailsElement[]} folds
     * @param {HTMLButtonElement} check */
    function hideAll(place, folds, check) {
        for (const fold of folds.filter((fold) => !fold.open)) {
            hide(fold, () => {
                if (check.isConnected) {
                    place.querySelectorAll("input, select, button").forEach((control) => control.setAttribute("disabled", ""));
                    check.replaceWith(make("p", "summary", "You've opened the answer."));
                }
            });
        }
    }

    /** Asks for one of a few answers.
     * @param {HTMLElement} place
     * @param {{id: string, version: string, answers: {text: string, right: boolean, why: string}[]}} asks */
    function askForOne(place, { id, version, answers }) {
        const folds = foldsOf(place);
        const fields = ofOne(id, answers.map(({ text }) => text));
        const said = status("summary");

        /** @param {number} at */
        function judge(at) {
            fields[at].field.checked = true;
            fields.forEach(({ field, label }, other) => {
                field.disabled = true;
                label.className = answers[other].right ? "is-right" : other === at ? "is-wrong" : "";
            });
            said.replaceChildren(...(answers[at].right ? ["That's it."] : withCode(`No: ${answers[at].why}`)));
        }

        const check = button("Check", () => {
            const at = fields.findIndex(({ field }) => field.checked);
            if (at < 0) {
                said.textContent = "Choose one.";
                return;
            }
            judge(at);
            check.remove();
            said.tabIndex = -1;
            said.focus();
            scores.note(id, { version, typed: [String(at)], right: answers[at].right ? 1 : 0, of: 1 });
            folds.slice(0, 1).forEach((fold) => fold.open = true);
        });
        // The question stands above its answers. On paper, it's in the fold.
        const question = make("legend", "");
        const summary = folds[0]?.querySelector("summary");
        if (summary) {
            question.append(...[...summary.childNodes].map((node) => node.cloneNode(true)));
            summary.replaceChildren(make("span", "on-paper", ...summary.childNodes), make("span", "on-screen", "The answer"));
        }
        place.replaceChildren(make("fieldset", "", question, ...fields.map(({ label }) => label)), check, said);
        const before = scores.get(id);
        if (before?.version === version && answers[Number(before.typed[0])]) {
            judge(Number(before.typed[0]));
            check.remove();
        } else {
            said.textContent = before ? "This question has changed since you answered it." : "";
            hideAll(place, folds.slice(0, 1), check);
        }
    }

    for (const place of document.querySelectorAll(".predict")) {
        const asks = JSON.parse(place.querySelector("script")?.textContent ?? "{}");
        const ask = asks.lines ? askForLines : askForOne;
        ask(/** @type {HTMLElement} */ (place), asks);
    }
})();
