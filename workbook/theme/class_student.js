// The page of a student: joins the class and predicts the lines that the teacher asks for. An answer has
// arrived only when the teacher's machine has written it down and acknowledged it.
"use strict";

(() => {
    const { make, button, status } = window.workbook.elements;
    const { ofLines, ofOne, compared } = window.workbook.forms;
    const { builders, asked, predicted, overlooked } = window.workbook.polls;
    const { statusOf, words } = window.workbook.failures;
    const { joinForm, fromTerminal } = window.workbook.class_joining;
    const room = window.workbook.classroom("student", "");
    const LEAVES = "Only your name, your answers and your requests for help go to your teacher's machine. "
        + "Other students never see who answered what. Everything is sent over plain HTTP, so "
        + "someone who watches this network can read it.";

    const main = /** @type {HTMLElement} */ (document.querySelector("main"));
    /** The question, with messages and outcomes above it, so that a phone needn't be scrolled. */
    const [place, said, after] = [make("div", "poll"), status("said"), make("div", "poll")];

    /** @type {Poll | null} */
    let poll = null;
    /** @type {Result | null} */
    let result = null;
    /** The poll that the form in the page is for. @type {string | null} */
    let asking = null;
    /** @type {Connection | null} */
    let connection = null;

    /** @param {string} why the event that led here */
    function askToJoin(why) {
        connection?.end();
        said.textContent = why;
        joinForm(room, main, said, LEAVES, enter);
    }

    const help = button("Ask for help", async () => {
        const wanted = help.getAttribute("aria-pressed") !== "true";
        try {
            await room.post("help", { wanted });
            showHelp(wanted);
        } catch (error) {
            said.textContent = words(error);
        }
    });

    /** @param {boolean} wanted */
    function showHelp(wanted) {
        help.setAttribute("aria-pressed", String(wanted));
        help.textContent = wanted ? "You've asked for help" : "Ask for help";
    }

    async function leave() {
        if (!confirm("Leave the class? The teacher's machine then deletes your name, your answers and your reports.")) {
            return;
        }
        try {
            await room.post("leave");
            room.keep("");
            askToJoin("You've left the class, and your data has been deleted.");
        } catch (error) {
            said.textContent = words(error);
        }
    }

    /** Shows the class, once the name is known there.
     * @param {string} name */
    function enter(name) {
        history.replaceState(null, "", location.pathname);
        showHelp(false);
        said.textContent = "";
        asking = null;
        main.replaceChildren(
            make("div", "bar", make("h1", "", name), help, button("Leave", () => void leave()), room.line),
            said, after, place, fromTerminal(room, name), make("p", "leaves", LEAVES));
        poll = result = null;
        show();
        connection = room.listen(hear, forgotten);
    }

    function forgotten() {
        room.keep("");
        askToJoin("The class no longer knows you: it has ended, you left it in another tab, or your teacher removed you. "
            + "If the class is still open, you can join again.");
    }

    /** @param {any} event */
    function hear(event) {
        switch (event.event) {
            case "poll":
                if (event.poll?.id !== poll?.id || event.poll?.phase !== "played") {
                    result = null;
                }
                poll = event.poll;
                show();
                break;
            case "line":
                poll?.printed.push(event.text);
                show();
                break;
            case "result":
                result = event;
                show();
                break;
            case "help":
                showHelp(event.asked);
                break;
            case "removed":
                connection?.end();
                forgotten();
                break;
            case "over":
                room.keep("");
                main.replaceChildren(make("h1", "", "The class has ended"),
                    make("p", "", "Thanks for predicting. The teacher's machine has deleted your data, "
                        + "unless your teacher keeps the class's file."));
                break;
        }
    }

    /** Shows the poll in its current state. A form that the student is filling in stays as it is. */
    function show() {
        if (poll?.phase === "open" && !poll.answered) {
            if (asking !== poll.id) {
                ask(poll);
            }
            return;
        }
        asking = null;
        place.replaceChildren(...poll ? [asked(poll, "h2")] : []);
        if (!poll) {
            say("There's nothing to predict at the moment. The next question appears here by itself.");
            after.replaceChildren();
        } else if (poll.phase === "played" && result) {
            outcome(poll, result);
        } else {
            waiting(poll);
        }
    }

    /** @param {string} text */
    function say(text) {
        if (said.textContent !== text) {
            said.textContent = text;
            said.scrollIntoView({ block: "nearest" });
        }
    }

    /** Asks for the student's prediction.
     * @param {Poll} open */
    function ask(open) {
        asking = open.id;
        const send = button("Send", () => void answer());
        const { form, typed, left } = open.asks.kind === "lines" ? ofLines(open.asks, send)
            : oneOf(open.id, open.asks.answers);

        async function answer() {
            const { mustBe, says } = left();
            if (mustBe) {
                say(says);
                return;
            }
            const all = typed();
            if (all.every((text) => text === "")) {
                say("A guess is enough, but you have to make one.");
                return;
            }
            send.disabled = true;
            say("Sending…");
            try {
                await room.post("answer", { poll: open.id, typed: all });
                if (poll?.id === open.id) {
                    poll = { ...poll, answered: true, yours: all };
                    show();
                }
            } catch (error) {
                say(`Your answer wasn't confirmed: ${words(error)}`);
            }
            send.disabled = false;
        }

        say("A question is open. You can send your answer only once.");
        after.replaceChildren();
        place.replaceChildren(asked(open, "h2"), make("div", "predict", form, send));
    }

    /** @param {string} id
     * @param {string[]} answers */
    function oneOf(id, answers) {
        const fields = ofOne(id, answers);
        const form = make("div", "", ...fields.map(({ label }) => label));
        form.setAttribute("role", "radiogroup");
        form.setAttribute("aria-label", "your answer");
        return {
            form,
            typed: () => [answers[fields.findIndex(({ field }) => field.checked)] ?? ""],
            left: () => ({ mustBe: false, says: "" }),
        };
    }

    /** Shows the student's own answer until the scene has ended, and the lines that have been printed so far.
     * @param {Poll} current */
    function waiting(current) {
        const { phase, yours, printed, asks } = current;
        say(!yours ? "This question is closed, and you haven't answered it. You'll see the answer when your teacher shows it."
            : phase === "open" ? "Your answer has been sent. As soon as the question is closed, compare your answer with your neighbour's."
            : phase === "closed" ? "The question is closed. Find someone who predicted something else and explain your answers to each other."
            : "The scene is running on the teacher's machine.");
        const mine = yours ? predicted(current, yours) : [];
        const isShown = phase === "playing" || phase === "played";
        const rows = (isShown && asks.kind === "lines" ? printed : mine).map((text, at) => {
            const isMine = isShown && asks.kind === "lines" && yours && asks.lines[at]?.given === false;
            return make("li", "", make("span", "line", text),
                ...isMine ? [make("span", "yours", `you: ${mine[at] ?? ""}`)] : []);
        });
        after.replaceChildren(...rows.length > 0 ? [make("div", "predict", make("ol", "lines", ...rows))] : []);
    }

    /** Shows the student's answer beside the printed lines.
     * @param {Poll} current
     * @param {Result} told */
    function outcome(current, { right, overlooks, text, explanation, misconceptions }) {
        const mine = current.yours ? predicted(current, current.yours) : [];
        const marked = current.yours ? right : text.map(() => null);
        const count = marked.filter((one) => one === true).length;
        const of = marked.filter((one) => one !== null).length;
        say(!current.yours ? "You didn't answer this question." : current.asks.kind === "one"
            ? count === 1 ? "That's it." : "Not this time." : `${count} of ${of} right.`);
        /** @param {string | null} sentence */
        const shared = (sentence) => misconceptions.find((one) => one.overlooks === sentence);
        after.replaceChildren(
            make("div", "predict", compared(text.map((line, at) => ({
                text: line,
                right: marked[at] ?? null,
                yours: mine[at] || "nothing",
                overlooks: (overlooks[at] && current.asks.kind === "one" ? "No: " : "") + (overlooks[at] ?? "") + (shared(overlooks[at]) ? ` (${shared(overlooks[at])?.count} of you)` : ""),
            })))),
            ...overlooked(misconceptions.filter((one) => !overlooks.includes(one.overlooks))),
            ...explanation ? [builders("explanation", explanation)] : []);
    }

    /** Goes on where this student stopped, or asks for a name. */
    async function begin() {
        if (!room.has()) {
            askToJoin("");
            return;
        }
        try {
            enter((await room.post("hello")).name);
        } catch (error) {
            if (statusOf(error) === 401) {
                forgotten();
                return;
            }
            main.replaceChildren(make("h1", "", "The class"), make("p", "connection is-lost", words(error)));
            setTimeout(begin, 2000);
        }
    }

    void begin();
})();
