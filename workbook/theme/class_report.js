// After the session: the most frequent wrong predictions and the use of the minutes, on one page to print.
"use strict";

(() => {
    const { make, button, table, withCode } = window.workbook.elements;
    /** The number of lines that fit on a page, and of wrong answers to each. */
    const [LINES, MOST] = [8, 2];

    /** @param {number} minutes */
    const time = (minutes) => `${Math.max(1, Math.round(minutes))} min`;

    /** @param {string} caption
     * @param {string[]} titles
     * @param {(string | Node)[][]} rows */
    function captioned(caption, titles, rows) {
        const body = rows.map((row) => make("tr", "", ...row.map((content) => make("td", "", content))));
        const made = table("table", caption, titles, make("tbody", "", ...body));
        made.querySelector("table")?.prepend(make("caption", "", caption));
        return made;
    }

    /** Returns the lines with the most wrong predictions, from all polls.
     * @param {TeacherReport["polls"]} polls */
    function worst(polls) {
        const lines = polls.flatMap(({ title, answered, lines }) => lines
            .filter(({ given, right }) => !given && right < answered)
            .map((line) => ({ ...line, title, answered })));
        lines.sort((one, other) => one.right / one.answered - other.right / other.answered);
        return lines.slice(0, LINES).map(({ title, text, right, answered, answers }) => {
            const wrong = answers.filter((answer) => !answer.right).slice(0, MOST).map(({ typed, count, overlooks }) =>
                make("li", "", `${count}: `, make("code", "", make("bdi", "", typed)), ...overlooks ? [" (", ...withCode(overlooks), ")"] : []));
            return [title, make("code", "", text ?? ""), `${right} of ${answered}`, make("ul", "", ...wrong)];
        });
    }

    /** @param {TeacherReport} report */
    function shown({ begun, students, help_asked: helped, polls, exercises, gone }) {
        const day = new Date(1000 * begun).toLocaleDateString(undefined, { dateStyle: "long" });
        const asked = helped === 1 ? "A student asked for help once." : `Students asked for help ${helped} times.`;
        const wrong = worst(polls);
        const rows = exercises.map(({ exercise, name, declared, at, minutes, longest, green, helped: here }) => [
            `${exercise} ${name}`, String(at), String(green), `${declared} min`,
            minutes === null ? "still working on it" : time(minutes), longest === null ? "" : time(longest), String(here)]);
        return [
            make("p", "", `${day}, ${students} ${students === 1 ? "student" : "students"}. ${helped === 0 ? "Nobody asked for help." : asked}`),
            make("h2", "", "Most often predicted wrong"),
            wrong.length === 0 ? make("p", "", polls.length === 0 ? "No poll has been closed yet." : "Nothing was predicted wrong.")
                : captioned("The lines with the most wrong predictions", ["Poll", "The line", "Right", "Predicted instead"], wrong),
            make("h2", "", "Time spent"),
            ...polls.length === 0 ? [] : [captioned("The polls", ["Poll", "Open for", "Answered by", "Right"],
                polls.map(({ title, minutes, answered, share_right: share }) =>
                    [title, time(minutes), String(answered), share === null ? "" : `${Math.round(100 * share)} %`]))],
            rows.length === 0 ? make("p", "", "No student's terminal has sent a report about the exercises.")
                : captioned("The exercises, from the students' reports",
                    ["Exercise", "Students who reached it", "Green", "Declared", "Half needed up to", "Longest", "Asked for help"], rows),
            ...gone.map((told) => make("p", "", `${told}.`)),
        ];
    }

    /** @param {Classroom["post"]} post
     * @param {(what: string, body?: object) => Promise<void>} act */
    window.workbook.class_report = (post, act) => {
        const content = make("div", "");
        const controls = make("p", "controls not-on-paper",
            button("Print it", () => print()), " ",
            button("End the class", () => {
                if (confirm("End the class? Every open page will say so, and the students' data will be deleted unless you started the class with --keep.")) {
                    void act("end");
                }
            }));
        let isAsked = false;

        async function show() {
            // It's made when the teacher opens it, not again for each answer.
            if (isAsked) {
                return;
            }
            isAsked = true;
            try {
                content.replaceChildren(...shown(await post("report")));
            } catch (error) {
                content.replaceChildren(make("p", "", window.workbook.failures.words(error)));
            }
        }

        addEventListener("hashchange", () => isAsked = false);
        return { element: make("div", "report", make("h1", "", "After the session"), controls, content), show: () => void show() };
    };
})();
