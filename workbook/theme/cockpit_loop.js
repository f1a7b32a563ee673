// The page /loop: plays the ticks of the loop that serves it, or those of a recorded trace. A tick takes
// microseconds, so the page plays samples, slowed down, and says which ticks it leaves out.
"use strict";

(() => {
    const { elements: { make, button, svg, link, status, table }, cockpit: { listen, post, hello }, traces, loop_picture } = window.workbook;
    const { LATE, time, nameOf, runsOf, busy, isLate, descriptor, cause } = traces;
    const place = document.getElementById("loop");
    if (!place) {
        return;
    }
    /** How many ticks of the serving loop are kept, how many the table has, how many columns the strip has at
     * least and at most, and how far the film can be behind before it skips some ticks. */
    const [KEPT, SHOWN, FEW, COLUMNS, BEHIND] = [4000, 30, 60, 240, 8];
    const OWN_TIMER = "the page's own timer";
    const LISTS = ["Ready queue", "Timers in the heap", "Registered descriptors", "Connected clients"];

    /** The shown run: that of the loop that serves the page, or a recording. */
    /** @type {TicksShown} */
    const live = { ticks: [], names: new Map(), happened: 0 };
    let shown = live;
    let picture = loop_picture(about);
    /** The tick and its current moment; for the loop that serves, also the number of ticks played so far. */
    let [at, moment, played] = [-1, 0, 0];
    let [plays, speed, timer] = [true, 1, 0];
    /** The last snapshot's state and its time. @type {any} */
    let state = null;
    let [clock, heard] = [0, performance.now()];

    /** The timer that the loop waits for at a moment. A trace only says when the heap's nearest timer is due,
     * and says so only where the loop can sleep; which timer it was is known once it has fired.
     * @param {TickMoment} now */
    function coming({ part }) {
        const { ticks, ticks: { [at]: tick, [at + 1]: next } } = shown;
        const told = ticks.slice(0, at + (part > 4 && next?.tick === tick.tick + 1 ? 2 : 1)).reverse().find(({ timeout }) => timeout !== 0);
        if (!told?.timeout || told === tick && tick.due.length > 0) {
            return [];
        }
        const until = told.began + told.timeout;
        const fires = ticks.slice(ticks.indexOf(told)).find(({ began, slept }) => began + slept > until - 1e-6);
        const what = fires?.due[0] ? traces.timer(fires.due[0]) : shown === live ? OWN_TIMER : "the nearest timer";
        return [{ what, at: until - tick.began - (part < 3 ? 0 : part < 6 ? tick.slept : tick.took) }].filter(({ at }) => at > 1e-6);
    }

    function show() {
        const tick = shown.ticks[at];
        if (!tick) {
            return;
        }
        const now = picture.momentsOf(tick)[moment];
        const [earlier, next] = [shown.ticks.slice(Math.max(0, at - 20), at), shown.ticks[at + 1]];
        picture.show(tick, now, { earlier, before: earlier.at(-1), next, names: shown.names, coming: coming(now) }, speed);
        seek.max = String(Math.max(FEW, shown.ticks.length) - 1);
        seek.value = String(at);
        seek.ariaValueText = `tick ${tick.tick}`;
        const lasts = picture.momentsOf(tick).reduce((sum, { lasts }) => sum + lasts, 0) / speed;
        const slower = `This tick was busy for ${time(busy(tick))} and is played in ${time(lasts)}. `;
        const left = live.happened - played - live.ticks.slice(at + 1).filter(({ isPlayed }) => !isPlayed).length;
        sample.textContent = slower + (shown !== live ? `Tick ${at + 1} of ${shown.ticks.length}.`
            : `Ticks played: ${played.toLocaleString("en")}; left out: ${left > 0 ? left.toLocaleString("en") : "none"}.`);
    }

    /** Goes to a tick, and to the tick's end unless the film is playing.
     * @param {number} to
     * @param {boolean} isPlayed */
    function go(to, isPlayed) {
        if (shown.ticks[to]) {
            at = to;
            moment = isPlayed ? 0 : picture.momentsOf(shown.ticks[to]).length - 1;
            played += shown === live && !live.ticks[to].isPlayed ? 1 : 0;
            shown.ticks[to].isPlayed = true;
            show();
            if (shown !== live) {
                showTable();
            }
        }
    }

    /** Returns the tick at which the film continues. If it's far behind, that's the last tick before which the
     * loop has slept: the ticks after it belong together. */
    function following() {
        const { ticks } = shown;
        if (shown !== live || ticks.length - at <= BEHIND || ticks[at + 1].timeout === 0 && ticks.length - at < 20 * BEHIND) {
            return at + 1;
        }
        const begun = ticks.map(({ timeout }) => timeout !== 0).lastIndexOf(true);
        return begun > at ? begun : ticks.length - 1;
    }

    /** Plays the next moment and calls itself again when the moment is over. */
    function film() {
        clearTimeout(timer);
        if (!plays) {
            return;
        }
        const moments = shown.ticks[at] ? picture.momentsOf(shown.ticks[at]) : [];
        if (moment + 1 < moments.length) {
            moment += 1;
            show();
        } else if (shown.ticks[at + 1]) {
            go(following(), true);
        } else {
            sleeps();
            timer = setTimeout(film, 250);
            return;
        }
        timer = setTimeout(film, 1000 * picture.momentsOf(shown.ticks[at])[moment].lasts / speed);
    }

    /** Says what the loop does while there's nothing to play. */
    function sleeps() {
        if (shown !== live) {
            play(false);
        } else if (state) {
            const seconds = Math.floor((performance.now() - heard) / 1000);
            const until = state.waiting.timers.length > 0 ? "a descriptor is ready or the nearest timer is due" : "something happens";
            picture.sleeps(`Nothing has happened for ${seconds} s: the loop sleeps until ${until}.`);
        }
    }

    /** @param {boolean} does */
    function play(does) {
        plays = does;
        pause.textContent = does ? "Pause" : "Play";
        // A screen reader reads out each single step. In a film, it would talk all the time.
        picture.caption.ariaLive = does ? "off" : "polite";
        film();
    }

    /** @param {number} by */
    function step(by) {
        play(false);
        go(Math.max(0, Math.min(at + by, shown.ticks.length - 1)), false);
    }

    /** Describes a thing, with the lines of code that made it.
     * @param {string[]} words
     * @param {string} [made] */
    async function about(words, made) {
        play(false);
        told.replaceChildren(...words.filter(Boolean).map((text) => make("p", "", text)));
        if (!made) {
            return;
        }
        const line = make("p", "", "Made at ", make("code", "", made), ".");
        told.append(line);
        try {
            const { first, lines } = await (await post("source", { place: made })).json();
            const number = Number(made.split(":").at(-1));
            const indent = Math.min(...lines.filter(Boolean).map((/** @type {string} */ text) => text.search(/\S/)));
            const code = lines.map((/** @type {string} */ text, /** @type {number} */ index) =>
                make("span", first + index === number ? "is-meant" : "", `${first + index}  ${text.slice(indent)}`));
            const { editor, root } = await hello;
            if (line.parentNode === told) {
                told.append(Object.assign(make("pre", "", make("code", "", ...code)), { tabIndex: 0 }));
                const href = editor?.replace("{path}", `${root}/${made.split(":")[0]}`).replace("{line}", String(number));
                href && line.append(" ", link("Open it in the editor", href));
            }
        } catch {
            // The source belongs to another program, or the page has no token: then the place must do.
        }
    }

    /** The strip: the busy time of each tick, with all ticks in the columns that there are. */
    function drawStrip() {
        const { ticks } = shown;
        const wide = Math.max(1, Math.ceil(ticks.length / COLUMNS));
        const paths = { is: "", late: "" };
        for (let column = 0; column * wide < ticks.length; column += 1) {
            const most = Math.max(...ticks.slice(column * wide, (column + 1) * wide).map(busy));
            const height = Math.min(38, Math.max(2, 6 * (Math.log10(most + 1e-9) + 6)));
            paths[most > LATE ? "late" : "is"] += `M${column * 4 + 2} 40v${-height}`;
        }
        strip.children[0].setAttribute("d", paths.is);
        strip.children[1].setAttribute("d", paths.late);
        strip.setAttribute("viewBox", `0 0 ${4 * Math.max(FEW, ticks.length / wide)} 40`);
    }

    /** @param {boolean} isLate
     * @param {(string | Node)[]} cells */
    const row = (isLate, ...cells) => make("tr", isLate ? "is-late" : "", ...cells.map((cell) => make("td", "", cell)));

    function showLongest() {
        const all = traces.longest(shown.ticks).slice(0, 6).map(({ name, count, sum, most, tick }) =>
            row(most > LATE, name, count.toLocaleString("en"), time(sum),
                button(time(most), () => step(tick - at), `${time(most)} of ${name}: show the tick`)));
        longest.replaceChildren(...all.length > 0 ? all : [row(false, "No step or callback took measurable time, as usual on a virtual clock.")]);
    }

    /** @param {TracedTick} tick
     * @param {TracedTick | undefined} before */
    function rowOf(tick, before) {
        const ran = make("ul", "", ...runsOf(tick).slice(0, 50).map(({ run }) =>
            make("li", "", make("code", "", nameOf(run)), ` ${time(run.took)}, queued by ${cause(tick, run, before, shown.names).words}`)));
        const found = [...tick.events.map((event) => descriptor(event, shown.names)), ...tick.due.map(traces.timer)];
        return row(isLate(tick), `${tick.tick}`, tick.timeout === 0 ? "no" : time(tick.slept), traces.why(tick), found.join("; "), ran);
    }

    function showTable() {
        const end = shown === live ? live.ticks.length : at + 1;
        const first = Math.max(0, end - SHOWN);
        rows.replaceChildren(...shown.ticks.slice(first, end).map((tick, index) => rowOf(tick, shown.ticks[first + index - 1])).reverse());
    }

    /** @param {Record<string, string | number>} all */
    const showFacts = (all) => facts.replaceChildren(...Object.entries(all).map(([name, value]) =>
        make("div", "", make("dt", "", name), make("dd", "", `${value}`))));

    /** Shows the contents of the loop that serves. */
    function showState() {
        const { tasks, timers, descriptors, waiting, serving } = state;
        const more = serving.connections - serving.clients.length;
        const texts = [
            waiting.ready,
            waiting.timers.map((/** @type {any} */ { at, what }) => `in ${time(Math.max(0, at - clock))}: ${what}`),
            serving.registered?.map((/** @type {any} */ { number, is, interest }) => `${number}: ${is} (${interest})`)
                ?? [`${descriptors}, too many to list`],
            [...serving.clients.map((/** @type {any} */ { address, does }) => `${address} ${does}`), ...more > 0 ? [`and ${more} more`] : []],
        ];
        texts.forEach((all, index) =>
            lists[index].replaceChildren(...(all.length > 0 ? all : ["none"]).map((/** @type {string} */ text) => make("li", "", text))));
        const watched = serving.watched.map((/** @type {[string, number]} */ [name, pages]) =>
            pages === 0 ? `${name}, whose page was closed and may come back` : `${name} by ${pages} ${pages === 1 ? "page" : "pages"}`);
        showFacts({
            connections: serving.connections, "registered descriptors": descriptors, tasks, "timers in the heap": timers,
            "judged on every save": watched.join(", ") || "nothing", "programs that run for pages": serving.programs,
            "pages like this one": serving.loop_pages, "ticks left out because they only showed you this page": state.own,
        });
    }

    /** Hears the events since the last snapshot.
     * @param {any} snapshot */
    function hear({ ticks, more, own, state: now, now: time }) {
        state = { ...now, own };
        clock = time;
        Object.entries(now.serving.found).forEach(([fd, name]) => name && live.names.set(Number(fd), name));
        live.happened += ticks.length + more;
        // The page's own timer isn't among those in the heap: it has just fired. No other task of the server sleeps.
        ticks.forEach((/** @type {TracedTick} */ tick) => Object.assign(tick, {
            held: { timers: now.timers, descriptors: now.descriptors },
            due: tick.due.map((due) => due.what === "sleep" ? { ...due, name: OWN_TIMER } : due),
        }));
        const first = live.ticks.push(...ticks) - ticks.length;
        const longest = Math.max(0, ...ticks.map(busy));
        const late = ticks.findIndex((/** @type {TracedTick} */ tick) => isLate(tick) && busy(tick) === longest);
        heard = ticks.length > 0 ? performance.now() : heard;
        const gone = Math.max(0, live.ticks.length - KEPT);
        live.ticks.splice(0, gone);
        if (shown !== live) {
            return;
        }
        at = Math.max(at - gone, -1);
        showState();
        if (ticks.length > 0) {
            showTable();
            showLongest();
            drawStrip();
        }
        if (late >= 0) {
            const [{ run }, ...others] = runsOf(ticks[late]).sort((one, other) => other.run.took - one.run.took);
            blocked.textContent = `The loop was blocked for ${traces.time(longest)} at ${new Date().toLocaleTimeString("en-GB")}, in tick ${ticks[late].tick}: `
                + `“${nameOf(run)}” ran for ${traces.time(run.took)}${others.length > 0 ? `, along with ${others.length} more` : ""}. `
                + "Whatever else was ready had to wait.";
            if (plays) {
                go(first - gone + late, true);
                film();
            }
        }
    }

    /** Shows a recording, or the loop that serves again.
     * @param {TicksShown} source */
    function open(source) {
        const next = loop_picture(about);
        picture.element.replaceWith(next.element);
        [picture, shown, at, moment] = [next, source, source === live ? live.ticks.length - 1 : -1, 0];
        place?.classList.toggle("is-recorded", source !== live);
        told.replaceChildren();
        blocked.textContent = "";
        drawStrip();
        showLongest();
        if (source === live && state) {
            showState();
            showTable();
        }
        play(true);
    }

    /** @param {File} file */
    async function openFile(file) {
        const { loops, others } = traces.parse(await file.text());
        const all = [...loops].sort(([, one], [, other]) => other.length - one.length);
        if (all.length === 0) {
            said.textContent = `${file.name} has no ticks. A program on this loop writes them with WORKBOOK_TRACE=FILE in its environment.`;
            return;
        }
        const [[number, ticks]] = all;
        const [first, last] = [ticks[0], ticks[ticks.length - 1]];
        const loopsOf = all.length > 1 ? ` of loop ${number}, the busiest of ${all.length}` : "";
        said.textContent = `${file.name}: ${ticks.length.toLocaleString("en")} ticks${loopsOf}, in ${time(last.began + last.took - first.began)}.`
            + `${others > 0 ? ` Lines that aren't ticks: ${others}.` : ""}`;
        open({ ticks, names: new Map(), happened: ticks.length });
        const awake = ticks.reduce((sum, tick) => sum + busy(tick), 0);
        showFacts({
            ticks: ticks.length, "ticks that made other tasks late": ticks.filter(isLate).length, busy: time(awake),
            asleep: time(ticks.reduce((sum, { slept }) => sum + slept, 0)),
        });
    }

    function exportTrace() {
        const url = URL.createObjectURL(new Blob([traces.traceEvents(shown.ticks, shown.names)], { type: "application/json" }));
        Object.assign(link("", url), { download: "ticks.trace.json" }).click();
        setTimeout(() => URL.revokeObjectURL(url), 10_000);
        said.textContent = `${shown.ticks.length} ticks, in a file for ui.perfetto.dev or chrome://tracing.`;
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

    const [said, blocked, told] = [status("said"), status("blocked"), Object.assign(make("div", "told"), { ariaLive: "polite" })];
    const pause = button("Pause", () => play(!plays));
    const slower = make("select", "control", ...[0.25, 0.5, 1, 2, 4].map((value) => new Option(`× ${value}`, String(value))));
    slower.value = "1";
    slower.addEventListener("change", () => speed = Number(slower.value));
    const seek = Object.assign(make("input", "seek"), { type: "range", min: "0", max: "0", value: "0", ariaLabel: "The tick that's shown",
        title: "A bar for how long each tick was busy, on a logarithmic scale from 1 µs to 1 s" });
    seek.addEventListener("input", () => step(Number(seek.value) - at));
    const strip = svg("svg", { class: "strip", preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("path", {}), svg("path", { class: "is-late" }));
    const file = Object.assign(make("input", "control"), { type: "file", accept: ".json,.jsonl,.txt,application/json" });
    file.addEventListener("change", () => file.files?.[0] && openFile(file.files[0]).then(() => file.value = ""));
    const [sample, facts, longest, rows] = [make("p", "sample"), make("dl", "state"), make("tbody", ""), make("tbody", "")];
    const lists = LISTS.map((ariaLabel) => Object.assign(make("ul", ""), { tabIndex: 0, ariaLabel }));
    const held = make("div", "held", ...lists.map((list, index) => make("section", "", make("h3", "", LISTS[index]), list)));
    const back = Object.assign(button("Back to the loop that serves you", () => open(live)), { className: "control back" });
    place.replaceChildren(
        make("p", "controls", pause, button("One tick back", () => step(-1)), button("One tick on", () => step(1)), make("label", "", "Speed ", slower)),
        blocked, picture.element, make("div", "over", strip, seek), sample, told,
        make("p", "controls",
            make("span", "on-live", button("Block the loop for 200 ms", act("block", () =>
                "One task slept on the loop's only thread. Whatever else was ready had to wait: look for the long tick.")),
            button("Open idle connections", act("idle", ({ open, asked, limit }) =>
                `A process has opened ${open}${open < asked ? ` of ${asked}` : ""} connections for 20 seconds (this server's limit is ${limit} `
                + "descriptors). It sends nothing on them, so the loop does nothing for them until they close."))),
            make("label", "", "Open a recorded trace: ", file),
            back, button("Export for Perfetto", exportTrace)),
        said, make("h2", "", "What took longest"), table("longest", "what took longest", ["what", "times", "in all", "the longest"], longest), facts,
        make("details", "as-text", make("summary", "", "The picture as text"), held,
            table("ticks", "the last ticks", ["tick", "asleep before", "because", "ready or due", "ran"], rows)),
    );
    film();
    listen({ stream: "loop" }, hear);
})();
