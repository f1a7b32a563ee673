// Draws the loop's contents at a moment of a recorded run: its queue, timers, descriptors and waiting
// tasks, and its current activity. `recording_stage.js` puts the picture beside the source and the transcript.
"use strict";

(() => {
    const { make, group } = window.workbook.elements;

    /** The loop's contents at a moment: everything that was noted up to then.
     * @typedef {Pick<Moment, "ready" | "timers" | "descriptors" | "selector" | "polled" | "waits" | "clock"> & {tick?: string}} State */

    /** A row of a list. The id shows whether the row is new or has changed.
     * @typedef {{id: string, text: string, details: string[]}} Row */

    /** This list has the longest rows. */
    const WAITS = "Waiting tasks";

    /** The lists of a state: their names, their order, and their rows.
     * @type {{name: string, order: string, rows: (state: State) => Row[] | undefined}[]} */
    const LISTS = [
        { name: "Ready queue", order: "next first", rows: (state) => state.ready?.map((text) => row(text)) },
        {
            name: "Timers",
            order: "earliest first",
            rows: (state) => state.timers?.map(({ at, what }) => row(`${at}  ${what}`)),
        },
        {
            name: "Descriptors",
            order: "as last reported",
            rows: (state) => state.descriptors?.map(({ name, interest, ready }) =>
                row(name, `watched for ${interest || "nothing"}`, ready ? `reported: ${ready}` : "nothing reported yet")),
        },
        {
            name: WAITS,
            order: "and what wakes them",
            rows: (state) => state.waits?.map((wait) =>
                row(wait.task, `waits for ${wait.for}`, ...(wait.woken_by ? [`woken by ${wait.woken_by}`] : []))),
        },
    ];

    /** The single values of a state.
     * @type {{name: string, value: (state: State) => string | undefined}[]} */
    const VALUES = [
        { name: "Tick", value: (state) => state.tick },
        { name: "Clock", value: (state) => state.clock ?? undefined },
        { name: "Polled now", value: (state) => state.polled === undefined ? undefined : state.polled ?? "no task" },
        {
            name: "Selector",
            value: ({ selector }) => {
                if (!selector) {
                    return selector === null ? "awake" : undefined;
                }
                const { timeout, why } = selector;
                const sleeps = /^0\D*$/.test(timeout) ? "only looks" : "asleep";
                const limit = timeout === "forever" ? "no timeout" : `timeout ${timeout}`;
                return `${sleeps}, ${limit}${why ? `: ${why}` : ""}`;
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

    /** Makes a box with a name, which screen readers read out, too.
     * @param {string} className
     * @param {string} name
     * @param {(Node | string)[]} content */
    function box(className, name, ...content) {
        return group(`box ${className}`, name, make("p", "name", name), ...content);
    }

    /** Makes a place for a text in an element. The place has room for its longest text, so that nothing
     * below it ever jumps.
     * @param {HTMLElement} element
     * @param {string[]} texts */
    function roomFor(element, texts) {
        const place = make("span", "");
        element.append(place);
        element.classList.add("keeps-room");
        element.dataset.longest = texts.reduce((one, other) => other.length > one.length ? other : one, "");
        return place;
    }

    /** Makes a row. Its contents from before this moment aren't marked as new.
     * @param {Row} row
     * @param {Row | undefined} before
     * @param {boolean} isFirst */
    function rowElement({ text, details }, before, isFirst) {
        const isNew = !isFirst && String(before?.details) !== String(details);
        const words = details.map((detail, at) =>
            make("span", before && before.details[at] !== detail ? "detail is-new" : "detail", detail));
        return make("li", isNew ? "is-new" : "",
            make("span", "what", text), ...words);
    }

    /** Returns a list's contents at some moment, without those that belong to another moment: the list needs
     * the room of the longest of these.
     * @param {Row[][]} contents */
    function longest(contents) {
        const isPart = (/** @type {Row[]} */ some, /** @type {Row[]} */ all) => some.length <= all.length
            && some.every(({ text, details }) => all.some((row) => row.text === text && String(row.details) === String(details)));
        /** @type {Row[][]} */
        const kept = [];
        for (const rows of [...contents].sort((one, other) => other.length - one.length)) {
            if (!kept.some((others) => isPart(rows, others))) {
                kept.push(rows);
            }
        }
        return kept;
    }

    /** A list of the loop's. It has room for its longest contents and names the rows that have just left it.
     * @param {typeof LISTS[number]} spec
     * @param {State[]} states */
    function listOf({ name, order, rows }, states) {
        const list = make("ol", "rows");
        const room = make("div", "room", list);
        for (const most of longest(states.map((state) => rows(state) ?? []))) {
            const hidden = make("ol", "rows", ...most.map((row) => rowElement(row, undefined, true)));
            hidden.setAttribute("aria-hidden", "true");
            room.append(hidden);
        }
        const gone = make("span", "gone");
        const element = box(`list ${name === WAITS ? "waits" : ""}`, name, room);
        element.firstElementChild?.append(" ", make("span", "order", order), gone);
        return {
            element,
            /** @param {State} state
             * @param {State | undefined} before */
            show(state, before) {
                const left = [...(before && rows(before)) ?? []];
                list.replaceChildren(...(rows(state) ?? []).map((row) => {
                    const at = left.findIndex(({ id }) => id === row.id);
                    const [same] = at < 0 ? [] : left.splice(at, 1);
                    return rowElement(row, same, before === undefined);
                }));
                gone.textContent = left.length > 0 ? `gone: ${left.map(({ text }) => text).join(", ")}` : "";
            },
        };
    }

    /** One of the loop's values.
     * @param {typeof VALUES[number]} spec
     * @param {State[]} states */
    function valueOf({ name, value }, states) {
        const place = make("dd", "");
        const shown = roomFor(place, states.map((state) => value(state) ?? ""));
        return {
            element: make("div", "", make("dt", "", name), place),
            /** @param {State} state
             * @param {State | undefined} before */
            show(state, before) {
                shown.textContent = value(state) ?? "";
                place.classList.toggle("is-new", before !== undefined && value(state) !== value(before));
            },
        };
    }

    /** Returns the loop's contents after each moment. A moment notes its own changes.
     * @param {Moment[]} moments
     * @returns {State[]} */
    function statesOf(moments) {
        /** @type {State} */
        let state = {};
        return moments.map(({ kind, what, ready, timers, descriptors, selector, polled, waits, clock }) => {
            const tick = kind === "tick" ? what.match(/\d+/)?.[0] : undefined;
            const noted = Object.entries({ tick, ready, timers, descriptors, selector, polled, waits, clock });
            state = { ...state, ...Object.fromEntries(noted.filter(([, value]) => value !== undefined)) };
            return state;
        });
    }

    /** Returns the loop's contents after a moment, in words.
     * @param {Moment[]} moments
     * @param {number} at */
    function inWords(moments, at) {
        const state = statesOf(moments)[at] ?? {};
        const values = VALUES.map(({ name, value }) => [name, value(state)]);
        const lists = LISTS.map(({ name, rows }) =>
            [name, rows(state)?.map(({ text, details }) => [text, ...details].join(" ")).join(", ")]);
        return [...values, ...lists].filter(([, text]) => text !== undefined)
            .map(([name, text]) => `${name}: ${text || "nothing"}`);
    }

    /** Draws the loop's contents. Kinds that never occur in this run are left out.
     * @param {Moment[]} moments */
    function loopState(moments) {
        const states = statesOf(moments);
        const values = VALUES.filter(({ value }) => states.some((state) => value(state) !== undefined))
            .map((spec) => valueOf(spec, states));
        const lists = LISTS.filter(({ rows }) => states.some((state) => rows(state)?.length))
            .map((spec) => listOf(spec, states));
        const element = make("div", "state");
        if (values.length > 0) {
            element.append(make("dl", "box values", ...values.map(({ element }) => element)));
        }
        element.append(...lists.map(({ element }) => element));
        return {
            element,
            /** @param {number} at */
            show(at) {
                [...values, ...lists].forEach((part) => part.show(states[at], states[at - 1]));
            },
        };
    }

    window.workbook.recordings = { box, roomFor, loopState, inWords };
})();
