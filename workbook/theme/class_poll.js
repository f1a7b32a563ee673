// A poll of the class: its question, and the answers of a student or of the class.
"use strict";

(() => {
    const { make, withCode, highlight } = window.workbook.elements;
    const { BLANK, answered } = window.workbook.forms;

    /** Shows HTML that the book's builder has made, with its code in colours. A student's text never
     * comes here.
     * @param {string} className
     * @param {string} html */
    function builders(className, html) {
        const shown = make("div", className);
        shown.innerHTML = html;
        shown.querySelectorAll("pre code").forEach(highlight);
        // A reader with a keyboard has to reach a box that scrolls.
        shown.querySelectorAll("pre").forEach((box) => box.tabIndex = 0);
        return shown;
    }

    /** Shows the question and the code.
     * @param {Poll} poll
     * @param {"h1" | "h2"} heading */
    function asked({ number, of, question, code, kind }, heading) {
        const shown = make("section", "asked");
        const place = number !== null ? `Question ${number} of ${of}` : kind === "hunt" ? "A bug" : "A question";
        shown.append(make(heading, "place", place), builders("question", question), ...code ? [builders("code", code)] : []);
        return shown;
    }

    /** Returns each line of the transcript with a student's prediction.
     * @param {Poll} poll
     * @param {string[]} typed */
    function predicted({ asks }, typed) {
        if (asks.kind === "one") {
            return typed;
        }
        return asks.lines.map(({ asked, given }, at) =>
            given ? asked : answered(asks, at, typed[at] ?? "").line || `${asked.replaceAll(BLANK, "…")} (left empty)`);
    }

    /** Names the facts that at least three students have overlooked.
     * @param {Misconception[]} misconceptions */
    function overlooked(misconceptions) {
        return misconceptions.map(({ overlooks, count, chosen }) => make("p", "misconception",
            make("strong", "", chosen ? `${count} of you: “${chosen}” ` : `${count} of you: `), ...withCode(overlooks)));
    }

    window.workbook.polls = { builders, asked, predicted, overlooked };
})();
