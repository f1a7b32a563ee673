// The page of the teacher: the wall, the board, and a report after the session. All three show the data
// from the class's server and ask the server for the next thing.
"use strict";

(() => {
    const { make, button, link, status } = window.workbook.elements;
    const { statusOf, words } = window.workbook.failures;
    const room = window.workbook.classroom("teacher", "teach/");
    const IN_ADDRESS = "#class=";
    const [header, main] = ["header", "main"].map((tag) => /** @type {HTMLElement} */ (document.querySelector(tag)));
    const said = status("said");
    const UNKNOWN = "The class doesn't know this page: open the teacher's address that the terminal shows now.";

    /** @type {ClassState} */
    let state = { poll: null, answered: 0, of: 0, result: null, students: [], groups: [], door: true };

    /** Sends the server a request. The outcome arrives on the stream.
     * @param {string} what
     * @param {object} [body] */
    async function act(what, body) {
        said.textContent = "";
        try {
            await room.post(what, body);
        } catch (error) {
            said.textContent = words(error);
        }
    }

    /** Says why the page is empty.
     * @param {string} why */
    function refuse(why) {
        main.replaceChildren(make("h1", "", "The class"), make("p", "", why));
        header.replaceChildren();
    }

    /** Shows one of the views. The address names the view, so two windows can show two of them.
     * @param {TeacherHello} hello */
    function begin(hello) {
        const views = [
            { hash: "", name: "The wall", ...window.workbook.class_wall(hello, act) },
            { hash: "#board", name: "The board", ...window.workbook.class_board(act) },
            { hash: "#report", name: "After the session", ...window.workbook.class_report(room.post, act) },
        ];
        const current = () => views.find(({ hash }) => hash === location.hash) ?? views[0];
        const links = views.map(({ hash, name }) => link(name, hash || "#wall"));
        const nav = make("nav", "", ...links);
        nav.setAttribute("aria-label", "views");

        function turn() {
            const view = current();
            links.forEach((link, at) => {
                if (views[at] === view) {
                    link.setAttribute("aria-current", "page");
                } else {
                    link.removeAttribute("aria-current");
                }
            });
            document.body.dataset.view = view.name;
            main.replaceChildren(said, view.element);
            view.show(state);
        }

        header.replaceChildren(nav, make("p", "join-at", hello.address, " ", make("strong", "", hello.code)), room.line);
        addEventListener("hashchange", turn);
        turn();

        /** @param {Partial<ClassState>} news */
        function update(news) {
            state = { ...state, ...news };
            current().show(state);
        }

        room.listen((event) => {
            switch (event.event) {
                case "poll": {
                    const { poll, answered_count: answered, of_students: of } = event;
                    // While answers arrive, the question stays the same.
                    const isSame = poll && JSON.stringify(poll) === JSON.stringify(state.poll);
                    const isCounted = poll && poll.id === state.poll?.id && poll.phase !== "open";
                    update({ poll: isSame ? state.poll : poll, answered, of, result: isCounted ? state.result : null });
                    break;
                }
                case "line":
                    if (state.poll) {
                        update({ poll: { ...state.poll, printed: [...state.poll.printed, event.text] } });
                    }
                    break;
                case "result":
                    update({ result: event });
                    break;
                case "class":
                    update({ students: event.students, groups: event.groups, door: event.door });
                    break;
                case "failed":
                    said.textContent = event.why;
                    break;
                case "over":
                    room.keep("");
                    header.replaceChildren();
                    said.textContent = "The class has ended. This page stays until you close it: print it if you want to keep it.";
                    break;
            }
        }, () => refuse(UNKNOWN));
    }

    /** Takes the token from the address that the terminal shows, and removes it there. */
    async function enter() {
        if (location.hash.startsWith(IN_ADDRESS)) {
            room.keep(location.hash.slice(IN_ADDRESS.length));
            history.replaceState(null, "", location.pathname);
        }
        if (!room.has()) {
            refuse("Open the teacher's address that the terminal shows.");
            return;
        }
        try {
            begin(await room.post("hello"));
        } catch (error) {
            refuse(statusOf(error) === 401 ? UNKNOWN : words(error));
            main.append(button("Try again", () => void enter()));
        }
    }

    void enter();
})();
