// The picture of a tick: descriptors and timers on the left, the ready queue in the middle, and what runs on
// the right. What's in the queue travels there from what has put it there, and is a button that says what it
// is. The page /loop plays it (cockpit_loop.js).
"use strict";

(() => {
    const { elements: { make, group }, traces } = window.workbook;
    const { time, nameOf, runsOf, busy, isLate, descriptor, readiness, timer, cause } = traces;

    /** How much of a tick is drawn, by its kind; the rest is a number. */
    const MOST = { event: 4, timer: 3, run: 12 };
    /** How many descriptors stay in the picture, and how many timers that are still to come. */
    const [RECENT, COMING] = [4, 3];
    /** How long a thing travels, in milliseconds. */
    const TRAVEL = 450;
    const PARTS = ["How long?", "Asleep", "Descriptors", "Timers", "Run"];

    /** Returns the runs of a tick that are drawn: the first ones, and the longest of all.
     * @param {TracedTick} tick */
    function drawnRuns(tick) {
        const runs = runsOf(tick);
        const longest = Math.max(...runs.map(({ run }) => run.took));
        return runs.length <= MOST.run ? runs : runs.filter(({ run }, index) => index < MOST.run - 1 || run.took === longest).slice(0, MOST.run);
    }

    /** Returns the moments of a tick that are shown one after the other, and for how many seconds.
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

    /** Makes the picture.
     * @param {(words: string[], place?: string) => void} tell says what a thing is that was clicked, and where it was made */
    window.workbook.loop_picture = (tell) => {
        const parts = make("ol", "parts", ...PARTS.map((name) => make("li", "", make("b", "", name), " ", make("span", ""))));
        const threads = document.createElementNS("http://www.w3.org/2000/svg", "svg");
        threads.setAttribute("aria-hidden", "true");
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
        /** The descriptors that were ready last, the latest first. @type {[string, TracedEvent][]} */
        let recent = [];

        /** @param {string} className
         * @param {string} name
         * @param {string} about */
        function box(className, name, about) {
            const [list, rest] = [make("div", "things"), make("p", "rest")];
            return { element: group(`box ${className}`, name, make("p", "name", make("b", "", name), " ", make("small", "", about)), list, rest), list, rest };
        }

        /** Makes a thing, or brings the one with this id up to date.
         * @param {string} id
         * @param {string} look
         * @param {string[]} words what it's called, and what's said beside that
         * @param {() => [string[], string?]} about what a click says
         * @param {{from?: string, took?: number}} [more] what it comes from, and how long it has run */
        function thing(id, look, words, about, { from, took } = {}) {
            const known = things.get(id);
            const button = known?.button ?? make("button", "");
            button.type = "button";
            button.className = `thing ${look}`;
            if (button.textContent !== words.join("")) {
                button.replaceChildren(make("span", "called", words[0]), ...words.slice(1).map((text) => make("small", "", text)));
            }
            if (took !== undefined && !button.querySelector(".bar")) {
                button.append(make("i", "bar"));
            }
            // A microsecond is the shortest bar, and a second the longest.
            button.style.setProperty("--long", String(took === undefined ? 0 : Math.min(1, Math.max(0.02, (Math.log10(took + 1e-9) + 6) / 6))));
            button.onclick = () => {
                element.querySelectorAll("[aria-pressed]").forEach((other) => other.removeAttribute("aria-pressed"));
                button.setAttribute("aria-pressed", "true");
                tell(...about());
            };
            return { id, button, from };
        }

        /** The things of each box at a moment.
         * @param {TracedTick} tick
         * @param {TracedTick | undefined} before
         * @param {TracedTick | undefined} next
         * @param {TickMoment} now
         * @param {AroundTick} world */
        function thingsAt(tick, before, next, { part, at }, { names, coming, timers, descriptors }) {
            const has = (/** @type {number} */ its, /** @type {number} */ number) => part > its || part === its && at >= number;
            const idOf = (/** @type {TracedEvent} */ event) => `fd ${event.fd ?? "wake"}`;
            const runs = drawnRuns(tick);
            const where = { event: (/** @type {number} */ it) => has(3, Math.min(it, MOST.event - 1)), timer: (/** @type {number} */ it) => has(4, Math.min(it, MOST.timer - 1)) };
            /** @param {TracedTick} tick
             * @param {TracedTick | undefined} before
             * @param {{run: TracedRun, at: number}} one
             * @param {number} [took] */
            function entry(tick, before, { run, at }, took) {
                const { kind, words } = cause(tick, run, before, names);
                const { event, timer } = run.by ?? {};
                const from = event !== undefined ? tick.events[event] && idOf(tick.events[event]) : timer !== undefined ? `timer ${tick.tick} ${timer}`
                    : run.by?.run === undefined ? undefined : `run ${tick.tick - 1} ${run.by.run}`;
                const look = `by-${kind}${run.took > 0.05 && took !== undefined ? " is-late" : ""}`;
                const is = run.what === "step" ? `A step of the task ${run.task}` : run.what === "callback" ? "A callback" : "The timer of a task that sleeps: it wakes the task, whose step waits for the next tick";
                return thing(`run ${tick.tick} ${at}`, look, [nameOf(run), ...took === undefined ? [] : [time(took)]], () => [[
                    `${is}${run.name ? `, which calls itself ${run.name}` : ""}.`, `It was queued by ${words}, and ran in tick ${tick.tick}, for ${time(run.took)}.`,
                ], run.created_at], { from, took });
            }

            for (const event of part >= 3 ? tick.events.slice(0, part === 3 ? at + 1 : MOST.event) : []) {
                recent = [[idOf(event), event], ...recent.filter(([id]) => id !== idOf(event))];
            }
            recent = recent.slice(0, RECENT);
            const found = tick.events.filter((_, number) => has(3, number));
            const shown = recent.map(([id, event]) => {
                const isFound = found.some((one) => idOf(one) === id);
                const isNow = part === 3 && idOf(tick.events[at]) === id;
                const name = event.fd === undefined ? "wake-up" : `fd ${event.fd}`;
                const is = event.fd === undefined ? "another thread or a signal" : names.get(event.fd) ?? event.source;
                return thing(id, `by-event ${isNow ? "is-now" : isFound ? "" : "is-faint"}`, [isFound ? `${name} ${readiness(event)}` : name, is], () => [[
                    `${descriptor(event, names)}: it ${readiness(event)}, as the selector last said.`,
                    event.source === "stream" ? "It's registered edge-triggered, so each change is reported once." : "",
                ], event.reader ?? event.writer]);
            }).sort((one, other) => one.id.localeCompare(other.id, undefined, { numeric: true }));
            const due = tick.due.slice(0, MOST.timer).map((one, number) =>
                thing(`timer ${tick.tick} ${number}`, `by-timer ${part === 4 && at === number ? "is-now" : has(4, number) ? "" : "is-waiting"}`, [timer(one), has(4, number) ? "due" : "the next"], () => [[
                    `${timer(one)}: it fired in tick ${tick.tick}. A timer goes from the heap into the ready queue when it's due.`,
                ], one.created_at]));
            const later = coming(tick).slice(0, COMING).map(({ what, at: when }, number) =>
                thing(`coming ${number}`, "by-timer is-faint", [what, `in ${time(Math.max(0, when))}`], () => [[`${what}: it's in the heap, and due in ${time(Math.max(0, when))}.`]]));
            const isIn = (/** @type {{run: TracedRun}} */ { run: { by } }) => by?.event !== undefined ? where.event(by.event) : by?.timer !== undefined ? where.timer(by.timer) : true;
            const ran = part === 6 ? runs.length : part === 5 ? at + 1 : 0;
            const over = part === 6 ? Infinity : part === 5 ? runs[at].at : 0;
            const nexts = next?.tick === tick.tick + 1 ? runsOf(next).filter(({ run }) => (run.by?.run ?? Infinity) < over) : [];
            const queue = [...runs.slice(ran).filter(isIn).map((one) => entry(tick, before, one)), ...nexts.map((one) => {
                const made = entry(/** @type {TracedTick} */ (next), tick, one);
                made.button.classList.add("is-next");
                return made;
            })];
            const done = runs.slice(0, ran).map((one) => entry(tick, before, one, one.run.took));
            if (part === 5) {
                done.at(-1)?.button.classList.add("is-now");
            }
            const [unseen, silent] = [part < 3 ? 0 : tick.events.length - MOST.event, (descriptors ?? 0) - shown.filter(({ id }) => id !== "fd wake").length];
            const others = [...unseen > 0 ? [`${unseen} more are ready`] : [], ...descriptors === undefined ? [] : [`${(silent - Math.max(0, unseen)).toLocaleString("en")} others are silent`]];
            return {
                descriptors: { all: shown, rest: others.join(", ") },
                timers: { all: [...due, ...later].slice(0, MOST.timer), rest: timers === undefined ? "" : timers > later.length ? `${(timers - later.length).toLocaleString("en")} more` : "" },
                queue: { all: queue.slice(0, MOST.run), rest: queue.length > MOST.run ? `and ${queue.length - MOST.run} more` : queue.length > 0 ? "" : "empty" },
                runs: { all: done, rest: part === 6 && runsOf(tick).length > runs.length ? `and ${runsOf(tick).length - runs.length} more, which aren't drawn` : "" },
            };
        }

        /** Puts things where they are now, and lets those that were elsewhere travel.
         * @param {ReturnType<typeof thingsAt>} holds
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

        /** Draws a thread from what has queued a thing to where that is now.
         * @param {(element: Element) => DOMRect} at */
        function draw(at) {
            const around = at(board);
            threads.replaceChildren(...[...things.values()].flatMap(({ button, from }) => {
                const begin = things.get(from ?? "")?.button;
                if (!begin) {
                    return [];
                }
                const [one, other] = [at(begin), at(button)];
                const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
                const isBeside = other.left > one.right;
                const isBack = one.left > other.right;
                const [x, y] = isBeside ? [one.right, one.top + one.height / 2] : isBack ? [one.left, one.top + one.height / 2] : [one.left + one.width / 2, one.bottom];
                const [toX, toY] = isBeside ? [other.left, other.top + other.height / 2] : isBack ? [other.right, other.top + other.height / 2] : [other.left + other.width / 2, other.top];
                const [bendX, bendY] = isBeside || isBack ? [(toX - x) / 2, 0] : [0, (toY - y) / 2];
                const [left, top] = [around.left, around.top];
                path.setAttribute("d", `M${x - left} ${y - top} C${x - left + bendX} ${y - top + bendY} ${toX - left - bendX} ${toY - top - bendY} ${toX - left} ${toY - top}`);
                path.setAttribute("class", button.className);
                return [path];
            }));
        }
        new ResizeObserver(() => draw((one) => one.getBoundingClientRect())).observe(board);

        /** Says what happens at a moment.
         * @param {TracedTick} tick
         * @param {TickMoment} now
         * @param {Map<number, string>} names */
        function inWords(tick, { part, at }, names) {
            const first = tick.events[0] ? `${descriptor(tick.events[0], names)} ${readiness(tick.events[0])}` : tick.due[0] ? `the time of ${timer(tick.due[0])}` : "nothing that it had to run";
            const says = [
                () => `how long can it sleep? ${traces.why(tick)}.`,
                () => `it sleeps for ${time(tick.slept)}. What wakes it: ${first}.`,
                () => `${descriptor(tick.events[at], names)} ${readiness(tick.events[at])}.`,
                () => `${timer(tick.due[at])} is due.`,
                () => `“${nameOf(drawnRuns(tick)[at].run)}” runs for ${time(drawnRuns(tick)[at].run.took)}${drawnRuns(tick)[at].run.took > 0.05 ? ", and all others wait" : ""}.`,
                () => `it's over, and was busy for ${time(busy(tick))}.`,
            ][part - 1]();
            return `Tick ${tick.tick.toLocaleString("en")}: ${says}`;
        }

        return {
            element,
            momentsOf,
            /** Shows a moment of a tick.
             * @param {TracedTick} tick
             * @param {TracedTick | undefined} before
             * @param {TracedTick | undefined} next
             * @param {TickMoment} now
             * @param {AroundTick} world
             * @param {number} speed */
            show(tick, before, next, now, world, speed) {
                const values = [tick.timeout === null ? "forever" : time(tick.timeout), tick.timeout === 0 ? "no" : time(tick.slept), `${tick.events.length}`, `${tick.due.length}`, `${runsOf(tick).length} in ${time(busy(tick))}`];
                [...parts.children].forEach((part, index) => {
                    part.classList.toggle("is-now", index + 1 === now.part);
                    /** @type {HTMLElement} */ (part.lastElementChild).textContent = values[index];
                });
                element.classList.toggle("is-asleep", now.part === 2);
                element.classList.toggle("is-late", isLate(tick));
                element.style.setProperty("--lasts", `${now.lasts / speed}s`);
                caption.textContent = inWords(tick, now, world.names);
                place(thingsAt(tick, before, next, now, world), speed);
            },
            /** Says that the loop sleeps now.
             * @param {string} words */
            sleeps(words) {
                [...parts.children].forEach((part, index) => part.classList.toggle("is-now", index === 1));
                element.classList.remove("is-late");
                element.classList.add("is-asleep");
                caption.textContent = words;
            },
            /** Lets screen readers hear what's shown, or not: a film would talk all the time.
             * @param {boolean} isFilm */
            film: (isFilm) => caption.setAttribute("aria-live", isFilm ? "off" : "polite"),
        };
    };
})();
