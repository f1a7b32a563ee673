// Plays recorded runs: forward, back, by itself, or to the moment at which the transcript grows.
// `recording_stage.js` draws a moment, and `recording_folds.js` puts the players into the page.
"use strict";

(() => {
    const { make, button, group } = window.workbook.elements;
    const { roomFor, inWords } = window.workbook.recordings;
    /** The names of the kinds of moments.
     * @type {Record<string, string>} */
    const KINDS = {
        call: "system call", say: "prints", sleep: "sleeps", tick: "tick", event: "event", timer: "timer", run: "runs",
        poll: "polls", wake: "wakes", schedule: "schedules", cancel: "cancels",
    };

    /** A moment stays for as long as its sentence takes to read, in milliseconds. */
    const TO_LOOK = 900;
    const PER_LETTER = 25;

    /** Returns the first moment at which two runs differ, or -1.
     * @param {Recording} one
     * @param {Recording | undefined} other */
    function firstDifference(one, other) {
        if (!other) {
            return -1;
        }
        // The lines' numbers differ between two notebooks. The events don't.
        const told = (/** @type {Recording} */ { moments, transcript }, /** @type {number} */ at) =>
            moments[at] && JSON.stringify([{ ...moments[at], line: undefined, callers: undefined }, transcript.slice(0, moments[at].printed)]);
        const at = one.moments.findIndex((_, at) => told(one, at) !== told(other, at));
        return at < 0 && other.moments.length > one.moments.length ? one.moments.length - 1 : at;
    }

    /** Marks moments above the slider: those that print a line, those that begin a tick, and the one at which
     * the run begins to differ from another.
     * @param {Moment[]} moments
     * @param {number} difference */
    function marks(moments, difference) {
        const made = make("div", "marks");
        made.setAttribute("aria-hidden", "true");
        moments.forEach(({ kind: isOf, printed }, at) => {
            const hasPrinted = printed > (moments[at - 1]?.printed ?? 0);
            const kind = at === difference ? "differs" : hasPrinted ? "prints" : isOf === "tick" ? "tick" : "";
            if (kind) {
                const mark = make("span", kind);
                mark.style.setProperty("--at", String(at / Math.max(1, moments.length - 1)));
                made.append(mark);
            }
        });
        return made;
    }

    /** Says how the other run continues instead.
     * @param {Moment[]} moments
     * @param {Moment[]} others
     * @param {number} at */
    function partingOf(moments, others, at) {
        const made = make("p", "parting", make("strong", "", "From here on, the two runs differ. "));
        if (!others[at]) {
            made.append("The other run has ended.");
        } else {
            const own = inWords(moments, at);
            const held = inWords(others, at).filter((line) => !own.includes(line));
            made.append(`In the other run: ${[others[at].what, ...held].join(" · ")}`);
        }
        return made;
    }

    /** Shows a recorded run in an element, at its first moment. If it's compared with another run, the
     * first moment at which they differ is marked, and a button leads there. Returns a function that goes to
     * a step, from 1.
     * @param {HTMLElement} element
     * @param {Recording} recording
     * @param {Recording} [compared_with] */
    function play_recording(element, recording, compared_with) {
        const { moments } = recording;
        const last = moments.length - 1;
        const difference = firstDifference(recording, compared_with);
        const drawn = window.workbook.stage_of(recording);
        let at = 0;
        /** @type {number | undefined} */
        let next;

        const kind = make("span", "kind");
        const place = make("span", "what");
        const what = roomFor(place, moments.map((moment) => moment.what));
        const sentence = make("p", "moment", kind, place);
        const slider = Object.assign(make("input", ""), { type: "range", min: "0", max: String(last) });
        slider.setAttribute("aria-label", "step");
        // For a page's own recording, the reader can keep and send the address of each step.
        const address = element.closest("div.recording") ? `#recording-${recording.scene}-` : "";
        const count = make(address ? "a" : "span", "count");
        const stepOf = roomFor(count, [`step ${last + 1} of ${last + 1}`]);
        const parting = difference < 0 ? "" : partingOf(moments, compared_with?.moments ?? [], difference);

        /** @param {number} to */
        function show(to) {
            at = Math.max(0, Math.min(last, to));
            const moment = moments[at];
            drawn.show(at);
            // A slider reports its own value, and while it plays, a voice would never come to an end.
            sentence.setAttribute("aria-live", next !== undefined || document.activeElement === slider ? "off" : "polite");
            sentence.dataset.kind = moment.kind;
            kind.textContent = KINDS[moment.kind] ?? "";
            what.textContent = moment.what;
            slider.value = String(at);
            slider.setAttribute("aria-valuetext", `step ${at + 1} of ${last + 1}: ${moment.what}`);
            stepOf.textContent = `step ${at + 1} of ${last + 1}`;
            if (address) {
                count.setAttribute("href", `${address}${at + 1}`);
            }
            if (parting) {
                parting.hidden = at !== difference;
            }
        }

        function pause() {
            clearTimeout(next);
            next = undefined;
            playing.textContent = "Play";
        }

        function play() {
            playing.textContent = "Pause";
            const stay = TO_LOOK + PER_LETTER * moments[at].what.length;
            next = window.setTimeout(() => {
                show(at + 1);
                if (at < last && element.checkVisibility()) {
                    play();
                } else {
                    pause();
                }
            }, stay);
        }

        function toggle() {
            if (next !== undefined) {
                pause();
                return;
            }
            if (at === last) {
                show(0);
            }
            play();
        }

        /** Moves to the reader's choice, which ends the playing.
         * @param {number} to */
        function go(to) {
            pause();
            show(to);
        }

        function toNextLine() {
            const to = moments.findIndex(({ printed }) => printed > moments[at].printed);
            go(to < 0 ? last : to);
        }

        const playing = button("Play", toggle);
        playing.classList.add("play");
        const controls = make("div", "controls",
            button("«", () => go(0), "first step"),
            button("‹ Back", () => go(at - 1), "one step back"),
            playing,
            button("Next ›", () => go(at + 1), "one step on"),
            button("»", () => go(last), "last step"),
            button("Next printed line", toNextLine));
        if (difference >= 0) {
            controls.append(button("Where the runs differ", () => go(difference)));
        }
        slider.addEventListener("input", () => go(Number(slider.value)));

        /** @type {Record<string, () => void>} */
        const keys = {
            ArrowRight: () => go(at + 1),
            ArrowLeft: () => go(at - 1),
            Home: () => go(0),
            End: () => go(last),
            " ": toggle,
        };
        const help = make("p", "keys", "Keys: ← and → step; Home and End go to the first and last step. The space bar plays and pauses, or presses "
            + "the button that has the focus.");
        if (moments.some(({ kind }) => kind === "tick")) {
            help.append(" Above the slider, a thick mark is a printed line and a thin mark the beginning of a tick.");
        }
        const player = group("player", `the run of ${recording.scene}, step by step`, controls,
            marks(moments, difference), slider, make("div", "now", sentence, count), parting, drawn.element, help);
        player.addEventListener("keydown", (event) => {
            const isCommand = event.ctrlKey || event.altKey || event.metaKey;
            const target = /** @type {HTMLElement} */ (event.target);
            if (isCommand || !(event.key in keys)) {
                return;
            }
            // A box with lines scrolls, and the space bar presses a button.
            if (!target.matches(".lines") && !(event.key === " " && target.matches("button"))) {
                event.preventDefault();
                keys[event.key]();
            }
        });
        // A click anywhere in the player gives it the keys.
        player.tabIndex = -1;
        element.replaceChildren(player);
        show(0);
        window.workbook.note_what_scrolls();
        return (/** @type {number} */ step) => go(step - 1);
    }

    window.workbook.play_recording = play_recording;
})();
