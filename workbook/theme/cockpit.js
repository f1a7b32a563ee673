// The messages between a page and the cockpit's server: the token, requests with their answers, and
// streams of events. Only pages that the cockpit's server serves load this script.
"use strict";

(() => {
    const { connect, elements: { make, button, status, kept } } = window.workbook;
    const KEY = "event-loop-workbook.cockpit";
    const keptToken = kept(KEY);
    const IN_ADDRESS = "#cockpit=";
    const root = typeof path_to_root === "string" ? path_to_root : "";

    let token = "";
    /** The connections that the token is for. @type {Set<() => void>} */
    const waiting = new Set();
    /** The server's message in its greeting: that the reference serves in the reader's place. */
    let notice = "";

    /** Takes the token from the address that the terminal shows, and removes it there; or takes the token of
     * another tab. */
    function takeToken() {
        if (location.hash.startsWith(IN_ADDRESS)) {
            keptToken.set(location.hash.slice(IN_ADDRESS.length));
            history.replaceState(null, "", location.pathname + location.search);
        }
        token = keptToken.get();
    }

    const banner = status("cockpit-banner");
    document.querySelector("main")?.prepend(banner);

    /** Shows a message at the head of the page, or removes it.
     * @param {string} words */
    function say(words) {
        if (banner.textContent !== words) {
            banner.textContent = words;
        }
    }

    /** Sends the server a request. Fails with the server's own words if it refuses.
     * @param {string} path
     * @param {object} body
     * @param {AbortSignal} [signal] */
    async function post(path, body, signal) {
        if (!token) {
            throw new Error("You can only read this page here. To write exercises and play scenes, open the "
                + "address that the terminal shows.");
        }
        const headers = { "Content-Type": "application/json", "Workbook-Token": token };
        const answer = await fetch(`${root}cockpit/${path}`,
            { method: "POST", headers, body: JSON.stringify(body), signal, cache: "no-store" });
        if (answer.status === 401) {
            token = "";
            throw new Error("The server has been restarted with a new token: open the address that the terminal "
                + "shows now. What you've written is in your notebook.");
        }
        if (!answer.ok) {
            throw new Error((await answer.text()).trim());
        }
        return answer;
    }

    /** Makes the server run one of the workbook's commands and hears its output, line by line.
     * @param {object} ask
     * @param {(event: any) => void} hear
     * @param {AbortSignal} [signal] */
    async function ask(ask, hear, signal) {
        const answer = await post("ask", ask, signal);
        const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
        let unread = "";
        while (reader) {
            const { value, done } = await reader.read();
            unread += value ?? "";
            const lines = unread.split("\n");
            unread = lines.pop() ?? "";
            lines.filter((line) => line.startsWith("{")).forEach((line) => hear(JSON.parse(line)));
            if (done) {
                return;
            }
        }
    }

    /** Makes the server run a command that gives one answer and returns that answer. A failure is an `error`.
     * @param {object} what
     * @returns {Promise<any>} */
    async function answerTo(what) {
        /** @type {any} */
        let answer = null;
        try {
            await ask(what, (event) => {
                if (event.event !== "over") {
                    answer = event;
                }
                answer ??= { event: "error", words: event.report || "The command was stopped." };
            });
            return answer;
        } catch (error) {
            // fetch throws a TypeError if a server doesn't answer.
            return { event: "error", words: /** @type {Error} */ (error).message, isGone: error instanceof TypeError };
        }
    }

    /** Hears a stream of events for as long as the page is visible. Each connection begins with the current
     * state.
     * @param {object} wanted
     * @param {(event: any) => void} hear */
    function listen(wanted, hear) {
        let isLost = false;
        const connection = connect({
            address: async () => {
                if (isLost) {
                    // Another server may have taken its place.
                    await greet();
                    isLost = false;
                }
                const { ticket } = await (await post("ticket", wanted)).json();
                return `${root}cockpit/events?ticket=${ticket}`;
            },
            hear,
            opened: () => say(notice),
            lost: (error) => {
                isLost = error === null;
                // A page that came through a forwarded port doesn't know the server's own port.
                const isHere = ["127.0.0.1", "localhost"].includes(location.hostname);
                const port = isHere && location.port !== "7007" ? ` --port ${location.port}` : "";
                say(error?.message
                    ?? `The server isn't answering. To go on, type cargo run -p book -- serve${port}, then open the address that it prints.`);
            },
        });
        waiting.add(connection.retry);
        return connection;
    }

    /** Asks the reader a question and shows the code in question.
     * @param {string} question
     * @param {string | null} code
     * @param {string} yes
     * @returns {Promise<boolean>} */
    function confirm(question, code, yes) {
        return new Promise((resolve) => {
            const dialog = make("dialog", "cockpit-dialog", make("p", "", question));
            if (code) {
                dialog.append(make("pre", "", make("code", "language-rust hljs", code)));
            }
            dialog.append(make("p", "controls",
                button(yes, () => dialog.close("yes")), " ", button("Cancel", () => dialog.close(""))));
            dialog.setAttribute("aria-label", question);
            dialog.addEventListener("close", () => {
                resolve(dialog.returnValue === "yes");
                dialog.remove();
            });
            document.body.append(dialog);
            dialog.showModal();
        });
    }

    /** @returns {Promise<Hello>} */
    async function greet() {
        const answer = await (await post("hello", {})).json();
        notice = answer.notice ?? "";
        return answer;
    }

    takeToken();
    /** @type {(hello: Hello) => void} */
    let accept = () => {};
    /** @type {Promise<Hello>} */
    const hello = new Promise((resolve) => accept = resolve);

    /** Says hello with the current token. */
    function begin() {
        greet().then((answer) => {
            accept(answer);
            document.documentElement.classList.add("in-cockpit");
            say(notice);
        }).catch((error) => say(error instanceof TypeError ? "The server isn't answering." : error.message));
    }

    function again() {
        takeToken();
        begin();
        waiting.forEach((connect) => connect());
    }

    addEventListener("storage", ({ key, newValue }) => {
        if (key === KEY && newValue) {
            again();
        }
    });
    addEventListener("hashchange", () => {
        if (location.hash.startsWith(IN_ADDRESS)) {
            again();
        }
    });
    window.workbook.cockpit = { hello, post, ask, answerTo, listen, confirm, say, root };
    begin();
})();
