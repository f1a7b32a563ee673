// The picture of a tick: descriptors and timers on the left, the ready queue in the middle, and the running
// callbacks on the right. A callback travels to the queue from the place of its cause, and it's a button that
// describes it. The page /loop plays the picture (cockpit_loop.js).
"use strict";

(() => {
    const { elements: { make, group, svg }, traces } = window.workbook;
    const { LATE, time, nameOf, runsOf, busy, isLate, descriptor, readiness, timer, cause } = traces;

    /** The number of a tick's things that are drawn, by kind; the others are only counted. */
    const MOST = { event: 4, timer: 3, run: 12 };
    /** The time that a thing travels, in milliseconds. */
    const TRAVEL = 450;
    const PARTS = ["How long?", "Asleep", "Descriptors", "Timers", "Run"];

    /** Returns those runs of a tick that are drawn: the first ones, and the longest of all.
     * @param {TracedTick} tick */
    function drawnRuns(tick) {
        const runs = runsOf(tick);
        const longest = Math.max(...runs.map(({ run }) => run.took));
        return runs.length <= MOST.run ? runs : runs.filter(({ run }, index) => index < MOST.run - 1 || run.took === longest).slice(0, MOST.run);
    }

    /** Returns the moments of a tick, which are shown one after another, each with its number of seconds.
     * @param {TracedTick} tick
     * @returns {TickMoment[]} */
    function momentsOf(tick) {
        const some = (/** @type {any[]} */ all, /** @type {keyof typeof MOST} */ kind) => [...all.slice(0, MOST[kind]).keys()];
        const longer = (/** @type {number} */ seconds, /** @type {number} */ from) => Math.max(0, Math.log10(seconds / from));
        return [
            { part: 1, at: 0, lasts: 0.5 },
            ...tick.timeout !== 0 ? [{ part: 2, at: 0, lasts: 0.6 + 0.3 * Math.min(3, longer(tick.slept, 0.001)) }] : [],
            ...some(tick.events, "event").map((at) => ({ part: 3, at, lasts: 0.8 })),
            ...some(tick.due, "timer").map((at) => ({ part: 4, at, lasts: 0.8 })),
            ...drawnRuns(tick).map(({ run }, at) => ({ part: 5, at, lasts: 0.7 + 0.3 * Math.min(5, longer(run.took, 1e-5)) })),
            { part: 6, at: 0, lasts: 0.6 },
        ];
    }

    /** Returns how many of a tick's drawn runs have begun at a moment. */
    const begun = (/** @type {TracedTick} */ tick, /** @type {TickMoment} */ { part, at }) => part === 6 ? drawnRuns(tick).length : part === 5 ? at + 1 : 0;

    const many = (/** @type {number} */ number) => number.toLocaleString("en");
    const idOf = (/** @type {{fd?: number}} */ { fd }) => `fd ${fd ?? "wake"}`;

    /** Returns the point at which a thread leaves one box for another, and whether the other is beside it.
     * @param {DOMRect} one
     * @param {DOMRect} other
     * @returns {[number, number, boolean]} */
    function edge(one, other) {
        const isBeside = other.left > one.right || one.left > other.right;
        return isBeside ? [other.left > one.right ? one.right : one.left, one.top + one.height / 2, true]
            : [one.left + one.width / 2, other.top > one.top ? one.bottom : one.top, false];
    }

    /** Makes the picture.
     * @param {(words: string[], place?: string) => void} tell describes a clicked thing, and the place that made it */
    window.workbook.loop_picture = (tell) => {
        const parts = make("ol", "parts", ...PARTS.map((name) => make("li", "", make("b", "", name), " ", make("span", ""))));
        const threads = svg("svg", { "aria-hidden": "true" });
        const boxes = {
            descriptors: box("descriptors", "Descriptors", "the selector's"),
            timers: box("timers", "Timers", "the heap's"),
            queue: box("queue", "Ready queue", "next first"),
            runs: box("runs", "Runs", "one at a time"),
        };
        const board = make("div", "board", ...Object.values(boxes).map(({ element }) => element));
        board.append(threads);
        const caption = make("p", "caption");
        const element = group("stage", "The tick that's shown", parts, caption, board);
        const reduced = matchMedia("(prefers-reduced-motion: reduce)");
        /** @type {Map<string, Thing>} */
        let things = new Map();

        /** @param {string} className
         * @param {string} name
         * @param {string} about */
        function box(className, name, about) {
            const [list, rest, small] = [make("div", "things"), make("p", "rest"), make("small", "", about)];
            const head = make("p", "", make("b", "", name), " ", small);
            return { element: group(`box ${className}`, name, head, list, rest), list, rest, small };
        }

        /** Makes a thing, or updates the thing with this id.
         * @param {string} id
         * @param {string} look
         * @param {string[]} words its name, and the text beside the name
         * @param {() => [string[], string?]} about the text after a click
         * @param {{from?: string, took?: number}} [more] its cause, and the time that it has run */
        function thing(id, look, words, about, { from, took } = {}) {
            const button = things.get(id)?.button ?? make("button", "");
            Object.assign(button, { type: "button", className: `thing ${look}` });
            if (button.textContent !== words.join("")) {
                const bar = took === undefined ? [] : [make("i", "bar")];
                button.replaceChildren(make("span", "called", words[0]), ...words.slice(1).map((text) => make("small", "", text)), ...bar);
            }
            // The shortest bar stands for a microsecond, and the longest for a second.
            button.style.setProperty("--long", String(Math.min(1, Math.max(0.02, (Math.log10((took ?? 0) + 1e-9) + 6) / 6))));
            button.onclick = () => {
                element.querySelectorAll("[aria-pressed]").forEach((other) => other.removeAttribute("aria-pressed"));
                button.setAttribute("aria-pressed", "true");
                tell(...about());
            };
            return { id, button, from };
        }

        /** Makes an entry of the queue, or the run that the entry has become.
         * @param {TracedTick} tick
         * @param {TracedTick | undefined} before
         * @param {{run: TracedRun, at: number}} one
         * @param {Map<number, string>} names
         * @param {number} [took] the time that it has run, if any */
        function entry(tick, before, { run, at }, names, took) {
            const { event, timer: fired, run: queued } = run.by ?? {};
            const cameFrom = tick.events[event ?? -1];
            const from = cameFrom ? idOf(cameFrom) : fired !== undefined ? `timer ${tick.tick} ${fired}`
                : queued !== undefined ? `run ${tick.tick - 1} ${queued}` : undefined;
            const { kind, words } = cause(tick, run, before, names);
            const is = {
                step: `A step of the task ${run.task}`,
                callback: "A callback",
                wake: "A sleeping task's timer: it wakes the task, which takes its step in the next tick",
            }[run.what];
            const look = `by-${kind}${(took ?? 0) > LATE ? " is-late" : ""}`;
            return thing(`run ${tick.tick} ${at}`, look, [nameOf(run), ...took === undefined ? [] : [time(took)]], () => [[
                `${is}.${run.name ? ` Its name is “${run.name}”.` : ""}`,
                `It was queued by ${words} and ran in tick ${tick.tick}, for ${time(run.took)}.`,
            ], run.name ? undefined : run.created_at], { from, took });
        }

        /** The descriptors that were ready last, and the number of the others. @type {BoxAt} */
        const descriptorsAt = ({ events, held }, { part, at }, { names, earlier }) => {
            const found = events.slice(0, part < 3 ? 0 : part === 3 ? at + 1 : MOST.event);
            const last = [...earlier.flatMap(({ events }) => events), ...found].reverse().map((event) => ({ event, id: idOf(event) }));
            const recent = last.filter(({ id }, index) => last.findIndex((one) => one.id === id) === index).slice(0, MOST.event);
            const all = recent.map(({ id, event }) => {
                const isFound = found.some((one) => idOf(one) === id);
                const isNow = part === 3 && idOf(events[at]) === id;
                const name = event.fd === undefined ? "wake-up" : `fd ${event.fd}`;
                const is = event.fd === undefined ? "another thread or a signal" : names.get(event.fd) ?? event.source;
                const words = [isFound ? `${name} ${readiness(event)}` : name, is];
                return thing(id, `by-event ${isNow ? "is-now" : isFound ? "" : "is-faint"}`, words, () => [[
                    `${descriptor(event, names)} ${readiness(event)}, as the selector last reported.`,
                    event.source === "stream" ? "The stream is registered edge-triggered, so each change is reported once." : "",
                ], event.reader ?? event.writer]);
            });
            all.sort((one, other) => one.id.localeCompare(other.id, undefined, { numeric: true }));
            const unseen = part < 3 ? 0 : Math.max(0, events.length - MOST.event);
            const silent = (held?.descriptors ?? 0) - unseen - all.filter(({ id }) => id !== idOf({})).length;
            const rest = [unseen > 0 ? `${unseen} more ${unseen === 1 ? "is" : "are"} ready` : "",
                silent > 0 ? `${many(silent)} ${silent === 1 ? "other is" : "others are"} silent` : ""];
            return { all, rest: rest.filter(Boolean).join(", ") };
        };

        /** The timers of a tick, and the timer that comes later. @type {BoxAt} */
        const timersAt = (tick, { part, at }, { coming }) => {
            const due = tick.due.map((one, number) => {
                const isDue = part > 4 || part === 4 && at >= number;
                const look = part === 4 && at === number ? "is-now" : isDue ? "" : "is-waiting";
                const words = [timer(one), isDue ? "due" : "the next"];
                return thing(`timer ${tick.tick} ${number}`, `by-timer ${look}`, words, () => [[
                    `${timer(one)}: it fired in tick ${tick.tick}. A timer goes from the heap into the ready queue when it's due.`,
                ], one.created_at]);
            });
            const later = coming.map(({ what, at: seconds }, number) => {
                const when = `in ${time(seconds)}`;
                return thing(`coming ${number}`, "by-timer is-faint", [what, when], () => [[`${what}: it's in the heap and due ${when}.`]]);
            });
            const all = [...due, ...later].slice(0, MOST.timer);
            return { all, rest: tick.held?.timers ? `${many(tick.held.timers)} more` : "" };
        };

        /** The waiting entries of a tick, and those that its runs have queued for the next tick. @type {BoxAt} */
        const queueAt = (tick, now, { before, next, names }) => {
            const { part, at } = now;
            const has = (/** @type {number} */ its, /** @type {number} */ number, /** @type {number} */ most) =>
                part > its || part === its && at >= Math.min(number, most - 1);
            const isQueued = (/** @type {TracedRun} */ { by }) => by?.event !== undefined ? has(3, by.event, MOST.event)
                : by?.timer === undefined || has(4, by.timer, MOST.timer);
            const waiting = drawnRuns(tick).slice(begun(tick, now)).filter(({ run }) => isQueued(run));
            const over = part === 6 ? Infinity : part === 5 ? drawnRuns(tick)[at].at : 0;
            const queued = next?.tick === tick.tick + 1 ? runsOf(next).filter(({ run }) => (run.by?.run ?? Infinity) < over) : [];
            const later = queued.map((one) => entry(/** @type {TracedTick} */ (next), tick, one, names));
            later.forEach(({ button }) => button.classList.add("is-next"));
            const all = [...waiting.map((one) => entry(tick, before, one, names)), ...later];
            const unseen = Math.max(0, all.length - MOST.run) + (part < 6 ? runsOf(tick).length - drawnRuns(tick).length : 0);
            return { all: all.slice(0, MOST.run), rest: all.length === 0 ? "empty" : unseen > 0 ? `${many(unseen)} more` : "" };
        };

        /** The finished runs of a tick, and the current run. @type {BoxAt} */
        const runsAt = (tick, now, { before, names }) => {
            const all = drawnRuns(tick).slice(0, begun(tick, now)).map((one) => entry(tick, before, one, names, one.run.took));
            all.at(-1)?.button.classList.toggle("is-now", now.part === 5);
            const unseen = now.part === 6 ? runsOf(tick).length - all.length : 0;
            return { all, rest: unseen > 0 ? `${many(unseen)} more, which aren't drawn` : "" };
        };

        /** Puts things in their current places, and lets those that were elsewhere travel.
         * @param {Record<keyof typeof boxes, ReturnType<BoxAt>>} holds
         * @param {number} speed */
        function place(holds, speed) {
            const at = (/** @type {Element} */ one) => one.getBoundingClientRect();
            const was = new Map([...things].map(([id, { button }]) => [id, at(button)]));
            const focused = document.activeElement;
            things = new Map();
            for (const [name, { all, rest }] of Object.entries(holds)) {
                const { list, rest: line } = boxes[/** @type {keyof typeof boxes} */ (name)];
                all.forEach((one) => things.set(one.id, one));
                if (all.length !== list.children.length || all.some(({ button }, index) => list.children[index] !== button)) {
                    list.replaceChildren(...all.map(({ button }) => button));
                }
                if (line.textContent !== rest) {
                    line.textContent = rest;
                }
            }
            if (focused instanceof HTMLElement && element.contains(focused)) {
                focused.focus({ preventScroll: true });
            }
            draw(at);
            for (const { id, button, from } of reduced.matches ? [] : things.values()) {
                const [here, before] = [at(button), was.get(id) ?? was.get(from ?? "")];
                const [x, y] = before ? [before.x - here.x, before.y - here.y] : [0, 0];
                if (!before || Math.abs(x) + Math.abs(y) > 1) {
                    button.animate([{ transform: `translate(${x}px, ${y}px)`, opacity: was.has(id) ? 1 : 0.2 }, { transform: "none", opacity: 1 }],
                        { duration: TRAVEL / Math.max(1, speed), easing: "ease-in-out" });
                }
            }
        }

        /** Draws a thread from the cause of an entry to the entry's current place.
         * @param {(element: Element) => DOMRect} at */
        function draw(at) {
            const { left, top } = at(board);
            threads.replaceChildren(...[...things.values()].flatMap(({ button, from }) => {
                const begin = things.get(from ?? "")?.button;
                if (!begin) {
                    return [];
                }
                const [[x, y, isBeside], [toX, toY]] = [edge(at(begin), at(button)), edge(at(button), at(begin))];
                const bend = isBeside ? `${(x + toX) / 2} ${y} ${(x + toX) / 2} ${toY}` : `${x} ${(y + toY) / 2} ${toX} ${(y + toY) / 2}`;
                const d = `M${x} ${y} C${bend} ${toX} ${toY}`;
                return [svg("path", { d, transform: `translate(${-left} ${-top})`, class: button.className })];
            }));
        }
        new ResizeObserver(() => draw((one) => one.getBoundingClientRect())).observe(board);

        /** Describes a moment.
         * @param {TracedTick} tick
         * @param {TickMoment} now
         * @param {Map<number, string>} names */
        function inWords(tick, { part, at }, names) {
            const [event, due] = [tick.events[part === 3 ? at : 0], tick.due[part === 4 ? at : 0]];
            const run = part === 5 ? drawnRuns(tick)[at].run : undefined;
            const ready = event && `${descriptor(event, names)} ${readiness(event)}`;
            const woke = ready ?? (due ? `the deadline of ${timer(due)}` : "its timeout, and no callback is due");
            const says = [
                `how long can the loop sleep? ${traces.why(tick)}`,
                `the loop sleeps for ${time(tick.slept)}. What wakes it: ${woke}`,
                ready,
                due && `${timer(due)} is due`,
                run && `“${nameOf(run)}” runs for ${time(run.took)}${run.took > LATE ? ", and all other runs wait" : ""}`,
                `the tick is over; the loop was busy for ${time(busy(tick))}`,
            ][part - 1];
            return `Tick ${many(tick.tick)}: ${says}.`;
        }

        return {
            element,
            caption,
            momentsOf,
            /** Shows a moment of a tick. @type {ReturnType<typeof window.workbook.loop_picture>["show"]} */
            show(tick, now, around, speed) {
                const { timeout, slept, events, due } = tick;
                const values = [timeout === null ? "forever" : time(timeout), timeout === 0 ? "no" : time(slept),
                    `${events.length}`, `${due.length}`, `${runsOf(tick).length} in ${time(busy(tick))}`];
                [...parts.children].forEach((part, index) => {
                    part.classList.toggle("is-now", index + 1 === now.part);
                    /** @type {HTMLElement} */ (part.lastElementChild).textContent = values[index];
                });
                boxes.runs.small.textContent = "one at a time";
                element.classList.toggle("is-asleep", now.part === 2);
                element.classList.toggle("is-late", isLate(tick));
                element.style.setProperty("--lasts", `${now.lasts / speed}s`);
                caption.textContent = inWords(tick, now, around.names);
                const [descriptors, timers, queue, runs] = [descriptorsAt, timersAt, queueAt, runsAt].map((box) => box(tick, now, around));
                place({ descriptors, timers, queue, runs }, speed);
            },
            /** Says that the loop sleeps now.
             * @param {string} words */
            sleeps(words) {
                [...parts.children].forEach((part, index) => part.classList.toggle("is-now", index === 1));
                element.classList.remove("is-late");
                boxes.runs.small.textContent = "idle; these ran last";
                element.classList.add("is-asleep");
                caption.textContent = words;
            },
        };
    };
})();
