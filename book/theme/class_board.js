// The board: the class on one page, those who need help first. It has names, so it isn't for the wall.
"use strict";

(() => {
    const { make, button } = window.workbook.elements;
    const { builders } = window.workbook.polls;

    /** @param {number} seconds */
    const since = (seconds) => seconds < 60 ? "just now" : `${Math.floor(seconds / 60)} min`;

    /** @param {ClassGroup} group */
    function shownGroup({ exercise, line, names, question }) {
        return make("section", "group",
            make("h2", "", `${names.length} are at ${exercise ?? "the same place"} with the same red line`),
            make("p", "", make("code", "", line)),
            ...question ? [make("p", "", "Ask: ", builders("ask", question))] : [],
            make("p", "names", names.join(", ")));
    }

    /** @param {Student} student
     * @param {() => void} remove */
    function row({ name, answered, help, connected, report }, remove) {
        const how = report ? `${report.outcome}${report.line ? `: ${report.line}` : ""}` : "";
        const cells = [
            `${name}${help ? ", wants help" : ""}${connected ? "" : ", not connected"}`,
            report?.exercise ?? "",
            how,
            report?.exercise ? since(report.since) : "",
            report ? String(report.green.length) : "",
            answered ? "yes" : "",
            button("Take off", remove, `take ${name} off the class`),
        ];
        return make("tr", help ? "wants-help" : report && report.outcome !== "green" ? "is-red" : "",
            ...cells.map((content) => make("td", "", content)));
    }

    /** @param {(what: string, body?: object) => Promise<void>} act */
    window.workbook.class_board = (act) => {
        const [groups, body, summary] = [make("div", "groups"), make("tbody", ""), make("p", "")];
        const titles = ["Who", "At", "How it stands", "For", "Green", "Predicted", ""];
        const head = make("tr", "", ...titles.map((title) => make(title ? "th" : "td", "", title)));
        head.querySelectorAll("th").forEach((cell) => cell.setAttribute("scope", "col"));
        const table = make("div", "table", make("table", "", make("thead", "", head), body));
        table.tabIndex = 0;
        table.setAttribute("role", "region");
        table.setAttribute("aria-label", "the students");
        /** The rows by the students' names, each with what it shows. @type {Map<string, {told: string, row: HTMLElement}>} */
        let rows = new Map();
        let toldOfGroups = "";

        /** Keeps the rows that haven't changed, so that nothing moves under the teacher's hand.
         * @param {Student[]} students the server has those first who need help */
        function showStudents(students) {
            const before = [...rows.values()].map((one) => one.row);
            rows = new Map(students.map((student) => {
                const { name, report } = student;
                const told = JSON.stringify({ ...student, report: report && { ...report, since: since(report.since) } });
                const known = rows.get(name);
                return [name, known?.told === told ? known : { told, row: row(student, () => {
                    if (confirm(`Take ${name} off the class? Their answers and reports are deleted.`)) {
                        void act("remove", { name });
                    }
                }) }];
            }));
            const now = [...rows.values()].map((one) => one.row);
            if (now.length !== before.length || now.some((one, at) => one !== before[at])) {
                body.replaceChildren(...now);
            }
        }

        /** @param {ClassState} state */
        function show({ students, groups: shown }) {
            const helps = students.filter(({ help }) => help).length;
            const connected = students.filter((student) => student.connected).length;
            summary.textContent = `${students.length} in the class, ${connected} connected, ${helps} ${helps === 1 ? "asks" : "ask"} for help.`;
            const told = JSON.stringify(shown);
            if (told !== toldOfGroups) {
                toldOfGroups = told;
                groups.replaceChildren(...shown.map(shownGroup));
            }
            showStudents(students);
        }

        return {
            element: make("div", "board", make("h1", "", "The board"),
                make("p", "not-for-the-wall", "It has names: keep it off the wall."), summary, groups, table),
            show,
        };
    };
})();
