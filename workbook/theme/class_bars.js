// The class's predictions, line by line, as bars. The right answer appears when the scene has ended.
"use strict";

(() => {
    const { make } = window.workbook.elements;
    const { BLANK } = window.workbook.forms;

    /** @param {string} words
     * @param {number} count
     * @param {number} all
     * @param {string} className */
    function bar(words, count, all, className) {
        const length = make("span", "bar");
        length.style.setProperty("--share", `${all === 0 ? 0 : 100 * count / all}%`);
        const mark = className === "is-right" ? "✓ " : className === "is-wrong" ? "✗ " : "";
        return make("li", className, make("span", "what", mark, make("bdi", "", words)), make("span", "count", String(count)), length);
    }

    /** Shows the answers to one line. The server has grouped answers with the same meaning, the most frequent
     * ones first.
     * @param {CountedLine} line
     * @param {boolean} isTold true if the right answer was shown */
    function bars({ answers }, isTold) {
        const all = answers.reduce((sum, { count }) => sum + count, 0);
        return make("ul", "bars", ...answers.map(({ typed, count, right }) =>
            bar(typed, count, all, !isTold ? "" : right ? "is-right" : "is-wrong")));
    }

    /** Shows the whole poll: each line as a question, or as it was printed, with the class's answers.
     * @param {Poll} poll
     * @param {CountedLine[]} counted */
    window.workbook.class_bars = ({ asks, phase, printed }, counted) => {
        const isTold = phase === "played";
        if (asks.kind === "one") {
            const answers = asks.answers.map((typed) => counted[0]?.answers.find((answer) => answer.typed === typed)
                ?? { typed, count: 0, right: counted[0]?.text === typed, overlooks: null });
            return bars({ text: "", answers }, isTold);
        }
        const rows = asks.lines.map((line, at) => {
            const text = counted[at]?.text ?? printed[at] ?? (line.asked || BLANK);
            const row = make("li", isTold || at < printed.length ? "is-told" : "", make("span", "line", text));
            if (!line.given && counted[at]) {
                row.append(bars(counted[at], isTold));
            }
            return row;
        });
        return make("ol", "lines", ...rows);
    };
})();
