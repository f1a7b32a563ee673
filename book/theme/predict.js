// Asks for predictions in the page: a transcript with blanks, lines to put in order, or one of a few
// answers. What the reader predicts is compared once, and then the explanation unfolds. Without this
// script, the page has the answers in their folds.
"use strict";

(() => {
    const { isRight, LETTERS, scores } = window.workbook;
    const BLANK = "____";
    // The printed book and the sheets are for paper.
    if (document.querySelectorAll(".predict").length === 0 || location.pathname.endsWith("print.html")) {
        return;
    }

    /**
     * Makes an element with a class, and puts these into it.
     * @param {string} tag
     * @param {string} className
     * @param {(Node | string)[]} content
     */
    function make(tag, className, ...content) {
        const made = document.createElement(tag);
        made.className = className;
        made.append(...content);
        return made;
    }

    /**
     * @param {string} name
     * @param {() => void} action
     */
    function button(name, action) {
        const made = /** @type {HTMLButtonElement} */ (make("button", "", name));
        made.type = "button";
        made.addEventListener("click", action);
        return made;
    }

    /** Returns the folds that answer a prediction: its transcript, its twin, and what explains it.
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

    /** Takes what's in a fold out of the page until it's opened, so that neither a search in the page nor a
     * screen reader comes across the answer.
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

    /** Returns a line of a transcript with a field for each blank.
     * @param {string} asked
     * @param {string} label */
    function withFields(asked, label) {
        const line = make("span", "line");
        asked.split(BLANK).forEach((text, at) => {
            if (at > 0) {
                const field = /** @type {HTMLInputElement} */ (make("input", ""));
                field.size = 14;
                field.autocomplete = "off";
                field.spellcheck = false;
                field.setAttribute("autocapitalize", "off");
                field.setAttribute("aria-label", `${label}, blank ${at}`);
                line.append(field);
            }
            line.append(text);
        });
        return line;
    }

    /** Returns what's typed into the fields of a line.
     * @param {Element} line */
    const typedInto = (line) => [...line.querySelectorAll("input")].map((field) => field.value.trim()).join(", ");

    /** Makes a row for each line of the transcript, and a function that returns what the reader says of it.
     * @param {Line[]} lines */
    function blanks(lines) {
        const rows = lines.map((line, at) => {
            const row = make("li", "", withFields(line.asked, `line ${at + 1}`));
            return { row, typed: () => typedInto(row) };
        });
        return { form: make("ol", "lines", ...rows.map(({ row }) => row)), typed: rows.map(({ typed }) => typed) };
    }

    /** Makes a list of lines to choose from and an empty row for each line of the transcript. A click on a
     * choice puts it into the first empty row; arrows move a row, and a cross empties it.
     * @param {Line[]} lines
     * @param {string[]} choices */
    function order(lines, choices) {
        /** @type {(number | null)[]} */
        const chosen = lines.map(() => null);
        /** @type {HTMLElement[]} */
        const contents = lines.map(() => make("span", "line"));
        const rows = lines.map((_, at) => make("li", "empty", contents[at]));
        const list = make("ol", "lines", ...rows);

        /** @param {number} at
         * @param {number} other */
        function swap(at, other) {
            if (other < 0 || other >= lines.length) {
                return;
            }
            [chosen[at], chosen[other]] = [chosen[other], chosen[at]];
            [contents[at], contents[other]] = [contents[other], contents[at]];
            show(at);
            show(other);
            /** @type {HTMLElement | null} */ (rows[other].querySelector("button"))?.focus();
        }

        /** @param {number} at */
        function show(at) {
            const choice = chosen[at];
            rows[at].className = choice === null ? "empty" : "";
            rows[at].replaceChildren(contents[at]);
            if (choice !== null) {
                const name = `line ${at + 1}`;
                for (const [sign, meaning, action] of /** @type {[string, string, () => void][]} */ ([
                    ["↑", `move ${name} up`, () => swap(at, at - 1)],
                    ["↓", `move ${name} down`, () => swap(at, at + 1)],
                    ["×", `empty ${name}`, () => put(at, null)],
                ])) {
                    const control = button(sign, action);
                    control.setAttribute("aria-label", meaning);
                    rows[at].append(control);
                }
            }
        }

        /** @param {number} at
         * @param {number | null} choice */
        function put(at, choice) {
            chosen[at] = choice;
            contents[at] = choice === null
                ? make("span", "line")
                : withFields(choices[choice], `line ${at + 1}`);
            show(at);
        }

        const offers = choices.map((text, choice) => button(text.replaceAll(BLANK, "…"), () => {
            const free = chosen.indexOf(null);
            if (free >= 0) {
                put(free, choice);
                (rows[free].querySelector("input") ?? offers[choice]).focus();
            }
        }));
        const offered = make("ul", "choices", ...offers.map((offer) => make("li", "", offer)));
        const typed = lines.map((_, at) => () => {
            const choice = chosen[at];
            return choice === null ? "" : `${LETTERS[choice]} ${typedInto(contents[at])}`.trim();
        });
        const how = make("p", "", "Click the lines in the order in which they're printed. Not all of them have to occur, "
            + "and one can occur twice.");
        return { form: make("div", "", how, offered, list), typed };
    }

    /** Returns what the reader has written of a line, in words.
     * @param {string} typed
     * @param {Line} line
     * @param {string[]} choices */
    function inWords(typed, line, choices) {
        if (line.choice === null || typed === "") {
            return typed || "nothing";
        }
        const values = typed.slice(1).split(",").map((value) => value.trim());
        return (choices[LETTERS.indexOf(typed[0])] ?? typed).replaceAll(BLANK, () => values.shift() || BLANK);
    }

    /** Returns a sentence with its code between backticks as elements, or nothing without a sentence.
     * @param {string} text
     * @param {string} className */
    function withCode(text, className) {
        const pieces = text.split("`").map((piece, at) => at % 2 === 1 ? make("code", "", piece) : piece);
        return text === "" ? [] : [make("span", className, ...pieces)];
    }

    /** Shows the transcript beside what the reader has written.
     * @param {Line[]} lines
     * @param {string[]} choices
     * @param {string[]} typed
     * @param {boolean[]} right
     * @param {(at: number) => string | undefined} overlooked */
    function compared(lines, choices, typed, right, overlooked) {
        const rows = lines.map((line, at) => {
            if (line.values.length === 0 && line.choice === null) {
                return make("li", "given", make("span", "line", line.text));
            }
            const mark = make("span", "mark", right[at] ? "✓" : "✗");
            mark.setAttribute("role", "img");
            mark.setAttribute("aria-label", right[at] ? "right" : "wrong");
            const row = make("li", right[at] ? "is-right" : "is-wrong", mark, " ", make("span", "line", line.text));
            if (!right[at]) {
                row.append(make("span", "yours", `you wrote: ${inWords(typed[at], line, choices)}`));
                row.append(...withCode(overlooked(at) ?? "", "overlooks"));
            }
            return row;
        });
        return make("ol", "lines compared", ...rows);
    }

    /** Asks for a scene's transcript.
     * @param {HTMLElement} place
     * @param {{id: string, version: string, lines: Line[], choices: string[], outcomes: string[],
     *     wrong: {at: number, answer: Line, overlooks: string}[]}} asks */
    function askForLines(place, { id, version, lines, choices, outcomes, wrong }) {
        const isAsked = lines.map((line) => line.values.length > 0 || line.choice !== null);
        const of = isAsked.filter(Boolean).length;
        const folds = foldsOf(place);

        /** @param {string[]} typed */
        function judge(typed) {
            const right = lines.map((line, at) => isAsked[at] && isRight(typed[at] ?? "", line, outcomes));
            const count = right.filter(Boolean).length;
            const summary = make("p", "summary", `${count} of ${of} right.`);
            /** @param {number} at */
            const overlooked = (at) =>
                wrong.find((it) => it.at === at && isRight(typed[at] ?? "", it.answer, outcomes))?.overlooks;
            place.replaceChildren(summary, compared(lines, choices, typed, right, overlooked));
            return { count, summary };
        }

        Object.assign(place.dataset, { id, version, of });
        const before = scores.get(id);
        if (before?.version === version) {
            if (before.typed.length > 0) {
                judge(before.typed);
            } else {
                place.replaceChildren(make("p", "summary", `You've predicted this elsewhere: ${before.right} of ${before.of} right.`));
            }
            return;
        }
        const { form, typed } = choices.length > 0 ? order(lines, choices) : blanks(lines);
        const check = button("Check", () => {
            const all = typed.map((one) => one());
            const { count, summary } = judge(all);
            scores.note(id, { version, typed: all, right: count, of });
            summary.tabIndex = -1;
            summary.focus();
            const why = folds.filter((fold) => !fold.matches(".twin, .transcript"));
            (why.length > 0 ? why : folds.slice(0, 1)).forEach((fold) => fold.open = true);
        });
        form.addEventListener("keydown", (event) => {
            if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
                const fields = [...form.querySelectorAll("input")];
                (fields[fields.indexOf(event.target) + 1] ?? check).focus();
            }
        });
        const hint = before ? "This scene has changed since you predicted it. " : "";
        place.replaceChildren(make("p", "", `${hint}What does it print? A prediction is made once.`), form, check);
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
                    place.querySelectorAll("input, button").forEach((control) => control.setAttribute("disabled", ""));
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
        const fields = answers.map(({ text }, at) => {
            const field = /** @type {HTMLInputElement} */ (make("input", ""));
            field.type = "radio";
            field.name = id;
            field.value = String(at);
            return { field, label: make("label", "", field, " ", text) };
        });
        const said = make("p", "summary");
        said.setAttribute("role", "status");

        /** @param {number} at */
        function judge(at) {
            fields[at].field.checked = true;
            fields.forEach(({ field, label }, other) => {
                field.disabled = true;
                label.className = answers[other].right ? "is-right" : other === at ? "is-wrong" : "";
            });
            said.replaceChildren(...(answers[at].right ? ["That's it."] : withCode(`No: ${answers[at].why}`, "")));
        }

        const check = button("Check", () => {
            const at = fields.findIndex(({ field }) => field.checked);
            if (at < 0) {
                said.textContent = "Choose one.";
                return;
            }
            judge(at);
            check.remove();
            scores.note(id, { version, typed: [String(at)], right: answers[at].right ? 1 : 0, of: 1 });
            folds.slice(0, 1).forEach((fold) => fold.open = true);
        });
        // The question stands above its answers. The fold has it on paper.
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
            hideAll(place, folds.slice(0, 1), check);
        }
    }

    for (const place of document.querySelectorAll(".predict")) {
        const asks = JSON.parse(place.querySelector("script")?.textContent ?? "{}");
        const ask = asks.lines ? askForLines : askForOne;
        ask(/** @type {HTMLElement} */ (place), asks);
    }
})();
