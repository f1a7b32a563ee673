// After the session: what was predicted wrong most, and where the minutes went, on one page to print.
"use strict";

(() => {
    const { make, button } = window.workbook.elements;
    const { builders } = window.workbook.polls;
    /** As many wrong answers are shown per line. */
    const MOST = 3;

    /** @param {number} minutes */
    const time = (minutes) => `${Math.max(1, Math.round(minutes))} min`;

    /** @param {string} caption
     * @param {string[]} titles
     * @param {(string | Node)[][]} rows */
    function table(caption, titles, rows) {
        const head = make("tr", "", ...titles.map((title) => make("th", "", title)));
        head.querySelectorAll("th").forEach((cell) => cell.setAttribute("scope", "col"));
        const body = rows.map((row) => make("tr", "", ...row.map((content) => make("td", "", content))));
        const shown = make("div", "table", make("table", "",
            make("caption", "", caption), make("thead", "", head), make("tbody", "", ...body)));
        shown.tabIndex = 0;
        shown.setAttribute("role", "region");
        shown.setAttribute("aria-label", caption);
        return shown;
    }

    /** Shows a poll: its lines, and what was answered instead.
     * @param {TeacherReport["polls"][0]} poll */
    function shownPoll({ title, question, minutes, answered, share_right: share, lines }) {
        const rows = lines.filter(({ given }) => !given).map(({ text, right, answers }) => {
            const wrong = answers.filter((answer) => !answer.right).slice(0, MOST).map(({ typed, count, overlooks }) =>
                make("li", "", `${count}: `, make("code", "", typed), overlooks ? ` (${overlooks})` : ""));
            return [make("code", "", text ?? ""), `${right} of ${answered}`, make("ul", "", ...wrong)];
        });
        const how = `${share === null ? "Nobody answered" : `${Math.round(100 * share)} % right`}, open for ${time(minutes)}`;
        const shown = make("section", "reported", make("h3", "", `${title}: ${how}`), builders("question", question));
        if (answered > 0) {
            shown.append(table(`The answers to ${title}`, ["The line", "Right", "Predicted instead"], rows));
        }
        return shown;
    }

    /** @param {TeacherReport} report */
    function shown({ begun, students, help_asked: helped, polls, exercises }) {
        const day = new Date(1000 * begun).toLocaleDateString(undefined, { dateStyle: "long" });
        const asked = helped === 1 ? "Help was asked for once." : `Help was asked for ${helped} times.`;
        const rows = exercises.map(({ exercise, name, declared, at, minutes, longest, green, helped: here }) => [
            `${exercise} ${name}`, String(at), String(green), `${declared} min`,
            minutes === null ? "still at it" : time(minutes), longest === null ? "" : time(longest), String(here)]);
        return [
            make("p", "", `${day}, ${students} ${students === 1 ? "student" : "students"}. ${helped === 0 ? "Nobody asked for help." : asked}`),
            make("h2", "", "Predicted wrong most"),
            ...polls.length === 0 ? [make("p", "", "No poll has been closed yet.")] : polls.map(shownPoll),
            make("h2", "", "Where the minutes went"),
            rows.length === 0 ? make("p", "", "No student has joined the board, so nothing is known of the exercises.")
                : table("The exercises, from the students' reports",
                    ["Exercise", "Students at it", "Green", "Declared", "Half needed up to", "Longest", "Asked for help"], rows),
        ];
    }

    /** @param {Classroom["post"]} post
     * @param {(what: string, body?: object) => Promise<void>} act */
    window.workbook.class_report = (post, act) => {
        const content = make("div", "");
        const controls = make("p", "controls not-on-paper",
            button("Print it", () => print()), " ",
            button("End the class", () => {
                if (confirm("End the class? All pages are told, and what the students sent is deleted, unless you began with --keep.")) {
                    void act("end");
                }
            }));
        let isAsked = false;

        async function show() {
            // It's made when it's opened, and not anew with each answer.
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
