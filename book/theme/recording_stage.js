// Draws a recorded run as it stood at one of its moments: the line of the source that runs, what the loop
// holds, and the transcript so far. What this moment has changed is marked, and everything keeps its
// place, so that a reader's eye can stay on what it watches. `recording.js` moves from moment to moment.
"use strict";

window.workbook = window.workbook || {};

(() => {
    /** What a kind of moment is called.
     * @type {Record<string, string>} */
    const KINDS = {
        call: "system call", say: "prints", sleep: "sleeps", tick: "tick", event: "event", timer: "timer", run: "runs",
        poll: "polls", wake: "wakes", schedule: "schedules", cancel: "cancels",
    };

    /** What the loop holds at a moment: all that was noted up to it.
     * @typedef {Pick<Moment, "ready" | "timers" | "descriptors" | "selector" | "polled" | "waits" | "clock">} State */

    /** A row of a list. The id tells whether it's new or has changed.
     * @typedef {{id: string, text: string, details: string[], cancelled?: boolean}} Row */

    /** The lists of a state: their names, their order, and their rows.
     * @type {{name: string, order: string, rows: (state: State) => Row[] | undefined}[]} */
    const LISTS = [
        { name: "Ready queue", order: "next first", rows: (state) => state.ready?.map((text) => row(text)) },
        {
            name: "Timers",
            order: "earliest first",
            rows: (state) => state.timers?.map(({ at, what, cancelled }) =>
                ({ ...row(`${at}  ${what}`, ...(cancelled ? ["cancelled"] : [])), cancelled })),
        },
        {
            name: "Descriptors",
            order: "registered, with their readiness",
            rows: (state) => state.descriptors?.map(({ name, interest, ready }) =>
                row(name, `watched for ${interest || "nothing"}`, ready ? `ready: ${ready}` : "not ready")),
        },
        {
            name: "Who waits",
            order: "and who wakes them",
            rows: (state) => state.waits?.map((wait) =>
                row(wait.task, `waits for ${wait.for}`, ...(wait.woken_by ? [`woken by ${wait.woken_by}`] : []))),
        },
    ];

    /** The single values of a state.
     * @type {{name: string, value: (state: State) => string | undefined}[]} */
    const VALUES = [
        { name: "Clock", value: (state) => state.clock ?? undefined },
        { name: "Runs now", value: (state) => state.polled === undefined ? undefined : state.polled ?? "nothing" },
        {
            name: "Selector",
            value: ({ selector }) => {
                const why = selector?.why ? `: ${selector.why}` : "";
                return selector === undefined ? undefined : selector ? `asleep, timeout ${selector.timeout}${why}` : "awake";
            },
        },
    ];

    /**
     * @param {string} text
     * @param {string[]} details
     * @returns {Row} */
    function row(text, ...details) {
        return { id: text, text, details };
    }

    /**
     * Makes an element with a class, and puts these into it.
     * @param {string} tag
     * @param {string} className
     * @param {(Node | string)[]} content
     */
    function make(tag, className, ...content) {
        const made = document.createElement(tag);
        made.className = className;
        made.append(...content);
        return made;
    }

    /** Makes a box with a name, which screen readers tell, too.
     * @param {string} className
     * @param {string} name
     * @param {(Node | string)[]} content */
    function box(className, name, ...content) {
        const made = make("div", `box ${className}`, make("p", "name", name), ...content);
        made.setAttribute("role", "group");
        made.setAttribute("aria-label", name);
        return made;
    }

    /** Makes a box for lines, which scrolls by itself.
     * @param {string} className
     * @param {string} name
     * @param {HTMLElement[]} lines */
    function listing(className, name, lines) {
        const list = make("ol", "lines", ...lines);
        list.setAttribute("aria-label", name);
        return { list, element: box(className, name, list) };
    }

    /** Scrolls a list, and nothing else, so that one of its lines can be seen with what's around it.
     * @param {HTMLElement} list
     * @param {HTMLElement} line */
    function reveal(list, line) {
        const top = line.offsetTop - list.offsetTop;
        const margin = line.offsetHeight * 2;
        if (top - margin < list.scrollTop || top + line.offsetHeight + margin > list.scrollTop + list.clientHeight) {
            list.scrollTop = top - list.clientHeight / 3;
        }
    }

    /** Returns code with its syntax marked, if mdBook's highlighter is there.
     * @param {string} language
     * @param {string} text */
    function code(language, text) {
        const made = make("code", "", text);
        if (typeof hljs !== "undefined") {
            made.innerHTML = hljs.highlight(language, text, true).value;
        }
        return made;
    }

    /** The source: the line that runs is marked. A moment can have none, and then the last one stays where
     * it is, without its mark.
     * @param {Recording["source"]} source */
    function sourceOf({ file, first_line, lines }) {
        const rows = lines.map((text) => make("li", "", code("rust", text)));
        const { list, element } = listing("source", file, rows);
        list.setAttribute("start", String(first_line));
        list.classList.add("hljs");
        return {
            element,
            /** @param {Moment} moment */
            show({ line }) {
                const current = line === undefined ? undefined : rows[line - first_line];
                for (const row of rows) {
                    row.classList.toggle("is-current", row === current);
                    row.removeAttribute("aria-current");
                }
                if (current) {
                    current.setAttribute("aria-current", "step");
                    reveal(list, current);
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

    /** A list of the loop's. It has room for the most that it'll hold, and says what has just left it.
     * @param {typeof LISTS[number]} spec
     * @param {State[]} states */
    function listOf({ name, order, rows }, states) {
        const list = make("ol", "rows");
        list.style.setProperty("--most", String(Math.max(...states.map((state) => rows(state)?.length ?? 0))));
        const gone = make("span", "gone");
        const element = box("list", name, list);
        element.firstElementChild?.append(" ", make("span", "order", order), gone);
        return {
            element,
            /** @param {State} state
             * @param {State | undefined} before */
            show(state, before) {
                const now = rows(state) ?? [];
                const then = (before && rows(before)) ?? [];
                const left = [...then];
                list.replaceChildren(...now.map(({ id, text, details, cancelled }) => {
                    const at = left.findIndex((other) => other.id === id);
                    const [same] = at < 0 ? [] : left.splice(at, 1);
                    const isNew = before && String(same?.details) !== String(details);
                    const words = details.map((detail, index) =>
                        make("span", before && same && same.details[index] !== detail ? "detail is-new" : "detail", detail));
                    return make("li", `${isNew ? "is-new" : ""} ${cancelled ? "is-cancelled" : ""}`.trim(),
                        make("span", "what", text), ...words);
                }));
                gone.textContent = left.length > 0 ? ` gone: ${left.map(({ text }) => text).join(", ")}` : "";
            },
        };
    }

    /** One of the loop's values.
     * @param {typeof VALUES[number]} spec */
    function valueOf({ name, value }) {
        const shown = make("dd", "");
        return {
            element: make("div", "", make("dt", "", name), shown),
            /** @param {State} state
             * @param {State | undefined} before */
            show(state, before) {
                shown.textContent = value(state) ?? "";
                shown.classList.toggle("is-new", before !== undefined && value(state) !== value(before));
            },
        };
    }

    /** Returns what the loop holds after each moment. A moment notes what it has changed.
     * @param {Moment[]} moments
     * @returns {State[]} */
    function statesOf(moments) {
        /** @type {State} */
        let state = {};
        return moments.map(({ ready, timers, descriptors, selector, polled, waits, clock }) => {
            const noted = Object.entries({ ready, timers, descriptors, selector, polled, waits, clock });
            state = { ...state, ...Object.fromEntries(noted.filter(([, value]) => value !== undefined)) };
            return state;
        });
    }

    /** Draws a run. A part that the run doesn't have is left out.
     * @param {Recording} recording */
    function stage(recording) {
        const states = statesOf(recording.moments);
        const values = VALUES.filter(({ value }) => states.some((state) => value(state) !== undefined)).map(valueOf);
        const lists = LISTS.filter(({ rows }) => states.some((state) => rows(state)?.length))
            .map((spec) => listOf(spec, states));
        const source = sourceOf(recording.source);
        const printed = transcriptOf(recording.transcript);
        const loop = make("div", "state");
        if (values.length > 0) {
            loop.append(make("dl", "box values", ...values.map(({ element }) => element)));
        }
        loop.append(...lists.map(({ element }) => element));
        const element = make("div", "stage", source.element, loop, printed.element);
        if (recording.twin) {
            const text = code("python", recording.twin.join("\n"));
            text.classList.add("lines", "hljs");
            text.setAttribute("aria-label", "The same on CPython");
            element.append(box("twin-text", "The same on CPython", make("pre", "", text)));
        }
        return {
            element,
            /** @param {number} at */
            show(at) {
                const moment = recording.moments[at];
                source.show(moment);
                printed.show(moment, recording.moments[at - 1]);
                [...values, ...lists].forEach((part) => part.show(states[at], states[at - 1]));
            },
        };
    }

    window.workbook.recordings = { stage, make, KINDS };
})();
