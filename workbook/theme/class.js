// The messages between a page of the class and the teacher's machine: the token, requests with their
// answers, and the stream of events.
"use strict";

(() => {
    const { connect, elements: { status, kept } } = window.workbook;

    /** Opens the line to the teacher's machine.
     * @param {"student" | "teacher"} whose
     * @param {string} below the part of the addresses after `class/`
     * @returns {Classroom} */
    window.workbook.classroom = (whose, below) => {
        // The token stays when the page is closed and opened again. Another tab can be another student.
        const stored = kept(`event-loop-workbook.class.${whose}`);
        let token = stored.get();

        /** @param {string} next */
        function keep(next) {
            token = next;
            stored.set(next);
        }

        /** Sends a request. Fails with the server's own words and the status.
         * @param {string} path
         * @param {object} [body] */
        async function post(path, body = {}) {
            const headers = { "Content-Type": "application/json", ...token ? { "Class-Token": token } : {} };
            const answer = await fetch(`class/${below}${path}`,
                { method: "POST", headers, body: JSON.stringify(body), cache: "no-store" });
            if (!answer.ok) {
                throw Object.assign(new Error((await answer.text()).trim()), { status: answer.status });
            }
            return answer.json();
        }

        const line = status("connection");

        /** @param {string} words
         * @param {boolean} isLost */
        function say(words, isLost) {
            if (line.textContent !== words) {
                line.textContent = words;
            }
            line.classList.toggle("is-lost", isLost);
        }

        /** Hears the events of the class. If the token isn't known any more, tells the page.
         * @param {(event: any) => void} hear
         * @param {(words: string) => void} refused */
        function listen(hear, refused) {
            const connection = connect({
                address: async () => `class/events?ticket=${encodeURIComponent((await post("ticket")).ticket)}`,
                hear,
                opened: () => say("Connected.", false),
                lost: (error) => {
                    if (statusOf(error) === 401) {
                        connection.end();
                        refused(error?.message ?? "");
                    } else {
                        say(error?.message ?? `${UNREACHABLE} This page keeps trying.`, true);
                    }
                },
            });
            return connection;
        }

        return { has: () => token !== "", keep, post, listen, line };
    };

    const UNREACHABLE = "The teacher's machine isn't answering.";

    /** @param {any} error */
    const statusOf = (error) => error?.status ?? 0;

    /** Returns the message about a request that failed.
     * @param {unknown} error */
    const words = (error) => error instanceof TypeError ? UNREACHABLE : /** @type {Error} */ (error).message;

    window.workbook.failures = { statusOf, words };
})();
