// The teacher's projection: the address to join, the question, the number of answers, the class's predictions,
// and the lines as they're printed. It shows no part of an answer before the poll is closed, and never a name.
"use strict";

(() => {
    const { make, button, svg } = window.workbook.elements;
    /** A question in a list can be two lines long, but a button can't. */
    const LONGEST = 40;
    const { asked, builders, overlooked } = window.workbook.polls;

    /** @param {string} title */
    const short = (title) => title.length > LONGEST ? `${title.slice(0, LONGEST).replace(/ \S*$/, "")} …` : title;

    /** Makes the wall.
     * @param {TeacherHello} hello
     * @param {(what: string, body?: object) => Promise<void>} act */
    window.workbook.class_wall = (hello, act) => {
        const { address, code, code_in_words: inWords, square, sessions, polls } = hello;
        const byId = new Map(polls.map((poll) => [poll.id, poll]));
        const played = new Set(polls.filter((poll) => poll.played).map(({ id }) => id));
        const [stage, controls, list] = [make("div", "stage"), make("p", "controls"), make("details", "all-polls")];
        const select = make("select", "control");
        select.append(...sessions.map(({ name, title }) => new Option(title, name)));
        select.addEventListener("change", () => {
            showControls();
            showList();
            select.focus();
        });
        const [side, here, count, meter] = [make("section", "answers"), make("p", "count"), make("p", "count"), make("progress", "")];
        meter.setAttribute("aria-label", "how many have answered");
        let isFirst = true;
        /** @type {ClassState} */
        let shown = { poll: null, answered: 0, of: 0, result: null, students: [], groups: [], door: true };

        const session = () => sessions.find(({ name }) => name === select.value) ?? sessions[0];

        /** Returns the plan's next question: the one after this, or the first that's left. */
        function next() {
            const ids = session()?.polls ?? [];
            const at = ids.indexOf(shown.poll?.id ?? "");
            const id = at >= 0 ? ids[at + 1] : ids.find((one) => !played.has(one));
            return id === undefined ? undefined : byId.get(id);
        }

        /** @param {ListedPoll} poll
         * @param {string} [words] */
        const opener = (poll, words = "") => button(words ? `${words}${short(poll.title)}` : poll.title,
            () => {
                list.open = false;
                void act("open", { id: poll.id });
            });

        /** Lists all polls: those of the session, and the bugs to hunt. */
        function showList() {
            const isOpen = shown.poll !== null && shown.poll.phase === "open";
            const rows = (/** @type {ListedPoll[]} */ of) => make("ul", "", ...of.map((poll) =>
                make("li", "", opener(poll), played.has(poll.id) ? " (done)" : "")));
            const ours = (session()?.polls ?? []).flatMap((id) => byId.get(id) ?? []);
            const hunts = polls.filter(({ kind }) => kind === "hunt");
            const others = polls.filter((poll) => poll.kind !== "hunt" && !ours.includes(poll));
            const sections = [["In this session", ours], ["A hunt for bugs", hunts], ["Other predictions", others]];
            list.replaceChildren(make("summary", "", "All questions"),
                make("label", "", "Session: ", select),
                ...sections.flatMap(([title, of]) => of.length === 0 ? []
                    : [make("h2", "", /** @type {string} */ (title)), rows(/** @type {ListedPoll[]} */ (of))]));
            list.querySelectorAll("button").forEach((one) => one.disabled = isOpen);
        }

        const to = () => make("div", "join-at",
            make("dl", "",
                make("div", "", make("dt", "", "In a browser"), make("dd", "", address)),
                make("div", "", make("dt", "", "The code"), make("dd", "", code), make("dd", "in-words", inWords))),
            ...square ? [drawn(square)] : []);

        /** Draws the square code, dark on light in every theme: many cameras read no other.
         * @param {{size: number, path: string}} of */
        function drawn({ size, path }) {
            const name = "the address and the code, for a phone's camera";
            return make("div", "square",
                svg("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": name }, svg("path", { d: path })));
        }

        /** @param {Poll} poll */
        function askedSoFar(poll) {
            const rows = poll.asks.kind === "one" ? poll.asks.answers.map((text) => make("li", "", text))
                : poll.asks.lines.map(({ asked: text }) => make("li", "", make("span", "line", text || "____")));
            const offered = poll.asks.kind === "lines" ? [...poll.asks.choices.map(({ asked: text }) => text), ...poll.asks.bank.map(({ text }) => text)] : [];
            const choices = offered.length > 0
                ? [make("p", "", "To choose from:"), make("ul", "choices", ...offered.map((text) => make("li", "", text)))] : [];
            return [count, meter, make("ol", poll.asks.kind === "one" ? "" : "lines", ...rows), ...choices];
        }

        /** @param {Poll} poll */
        function counted(poll) {
            const { result } = shown;
            const is = (/** @type {string} */ phase) => poll.phase === phase;
            const said = is("closed") ? "Let two students who disagree explain their answers to each other."
                : is("playing") ? "Running…" : "";
            return [
                ...said ? [make("p", "talk", said)] : [],
                result ? window.workbook.class_bars(poll, result.lines) : make("p", "", "Counting…"),
                ...is("played") && result ? overlooked(result.misconceptions) : [],
                ...is("played") && result?.explanation ? [fold("What happened, and why", builders("explanation", result.explanation))] : [],
            ];
        }

        /** @param {string} title
         * @param {HTMLElement} content */
        const fold = (title, content) => make("details", "", make("summary", "", title), content);

        function showControls() {
            const { poll } = shown;
            const following = next();
            const onward = following ? [opener(following, poll ? "Next: " : "Open: ")] : [];
            const done = button("Show how to join", () => void act("done"));
            const buttons = !poll ? onward
                : poll.phase === "open" ? [button("Close the poll", () => void act("close"))]
                : poll.phase === "closed" && poll.asks.kind === "one" ? [button("Reveal", () => void act("reveal"))]
                : poll.phase === "closed" ? [button("Play", () => void act("play"))]
                : poll.phase === "playing" ? []
                : [...onward, done];
            controls.replaceChildren(...buttons.flatMap((one) => [one, " "]));
        }

        /** Makes only changed parts anew: a button that the teacher is about to press stays in place.
         * @param {ClassState} state */
        function show(state) {
            const { poll, result, students, answered, of } = state;
            const isNew = poll?.id !== shown.poll?.id || isFirst;
            const hasChanged = isNew || poll !== shown.poll || result !== shown.result;
            isFirst = false;
            shown = state;
            here.textContent = `${students.length} ${students.length === 1 ? "is" : "are"} here`;
            count.textContent = `answered: ${answered} of ${of}`;
            Object.assign(meter, { max: Math.max(of, 1), value: answered });
            if (isNew) {
                stage.className = poll ? "stage has-poll" : "stage";
                stage.replaceChildren(...poll ? [asked(poll, "h1"), side] : [make("h1", "", "Join the class"), to(), here]);
            }
            if (!hasChanged) {
                return;
            }
            if (poll?.phase === "played") {
                played.add(poll.id);
            }
            side.replaceChildren(...!poll ? [] : poll.phase === "open" ? askedSoFar(poll) : counted(poll));
            const hadFocus = controls.contains(document.activeElement) || list.contains(document.activeElement);
            showControls();
            showList();
            if (hadFocus) {
                controls.querySelector("button")?.focus();
            }
        }

        return { element: make("div", "wall", controls, stage, list), show };
    };
})();
