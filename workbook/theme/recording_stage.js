// Draws a recorded run at one of its moments: the line of the source that runs, the loop's contents, and
// the transcript so far. The changes of this moment are marked, and everything keeps its
// place, so that a reader's eye can stay on its object. `recording.js` moves from moment to moment.
"use strict";

(() => {
    const { make } = window.workbook.elements;
    const { box, loopState } = window.workbook.recordings;

    /** Makes a box for lines, which scrolls by itself.
     * @param {string} className
     * @param {string} name
     * @param {HTMLElement[]} lines */
    function listing(className, name, lines) {
        const list = make("ol", className.startsWith("code") ? "lines hljs" : "lines", ...lines);
        list.setAttribute("aria-label", name);
        return { list, element: box(className, name, list) };
    }

    /** Scrolls a list, and nothing else, so that one of its lines can be seen with the lines around it, and
     * the other line, too, if there's room for both.
     * @param {HTMLElement} list
     * @param {HTMLElement} line
     * @param {HTMLElement} [other] */
    function reveal(list, line, other = line) {
        const ends = (/** @type {HTMLElement[]} */ lines) => {
            const margin = line.offsetHeight;
            const top = Math.min(...lines.map((line) => line.offsetTop)) - margin;
            return { top, bottom: Math.max(...lines.map((line) => line.offsetTop + line.offsetHeight)) + margin };
        };
        const both = ends([line, other]);
        const { top, bottom } = both.bottom - both.top <= list.clientHeight ? both : ends([line]);
        if (top < list.scrollTop || bottom > list.scrollTop + list.clientHeight) {
            list.scrollTop = (top + bottom - list.clientHeight) / 2;
        }
    }

    /** Makes a row for each line of code, with its syntax marked if mdBook's highlighter is there.
     * @param {string} language
     * @param {string[]} lines */
    function codeRows(language, lines) {
        return lines.map((text) => {
            const code = make("code", "", text.trimStart());
            if (typeof hljs !== "undefined") {
                code.innerHTML = hljs.highlight(language, text.trimStart(), true).value;
            }
            const row = make("li", "", code);
            // The style sheet indents the row, by less on a narrow page.
            row.style.setProperty("--indent", String(text.length - text.trimStart().length));
            return row;
        });
    }

    /** The source: the line that runs is marked, and its callers are marked weakly. If a moment has no line,
     * none is marked.
     * @param {Recording["source"]} source */
    function sourceOf({ file, parts }) {
        /** @type {Map<number, HTMLElement>} */
        const rowOfLine = new Map();
        for (const { first_line, lines } of parts) {
            codeRows("rust", lines).forEach((row, at) => {
                row.setAttribute("value", String(first_line + at));
                row.classList.toggle("begins", at === 0);
                rowOfLine.set(first_line + at, row);
            });
        }
        const { list, element } = listing("code source", file, [...rowOfLine.values()]);
        const caller = make("span", "order");
        element.firstElementChild?.append(" ", caller);
        return {
            element,
            /** @param {Moment} moment */
            show({ line, callers = [] }) {
                caller.textContent = callers.length > 0 ? `called from line ${callers.join(", from line ")}` : "";
                for (const [number, row] of rowOfLine) {
                    row.classList.toggle("is-current", number === line);
                    row.classList.toggle("is-caller", number !== line && callers.includes(number));
                    row.removeAttribute("aria-current");
                }
                const current = line === undefined ? undefined : rowOfLine.get(line);
                if (current) {
                    current.setAttribute("aria-current", "step");
                    reveal(list, current, rowOfLine.get(callers.at(-1) ?? 0));
                }
            },
        };
    }

    /** The transcript: each line has its place from the beginning, and appears when it's printed.
     * @param {string[]} lines */
    function transcriptOf(lines) {
        const rows = lines.map((text) => make("li", "", text));
        const { list, element } = listing("printed", "Printed so far", rows);
        return {
            element,
            /** @param {Moment} moment
             * @param {Moment | undefined} before */
            show({ printed }, before) {
                const already = before?.printed ?? 0;
                rows.forEach((row, at) => {
                    row.classList.toggle("is-to-come", at >= printed);
                    row.classList.toggle("is-new", at >= already && at < printed);
                });
                if (printed > 0) {
                    reveal(list, rows[printed - 1]);
                } else {
                    list.scrollTop = 0;
                }
            },
        };
    }

    /** Draws a run.
     * @param {Recording} recording */
    function stage(recording) {
        const source = sourceOf(recording.source);
        const printed = transcriptOf(recording.transcript);
        const loop = loopState(recording.moments);
        // Long lines get the width of the page.
        const printsWidely = recording.transcript.some((line) => line.length > 42);
        const element = make("div", printsWidely ? "stage prints-widely" : "stage", source.element, loop.element, printed.element);
        if (recording.twin) {
            element.append(listing("code twin-text", "The same on CPython", codeRows("python", recording.twin)).element);
        }
        return {
            element,
            /** @param {number} at */
            show(at) {
                const moment = recording.moments[at];
                source.show(moment);
                printed.show(moment, recording.moments[at - 1]);
                loop.show(at);
            },
        };
    }

    window.workbook.stage_of = stage;
})();
