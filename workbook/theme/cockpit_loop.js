// The page /loop: the ticks of the loop that serves it, as they happen.
"use strict";

(() => {
    const { make, button, status, table } = window.workbook.elements;
    const { listen, post } = window.workbook.cockpit;
    const place = document.getElementById("loop");
    if (!place) {
        return;
    }
    /** How many ticks are shown. */
    const SHOWN = 30;
    /** A step that takes longer than this makes the others late. */
    const LONG = 0.05;

    /** @param {number} seconds */
    function time(seconds) {
        return seconds >= 1 ? `${seconds.toFixed(1)} s`
            : seconds >= 0.001 ? `${(1000 * seconds).toFixed(seconds >= 0.01 ? 0 : 1)} ms`
                : `${Math.round(1e6 * seconds)} µs`;
    }

    /** What's in the loop: its queue, its heap, its selector, and the clients of it all. */
    const lists = {
        ready: list("Ready queue", "next first"),
        timers: list("Timers in the heap", "nearest first"),
        registered: list("Registered descriptors", "the kernel's own list"),
        clients: list("Who's connected", "and what for"),
    };

    /** Makes a box for a list of the loop's.
     * @param {string} name
     * @param {string} about */
    function list(name, about) {
        const rows = make("ul", "");
        const box = make("section", "", make("h2", "", name, " ", make("small", "", about)), rows);
        return {
            box,
            /** @param {string[]} texts
             * @param {string} none */
            show: (texts, none) => rows.replaceChildren(
                ...(texts.length > 0 ? texts : [none]).map((text) => make("li", "", text))),
        };
    }

    /** Shows what the loop holds. Its times are by the loop's clock.
     * @param {any} state
     * @param {number} clock */
    function showLists({ waiting, serving, descriptors }, clock) {
        lists.ready.show(waiting.ready, "nothing: it could sleep");
        lists.timers.show(waiting.timers.map((/** @type {any} */ { at, what }) => `in ${time(Math.max(0, at - clock))}: ${what}`),
            "no timer");
        lists.registered.show((serving.registered ?? []).map((/** @type {any} */ { number, is, interest }) =>
            `${number}: ${is} (${interest})`), `${descriptors}, too many to list`);
        const [of, shown] = [serving.connections, serving.clients.length];
        const clients = serving.clients.map((/** @type {any} */ { address, does }) => `${address} ${does}`);
        lists.clients.show(of > shown ? [...clients, `and ${of - shown} more`] : clients, "no client");
    }

    const now = make("p", "now", "waiting for the first tick…");
    const counts = make("dl", "state");
    const held = make("div", "held", ...Object.values(lists).map(({ box }) => box));
    const said = status("said");
    const rows = make("tbody", "");
    const ticks = table("ticks", "the last ticks", ["tick", "asleep before", "because", "events", "ran"], rows);

    const WHY = {
        ready: "something was ready: no sleep",
        stopping: "it should stop",
        timer: "until the nearest timer",
        nothing: "until something happens",
    };

    /** @param {any} tick */
    function row({ number, slept, why, events, wakeups, due, ran, busy }) {
        const list = make("ul", "");
        for (const { what, took } of ran) {
            list.append(make("li", took > LONG ? "is-wrong" : "", make("code", "", what), ` ${time(took)}`));
        }
        const found = [`${events}`];
        if (wakeups > 0) {
            found.push("another thread or a signal");
        }
        if (due > 0) {
            found.push(`${due} ${due === 1 ? "timer" : "timers"} due`);
        }
        const cells = [String(number), time(slept), WHY[/** @type {keyof typeof WHY} */ (why)], found.join(", "), list];
        const made = make("tr", busy > LONG ? "is-late" : "", ...cells.map((cell) => make("td", "", cell)));
        return made;
    }

    /** When the last tick ended, as far as this page knows. */
    let last = performance.now();

    /** @param {any} snapshot */
    function show({ ticks, more, own, state, now: clock }) {
        const { tasks, timers, descriptors, serving } = state;
        showLists(state, clock);
        if (ticks.length > 0) {
            last = performance.now();
            if (more > 0) {
                rows.prepend(make("tr", "", make("td", ""), make("td", "", `${more} more ticks`), make("td", ""), make("td", ""), make("td", "")));
            }
            rows.prepend(...ticks.reverse().map(row));
            while (rows.children.length > SHOWN) {
                rows.lastElementChild?.remove();
            }
        }
        const watched = serving.watched.map((/** @type {[string, number]} */ [name, pages]) =>
            pages === 0 ? `${name}, whose page has gone and may come back` : `${name} by ${pages} ${pages === 1 ? "page" : "pages"}`);
        /** @type {[string, string][]} */
        const facts = [
            ["connections", `${serving.connections}`],
            ["registered descriptors", `${descriptors}`],
            ["tasks", `${tasks}`],
            ["timers in the heap", `${timers}`],
            ["judged on every save", watched.join(", ") || "nothing"],
            ["programs that run for pages", `${serving.programs}`],
            ["pages like this one", `${serving.loop_pages}`],
            ["ticks left out, which only showed you this", `${own}`],
        ];
        counts.replaceChildren(...facts.map(([name, value]) =>
            make("div", "", make("dt", "", name), make("dd", "", value))));
    }

    /** @param {string} path
     * @param {(answer: any) => string} words */
    const act = (path, words) => async () => {
        said.textContent = "…";
        try {
            said.textContent = words(await (await post(path, {})).json());
        } catch (error) {
            said.textContent = /** @type {Error} */ (error).message;
        }
    };
    const controls = make("p", "controls",
        button("Block the loop for 200 ms", act("block", () =>
            "One task has slept in the loop's only thread. Whatever else was ready had to wait for it: look for the tick.")),
        " ",
        button("Open idle connections", act("idle", ({ open, asked, limit }) =>
            `A process has opened ${open} connections${open < asked ? ` of ${asked}` : ""} for 20 seconds (this server's limit is ${limit} `
            + "descriptors). They say nothing, and the loop does nothing for them.")),
    );
    place.replaceChildren(now, controls, said, counts, held, ticks);

    const reduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
    setInterval(() => {
        const seconds = (performance.now() - last) / 1000;
        if (rows.children.length > 0) {
            now.textContent = `Asleep for ${seconds.toFixed(reduced ? 0 : 1)} s.`;
        }
    }, reduced ? 1000 : 250);
    listen({ stream: "loop" }, show);
})();
