// The board: the class on one page, those who need help first. It has names, so it isn't for the wall.
"use strict";

(() => {
    const { make } = window.workbook.elements;
    const { builders } = window.workbook.polls;

    /** @param {number} seconds */
    const since = (seconds) => seconds < 60 ? "just now" : `${Math.floor(seconds / 60)} min`;

    /** Returns how urgently a student needs the teacher: the larger, the sooner.
     * @param {Student} student */
    function urgency({ help, report }) {
        const isStuck = report && report.outcome !== "green";
        return help ? 1e9 : isStuck ? report.since : -1;
    }

    /** @param {ClassGroup} group */
    function shownGroup({ exercise, line, names, question }) {
        return make("section", "group",
            make("h3", "", `${names.length} are at ${exercise ?? "the same place"} with the same red line`),
            make("p", "", make("code", "", line)),
            ...question ? [make("p", "", "Ask: ", builders("ask", question))] : [],
            make("p", "names", names.join(", ")));
    }

    /** @param {Student} student */
    function row({ name, answered, help, connected, report }) {
        const how = report ? `${report.outcome}${report.line ? `: ${report.line}` : ""}` : "";
        const cells = [
            ["", `${help ? "✋ " : ""}${name}${connected ? "" : " (not connected)"}`],
            ["at", report?.exercise ?? ""],
            ["", how],
            ["for", report ? since(report.since) : ""],
            ["green", report ? String(report.green.length) : ""],
            ["predicted", answered ? "yes" : ""],
        ];
        return make("tr", help ? "wants-help" : report && report.outcome !== "green" ? "is-red" : "", ...cells.map(([title, text]) => {
            const cell = make("td", "", text);
            cell.dataset.title = title;
            return cell;
        }));
    }

    window.workbook.class_board = () => {
        const [groups, body, summary] = [make("div", "groups"), make("tbody", ""), make("p", "")];
        const titles = ["Who", "At", "How it stands", "For", "Green", "This poll"];
        const head = make("tr", "", ...titles.map((title) => {
            const cell = make("th", "", title);
            cell.setAttribute("scope", "col");
            return cell;
        }));
        const table = make("div", "table", make("table", "", make("thead", "", head), body));
        table.tabIndex = 0;
        table.setAttribute("role", "region");
        table.setAttribute("aria-label", "the students");

        /** @param {ClassState} state */
        function show({ students, groups: shown }) {
            const helps = students.filter(({ help }) => help).length;
            const connected = students.filter((student) => student.connected).length;
            summary.textContent = `${students.length} in the class, ${connected} connected, ${helps} ${helps === 1 ? "asks" : "ask"} for help.`;
            groups.replaceChildren(...[...shown].sort((one, other) => other.names.length - one.names.length).map(shownGroup));
            body.replaceChildren(...[...students].sort((one, other) =>
                urgency(other) - urgency(one) || one.name.localeCompare(other.name)).map(row));
        }

        return {
            element: make("div", "board", make("h1", "", "The board"),
                make("p", "not-for-the-wall", "It has names: keep it off the wall."), summary, groups, table),
            show,
        };
    };
})();
