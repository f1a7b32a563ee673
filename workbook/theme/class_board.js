// The board: the class on one page, students who need help first. It has names, so it isn't for the wall.
"use strict";

(() => {
    const { make, button, table } = window.workbook.elements;
    const { builders } = window.workbook.polls;

    /** @param {number} seconds */
    const since = (seconds) => seconds < 60 ? "just now" : `${Math.floor(seconds / 60)} min`;

    /** @param {ClassGroup} group */
    function shownGroup({ exercise, line, names, question }) {
        return make("section", "group",
            make("h2", "", `${names.length} students are at ${exercise ?? "the same place"} with the same red line`),
            make("p", "", make("code", "", isolated(line))),
            ...question ? [make("p", "", "Ask: ", builders("ask", question))] : [],
            make("p", "names", ...names.flatMap((name, at) => [at > 0 ? ", " : "", isolated(name)])));
    }

    /** A student's own text, which may run from right to left while the text around it doesn't.
     * @param {string} text */
    const isolated = (text) => make("bdi", "", text);

    /** @param {string} name
     * @param {() => void} changed */
    function box(name, changed) {
        const field = make("input", "");
        field.type = "checkbox";
        field.setAttribute("aria-label", `tick ${name}`);
        field.addEventListener("change", changed);
        return field;
    }

    /** True for students who have joined and sent nothing since, like those who fill a class with names.
     * @param {Student} student */
    const hasOnlyJoined = ({ answered, help, connected, report }) => !answered && !help && !connected && !report;

    /** @param {Student} student
     * @param {HTMLElement} ticks
     * @param {() => void} remove */
    function row({ name, answered, help, connected, report }, ticks, remove) {
        const how = report ? `${report.outcome}${report.line ? `: ${report.line}` : ""}` : "";
        const cells = [
            make("span", "", ticks, " ", isolated(name), `${help ? ", wants help" : ""}${connected ? "" : ", not connected"}`),
            report?.exercise ?? "",
            isolated(how),
            report?.exercise ? since(report.since) : "",
            report ? String(report.green.length) : "",
            answered ? "yes" : "",
            button("Remove", remove, `remove ${name} from the class`),
        ];
        return make("tr", help ? "wants-help" : report && report.outcome !== "green" ? "is-red" : "",
            ...cells.map((content) => make("td", "", content)));
    }

    /** @param {(what: string, body?: object) => Promise<void>} act */
    window.workbook.class_board = (act) => {
        const [groups, body, summary] = [make("div", "groups"), make("tbody", ""), make("p", "")];
        const titles = ["Who", "At", "Status", "For", "Green", "Predicted", ""];
        /** The rows by the students' names, each with its contents.
         * @type {Map<string, {told: string, row: HTMLElement, field: HTMLInputElement}>} */
        let rows = new Map();
        let toldOfGroups = "";
        /** @type {Student[]} */
        let all = [];
        let isOpen = true;

        const ticked = () => [...rows].filter(([, { field }]) => field.checked).map(([name]) => name);
        const takeOff = button("", () => {
            const names = ticked();
            if (confirm(`Remove ${names.length === 1 ? "1 student" : `${names.length} students`} from the class? This also deletes their answers and reports.`)) {
                void act("remove", { names });
            }
        });
        const tickSilent = button("Tick students who have only joined", () => {
            for (const { name } of all.filter(hasOnlyJoined)) {
                /** @type {HTMLInputElement} */ (rows.get(name)?.field).checked = true;
            }
            showControls();
        });
        const door = button("", () => void act("door", { open: !isOpen }));
        const controls = make("p", "controls", door, " ", tickSilent, " ", takeOff);

        function showControls() {
            const count = ticked().length;
            takeOff.disabled = count === 0;
            takeOff.textContent = count === 0 ? "Remove the ticked students" : `Remove the ticked students (${count})`;
            tickSilent.disabled = !all.some(hasOnlyJoined);
            door.textContent = isOpen ? "Let nobody else in" : "Let students in again";
        }

        /** Keeps the rows that haven't changed, so that nothing moves under the teacher's hand.
         * @param {Student[]} students the server has those first who need help */
        function showStudents(students) {
            all = students;
            const before = [...rows.values()].map((one) => one.row);
            rows = new Map(students.map((student) => {
                const { name, report } = student;
                const told = JSON.stringify({ ...student, report: report && { ...report, since: since(report.since) } });
                const known = rows.get(name);
                if (known?.told === told) {
                    return [name, known];
                }
                const field = known?.field ?? box(name, showControls);
                return [name, { told, field, row: row(student, field, () => {
                    if (confirm(`Remove ${name} from the class? This also deletes their answers and reports.`)) {
                        void act("remove", { names: [name] });
                    }
                }) }];
            }));
            const now = [...rows.values()].map((one) => one.row);
            if (now.length !== before.length || now.some((one, at) => one !== before[at])) {
                body.replaceChildren(...now);
            }
            showControls();
        }

        /** @param {ClassState} state */
        function show({ students, groups: shown, door: isDoorOpen }) {
            isOpen = isDoorOpen;
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
                make("p", "not-for-the-wall", "This page shows names: keep it off the wall."), summary, groups, controls, table("table", "the students", titles, body)),
            show,
        };
    };
})();
