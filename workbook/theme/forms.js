// The forms in which a prediction is asked for: a transcript with blanks, lines to put in order, or one of
// a few answers; and what was predicted, beside what was printed. The book's pages and the class's use them.
"use strict";

(() => {
    const { make, button, withCode } = window.workbook.elements;
    const BLANK = "____";

    /** Makes a field for a number, or a list of the words that can stand in a blank.
     * @param {number[]} words
     * @param {Word[]} bank
     * @param {string} name */
    function field(words, bank, name) {
        const made = make(words.length > 0 ? "select" : "input", "control");
        made.setAttribute("aria-label", name);
        if (made instanceof HTMLSelectElement) {
            made.append(new Option("…", ""), ...words.map((at) => new Option(bank[at].text, bank[at].label)));
        } else {
            Object.assign(made, { size: 8, autocomplete: "off", spellcheck: false, placeholder: "a number" });
        }
        return made;
    }

    /** Returns a line of a transcript with a field for each blank.
     * @param {LineForm} line
     * @param {Word[]} bank
     * @param {string} name */
    function withFields({ asked, blanks }, bank, name) {
        const line = make("span", "line");
        asked.split(BLANK).forEach((text, at) =>
            line.append(...at > 0 && blanks.length > 0 ? [field(blanks[at - 1], bank, `${name}, blank ${at}`)] : [], text));
        return line;
    }

    /** @param {Element} line
     * @returns {(HTMLInputElement | HTMLSelectElement)[]} */
    const fieldsIn = (line) => [...line.querySelectorAll("input, select")].map((one) => /** @type {HTMLInputElement} */ (one));

    /** Returns a number without what can stand between its digits.
     * @param {string} typed */
    const number = (typed) => typed.replace(/[\s,_]/g, "").toUpperCase();

    /** @param {HTMLInputElement | HTMLSelectElement} field */
    const isNoNumber = (field) => field instanceof HTMLInputElement && !/^(-?\d+|N([+-]\d+)?)?$/.test(number(field.value));

    /** Returns what's answered in a line, as it can be typed: each word by its label. Without an answer in each
     * of its blanks, that's nothing.
     * @param {string} label
     * @param {Element} line */
    function typedInto(label, line) {
        const values = fieldsIn(line).map((field) => field instanceof HTMLSelectElement ? field.value : number(field.value));
        return values.includes("") ? "" : `${label} ${values.join(", ")}`.trim();
    }

    /** Returns a text with single spaces.
     * @param {string} text */
    const spaced = (text) => text.trim().replace(/\s+/g, " ");

    /** Returns what was answered to a line: the line that it makes, and what's said of it in words. An answer to
     * what the scene was before says nothing.
     * @param {Lines} asks
     * @param {number} at
     * @param {string} typed */
    function answered({ lines, choices, bank }, at, typed) {
        const [label, ...after] = typed.split(" ");
        const form = choices.length > 0 ? choices.find((choice) => choice.label === label) : lines[at];
        const said = choices.length > 0 ? after.join(" ") : typed;
        if (!form || typed === "") {
            return { line: "", words: typed };
        }
        const values = said.split(", ").map((value) => bank.find((word) => word.label === value)?.text ?? value);
        const line = spaced(form.asked.split(BLANK).reduce((line, piece, at) => line + (values[at - 1] ?? BLANK) + piece));
        return { line, words: choices.length > 0 ? line : values.join(", ") };
    }

    /** Makes a row for each line of the transcript, and a function that returns what the reader says of it.
     * @param {Lines} asks */
    function blanks({ lines, bank }) {
        const rows = lines.map((line, at) => {
            const row = make("li", "", withFields(line, bank, `line ${at + 1}`));
            return { row, typed: () => line.given ? "" : typedInto("", row) };
        });
        return { form: make("ol", "lines", ...rows.map(({ row }) => row)), typed: rows.map(({ typed }) => typed) };
    }

    /** Makes a list of lines to choose from and an empty row for each line of the transcript. A click on a
     * choice puts it into the first empty row; arrows move a row, and a cross empties it.
     * @param {Lines} asks */
    function order({ lines, choices, bank }) {
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
                : withFields(choices[choice], bank, `line ${at + 1}`);
            show(at);
            mark();
        }

        /** Shows which choices are used. */
        const mark = () => offers.forEach((offer, choice) => offer.classList.toggle("is-used", chosen.includes(choice)));
        const offers = choices.map(({ asked }, choice) => button(asked.replaceAll(BLANK, "…"), ({ detail }) => {
            const free = chosen.indexOf(null);
            if (free >= 0) {
                put(free, choice);
                // The keyboard goes on with the blank. After a tap, that would call up a phone's keyboard.
                const isPressed = detail === 0;
                (isPressed && fieldsIn(rows[free])[0] || offers[choice]).focus();
            }
        }));
        const offered = make("ul", "choices", ...offers.map((offer) => make("li", "", offer)));
        const typed = lines.map((_, at) => () => {
            const choice = chosen[at];
            return choice === null ? "" : typedInto(choices[choice].label, contents[at]);
        });
        const how = make("p", "", "Click the lines in the order in which they're printed. Not all of them have to occur, "
            + "and one can occur several times. Where a line has a …, fill in what stands there.");
        return { form: make("div", "", how, offered, list), typed };
    }

    /** Asks for a transcript, and sends the reader from field to field with Enter, and then to the button.
     * `left` says what's still to be done, and whether it has to be.
     * @param {Lines} asks
     * @param {HTMLButtonElement} last */
    function ofLines(asks, last) {
        const { form, typed } = asks.choices.length > 0 ? order(asks) : blanks(asks);
        form.addEventListener("keydown", (event) => {
            const fields = fieldsIn(form);
            const at = fields.findIndex((field) => field === event.target);
            if (event.key === "Enter" && at >= 0) {
                // The button that gets the focus isn't pressed by the same key.
                event.preventDefault();
                (fields[at + 1] ?? last).focus();
            }
        });
        function left() {
            const noNumber = fieldsIn(form).find(isNoNumber);
            if (noNumber) {
                return { mustBe: true, says: `In ${noNumber.getAttribute("aria-label")}, there has to be a number.` };
            }
            const empty = form.querySelectorAll("li.empty").length + fieldsIn(form).filter(({ value }) => value.trim() === "").length;
            return { mustBe: false, says: empty === 0 ? "" : empty === 1 ? "One place is still empty." : `${empty} places are still empty.` };
        }
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

    window.workbook.forms = { BLANK, ofLines, ofOne, spaced, answered, compared };
})();
