// The forms that ask for a prediction: a transcript with blanks, lines to put in order, or one of a few
// answers. They also show the prediction beside the printed lines. The book's and the class's pages use them.
"use strict";

(() => {
    const { make, withCode } = window.workbook.elements;
    const BLANK = "____";

    /** Makes a list to choose from, in which nothing is chosen at first.
     * @param {Word[]} words
     * @param {string} name */
    function choice(words, name) {
        const made = make("select", "control");
        made.setAttribute("aria-label", name);
        made.append(new Option("…", ""), ...words.map(({ text, label }) => new Option(text, label)));
        return made;
    }

    /** Makes a field for a number.
     * @param {string} name */
    function numberField(name) {
        const made = make("input", "control");
        made.setAttribute("aria-label", name);
        return Object.assign(made, { size: 8, autocomplete: "off", spellcheck: false, placeholder: "a number" });
    }

    /** Returns a line of a transcript with a field for each blank.
     * @param {LineForm} line
     * @param {Word[]} bank
     * @param {string} name */
    function withFields({ asked, blanks }, bank, name) {
        const line = make("span", "line");
        asked.split(BLANK).forEach((text, at) => {
            if (at > 0) {
                const [words, nameOfBlank] = [blanks[at - 1], `${name}, blank ${at}`];
                line.append(words.length > 0 ? choice(words.map((word) => bank[word]), nameOfBlank) : numberField(nameOfBlank));
            }
            line.append(text);
        });
        return line;
    }

    /** @param {Element} line
     * @returns {(HTMLInputElement | HTMLSelectElement)[]} */
    const fieldsIn = (line) => [...line.querySelectorAll("input, select")].map((one) => /** @type {HTMLInputElement} */ (one));

    /** Returns a number without the separators between its digits.
     * @param {string} typed */
    const number = (typed) => typed.replace(/[\s,_]/g, "").toUpperCase();

    /** @param {HTMLInputElement | HTMLSelectElement} field */
    const isNoNumber = (field) => field instanceof HTMLInputElement && !/^(-?\d+|N([+-]\d+)?)?$/.test(number(field.value));

    /** Returns the answers in a row in the form that a reader can type: each choice by its label. Returns an
     * empty text unless every place has an answer.
     * @param {Element} row */
    function typedInto(row) {
        const values = fieldsIn(row).map((field) => field instanceof HTMLSelectElement ? field.value : number(field.value));
        const [label, ...others] = row.matches(".chosen") ? values : ["", ...values];
        return values.includes("") ? "" : `${label} ${others.join(", ")}`.trim();
    }

    /** Returns a string with single spaces between its words.
     * @param {string} text */
    const spaced = (text) => text.trim().replace(/\s+/g, " ");

    /** Returns the answer to a line: the line that it makes, and its description in words. An answer to an
     * older form of the scene has no description.
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

    /** Makes a row in which the reader chooses one of the lines and fills its blanks.
     * @param {Lines} asks
     * @param {string} name */
    function chosenLine({ choices, bank }, name) {
        const list = choice(choices.map(({ asked, label }) => ({ text: asked.replaceAll(BLANK, "…"), label })), name);
        const row = make("li", "chosen", list);
        list.addEventListener("change", () => {
            const line = choices.find(({ label }) => label === list.value);
            row.replaceChildren(list, ...line && line.blanks.length > 0 ? [" ", withFields(line, bank, name)] : []);
        });
        return row;
    }

    /** Makes the row of a line, with its fields if the line is asked for.
     * @param {Lines} asks
     * @param {number} at */
    function rowOf(asks, at) {
        const [line, name] = [asks.lines[at], `line ${at + 1}`];
        return asks.choices.length > 0 && !line.given ? chosenLine(asks, name)
            : make("li", line.given ? "given" : "", withFields(line, asks.bank, name));
    }

    /** Asks for the lines of a transcript. Enter moves the reader from field to field and then to the button.
     * `left` describes the missing answers, and whether they're required.
     * @param {Lines} asks
     * @param {HTMLButtonElement} last
     * @param {HTMLElement[]} rows */
    function ofLines(asks, last, rows = asks.lines.map((_, at) => rowOf(asks, at))) {
        const how = asks.choices.length > 0 ? [make("p", "", "In each row, choose the line that you expect there. Some lines may not occur, "
            + "and a line can occur several times. Where a line has a …, fill it in.")] : [];
        const lines = make("ol", "lines", ...rows);
        const form = make("div", "", ...how, lines);
        form.addEventListener("keydown", (event) => {
            const fields = fieldsIn(form);
            const at = fields.findIndex((field) => field === event.target);
            if (event.key === "Enter" && at >= 0) {
                // Otherwise the same key would press the button that gets the focus.
                event.preventDefault();
                (fields[at + 1] ?? last).focus();
            }
        });
        function left() {
            const noNumber = fieldsIn(form).find(isNoNumber);
            if (noNumber) {
                return { mustBe: true, says: `Enter a number in ${noNumber.getAttribute("aria-label")}.` };
            }
            const empty = fieldsIn(form).filter(({ value }) => value.trim() === "").length;
            return { mustBe: false, says: empty === 0 ? "" : empty === 1 ? "One blank is still empty." : `${empty} blanks are still empty.` };
        }
        return { form, lines, typed: () => rows.map(typedInto), left };
    }

    /** Makes a field and a label for each of a few answers.
     * @param {string} name the group's, in the page
     * @param {string[]} answers */
    function ofOne(name, answers) {
        return answers.map((text, at) => {
            const field = Object.assign(make("input", ""), { type: "radio", name, value: String(at) });
            return { field, label: make("label", "", field, " ", text) };
        });
    }

    /** Returns a sentence with its code between backticks as elements, or nothing without a sentence.
     * @param {string} text
     * @param {string} className */
    const sentence = (text, className) => text === "" ? [] : [make("span", className, ...withCode(text))];

    /** Shows the transcript beside the prediction.
     * @param {Compared[]} lines */
    const compared = (lines) => make("ol", "lines compared", ...comparedRows(lines));

    /** @param {Compared[]} lines */
    function comparedRows(lines) {
        return lines.map(({ text, right, yours, overlooks }) => {
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
    }

    window.workbook.forms = { BLANK, ofLines, ofOne, spaced, answered, compared, comparedRows, rowOf, typedInto };
})();
