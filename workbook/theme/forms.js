// The forms in which a prediction is asked for: a transcript with blanks, lines to put in order, or one of
// a few answers; and what was predicted, beside what was printed. The book's pages and the class's use them.
"use strict";

(() => {
    const { make, button, withCode } = window.workbook.elements;
    const BLANK = "____";
    /** What the choices are called. */
    const LETTERS = "abcdefghijklmnopqrstuvwxyz";

    /** Returns a line of a transcript with a field for each blank.
     * @param {string} asked
     * @param {string} label */
    function withFields(asked, label) {
        const line = make("span", "line");
        asked.split(BLANK).forEach((text, at) => {
            if (at > 0) {
                const field = /** @type {HTMLInputElement} */ (make("input", "control"));
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
     * @param {Asked[]} lines */
    function blanks(lines) {
        const rows = lines.map((line, at) => {
            const row = make("li", "", withFields(line.asked, `line ${at + 1}`));
            return { row, typed: () => typedInto(row) };
        });
        return { form: make("ol", "lines", ...rows.map(({ row }) => row)), typed: rows.map(({ typed }) => typed) };
    }

    /** Makes a list of lines to choose from and an empty row for each line of the transcript. A click on a
     * choice puts it into the first empty row; arrows move a row, and a cross empties it.
     * @param {Asked[]} lines
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
                rows[at].append(make("span", "moves",
                    button("↑", () => swap(at, at - 1), `move ${name} up`),
                    button("↓", () => swap(at, at + 1), `move ${name} down`),
                    button("×", () => put(at, null), `empty ${name}`)));
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
            mark();
        }

        /** Shows which choices are used. */
        const mark = () => offers.forEach((offer, choice) => offer.classList.toggle("is-used", chosen.includes(choice)));
        const offers = choices.map((text, choice) => button(text.replaceAll(BLANK, "…"), ({ detail }) => {
            const free = chosen.indexOf(null);
            if (free >= 0) {
                put(free, choice);
                // The keyboard goes on with the blank. After a tap, that would call up a phone's keyboard.
                const isPressed = detail === 0;
                (isPressed && rows[free].querySelector("input") || offers[choice]).focus();
            }
        }));
        const offered = make("ul", "choices", ...offers.map((offer) => make("li", "", offer)));
        const typed = lines.map((_, at) => () => {
            const choice = chosen[at];
            return choice === null ? "" : `${LETTERS[choice]} ${typedInto(contents[at])}`.trim();
        });
        const how = make("p", "", "Click the lines in the order in which they're printed. Not all of them have to occur, "
            + "and one can occur several times. Where a line has a …, fill in what stands there.");
        return { form: make("div", "", how, offered, list), typed };
    }

    /** Asks for a transcript, and sends the reader from field to field with Enter, and then to the button.
     * `left` counts the rows and fields that are still empty.
     * @param {Asked[]} lines
     * @param {string[]} choices
     * @param {HTMLButtonElement} last */
    function ofLines(lines, choices, last) {
        const { form, typed } = choices.length > 0 ? order(lines, choices) : blanks(lines);
        form.addEventListener("keydown", (event) => {
            if (event.key === "Enter" && event.target instanceof HTMLInputElement) {
                // The button that gets the focus isn't pressed by the same key.
                event.preventDefault();
                const fields = [...form.querySelectorAll("input")];
                (fields[fields.indexOf(event.target) + 1] ?? last).focus();
            }
        });
        const isEmpty = (/** @type {HTMLInputElement} */ field) => field.value.trim() === "";
        const left = () => form.querySelectorAll("li.empty").length + [...form.querySelectorAll("input")].filter(isEmpty).length;
        return { form, typed: () => typed.map((one) => one()), left };
    }

    /** Makes a field and a label for each of a few answers.
     * @param {string} name the group's, in the page
     * @param {string[]} answers */
    function ofOne(name, answers) {
        return answers.map((text, at) => {
            const field = /** @type {HTMLInputElement} */ (make("input", ""));
            field.type = "radio";
            field.name = name;
            field.value = String(at);
            return { field, label: make("label", "", field, " ", text) };
        });
    }

    /** Returns what was written of a line, in words.
     * @param {string} typed
     * @param {boolean} isChosen whether it's a letter of the choices
     * @param {string[]} choices */
    function inWords(typed, isChosen, choices) {
        if (!isChosen || typed === "") {
            return typed.replace(/^[, ]+$/, "");
        }
        const values = typed.slice(1).split(",").map((value) => value.trim());
        return (choices[LETTERS.indexOf(typed[0])] ?? typed).replaceAll(BLANK, () => values.shift() || BLANK);
    }

    /** Returns a sentence with its code between backticks as elements, or nothing without a sentence.
     * @param {string} text
     * @param {string} className */
    const sentence = (text, className) => text === "" ? [] : [make("span", className, ...withCode(text))];

    /** Shows the transcript beside what was predicted.
     * @param {Compared[]} lines */
    function compared(lines) {
        const rows = lines.map(({ text, right, yours, overlooks }) => {
            if (right === null) {
                return make("li", "given", make("span", "line", text));
            }
            const mark = make("span", "mark", right ? "✓" : "✗");
            mark.setAttribute("role", "img");
            mark.setAttribute("aria-label", right ? "right" : "wrong");
            const row = make("li", right ? "is-right" : "is-wrong", mark, " ", make("span", "line", text));
            if (!right) {
                row.append(make("span", "yours", yours ? `you wrote: ${yours}` : "you left it empty"), ...sentence(overlooks ?? "", "overlooks"));
            }
            return row;
        });
        return make("ol", "lines compared", ...rows);
    }

    window.workbook.forms = { BLANK, LETTERS, ofLines, ofOne, inWords, compared };
})();
