// A trace of ticks, one line of WORKBOOK_TRACE each: reads it, says in words what happened and why, and
// writes it for Perfetto. The head of step07_full_loop/src/trace/to_file.rs describes the fields.
"use strict";

(() => {
    /** The name of the tasks that show the loop itself; workbook/cockpit/src/ticks.rs has the same. */
    const OWN = "shows /loop";
    /** The time, in seconds, from which on a run makes the others late. */
    const LATE = 0.05;

    /** @param {number} seconds */
    function time(seconds) {
        const [amount, unit] = seconds >= 1 ? [seconds, "s"] : seconds >= 0.001 ? [1e3 * seconds, "ms"] : [1e6 * seconds, "µs"];
        return `${amount >= 99.5 || Number.isInteger(amount) || unit === "µs" ? Math.round(amount) : amount.toPrecision(2)} ${unit}`;
    }

    /** Returns `serve.rs:107` for a path with a line.
     * @param {string} [place] */
    const short = (place) => place?.split("/").at(-1) ?? "";

    /** @param {TracedRun} run */
    const nameOf = ({ name, task, created_at, what }) =>
        name ?? task ?? (what === "callback" ? `callback of ${short(created_at)}` : "a sleeping task's timer");

    /** The runs of a tick, each with its number there, without those that only show the loop.
     * @param {TracedTick} tick */
    const runsOf = ({ ran }) => ran.map((run, at) => ({ run, at })).filter(({ run }) => run.task !== OWN);

    /** @param {TracedTick} tick */
    const busy = ({ took, slept }) => Math.max(0, took - slept);
    /** @param {TracedTick} tick */
    const isLate = (tick) => busy(tick) > LATE;

    /** Says why a tick could sleep for the time that it could.
     * @param {TracedTick} tick */
    function why({ why, timeout }) {
        return {
            ready: "something is ready, so it doesn't sleep",
            stopping: "it's about to stop, so it doesn't sleep",
            timer: `the nearest timer is due in ${time(timeout ?? 0)}`,
            nothing: "there's no timer, so it sleeps until something happens",
        }[why];
    }

    /** @param {TracedEvent} event
     * @param {Map<number, string>} names the names of the descriptors, as far as they're known */
    function descriptor({ fd, source }, names) {
        const name = fd === undefined ? undefined : names.get(fd);
        return source === "wakeup" ? "another thread or a signal" : `descriptor ${fd ?? ""}${name ? `, ${name}` : ""}`;
    }

    /** @param {TracedEvent} event */
    const readiness = ({ source, ready }) => source === "wakeup" ? "wakes the loop"
        : `is ${ready.map((direction) => direction === "read" ? "readable" : "writable").join(" and ")}`;

    /** @param {TracedDue} due */
    const timer = (due) => due.name ?? (due.what === "sleep" ? "a task's sleep" : `timer of ${short(due.created_at)}`);

    /** The cause that has put a run into the queue: its name here, and in words.
     * @param {TracedTick} tick
     * @param {TracedRun} run
     * @param {TracedTick | undefined} before
     * @param {Map<number, string>} names */
    function cause({ events, due, tick }, { by }, before, names) {
        const [event, fired] = [events[by?.event ?? -1], due[by?.timer ?? -1]];
        if (event) {
            return { kind: "event", words: `${descriptor(event, names)}, which ${readiness(event)}` };
        }
        if (fired) {
            return { kind: "timer", words: `${timer(fired)}, which was due` };
        }
        const ran = before?.tick === tick - 1 ? before.ran[by?.run ?? -1] : undefined;
        return by?.run === undefined ? { kind: "outside", words: "something before the trace or between two ticks" }
            : { kind: "run", words: `${ran && ran.task !== OWN ? `“${nameOf(ran)}”` : "a run"}, in the previous tick` };
    }

    /** Reads a file: the ticks of each of its loops, and the number of lines that aren't ticks.
     * @param {string} text */
    function parse(text) {
        /** @type {Map<number, TracedTick[]>} */
        const loops = new Map();
        let others = 0;
        for (const line of text.split("\n").filter((line) => line.trim())) {
            try {
                const tick = JSON.parse(line);
                const isTick = typeof tick.took === "number" && [tick.ran, tick.events, tick.due].every(Array.isArray);
                isTick ? (loops.get(tick.loop) ?? loops.set(tick.loop, []).get(tick.loop))?.push(tick) : others += 1;
            } catch {
                others += 1;
            }
        }
        return { loops, others };
    }

    /** Adds up the runs that took time, by name: the longest first.
     * @param {TracedTick[]} ticks */
    function longest(ticks) {
        /** @type {Map<string, {name: string, count: number, sum: number, most: number, tick: number}>} */
        const byName = new Map();
        ticks.forEach((tick, index) => runsOf(tick).forEach(({ run }) => {
            const name = nameOf(run);
            const so = byName.get(name) ?? { name, count: 0, sum: 0, most: -1, tick: index };
            const most = run.took > so.most ? { most: run.took, tick: index } : {};
            byName.set(name, { ...so, count: so.count + 1, sum: so.sum + run.took, ...most });
        }));
        return [...byName.values()].filter(({ most }) => most > 0).sort((one, other) => other.most - one.most);
    }

    /** Writes ticks in the Trace Event Format, which Perfetto and chrome://tracing open. A trace doesn't have
     * the time at which a run began, so the runs of a tick follow one another, after its sleep.
     * @param {TracedTick[]} ticks
     * @param {Map<number, string>} names */
    function traceEvents(ticks, names) {
        const micro = (/** @type {number} */ seconds) => Math.round(1e9 * seconds) / 1e3;
        /** @type {object[]} */
        const traceEvents = [["ticks", 1], ["what runs", 2]].map(([name, tid]) =>
            ({ ph: "M", name: "thread_name", pid: 1, tid, args: { name } }));
        /** @type {(name: string, tid: number, at: number, took: number, args: object) => void} */
        const add = (name, tid, at, took, args) => {
            traceEvents.push({ ph: "X", cat: "loop", name, pid: 1, tid, ts: micro(at), dur: micro(took), args });
        };
        ticks.forEach((tick, index) => {
            const awake = tick.began + tick.slept;
            if (tick.timeout !== 0) {
                add("asleep", 1, tick.began, tick.slept, { because: why(tick) });
            }
            add(`tick ${tick.tick}`, 1, awake, busy(tick), {
                found: tick.events.map((event) => `${descriptor(event, names)} ${readiness(event)}`), due: tick.due.map(timer),
            });
            let at = awake;
            for (const run of tick.ran) {
                const { words } = cause(tick, run, ticks[index - 1], names);
                add(nameOf(run), 2, at, run.took, { created_at: run.created_at, "queued by": words });
                at += run.took;
            }
        });
        return JSON.stringify({ traceEvents, displayTimeUnit: "ns" });
    }

    window.workbook.traces = { LATE, time, nameOf, runsOf, busy, isLate, why, descriptor, readiness, timer, cause, parse, longest, traceEvents };
})();
