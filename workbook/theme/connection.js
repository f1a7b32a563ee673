// A stream of events from the server that reconnects by itself: for the cockpit's pages and the class's.
"use strict";

(() => {
    /** The time after which a page connects again: at first, and at most. */
    const [SOON, LATER] = [500, 8000];

    /** Hears a stream for as long as the page is visible and reconnects after each interruption. Each
     * connection begins with the current state, so the page misses nothing.
     * @param {Connecting} how */
    window.workbook.connect = ({ address, hear, opened, lost }) => {
        /** @type {EventSource | null} */
        let source = null;
        let delay = SOON;
        let timer = 0;
        let isOver = false;
        let isAsking = false;

        function close() {
            clearTimeout(timer);
            source?.close();
            source = null;
        }

        /** @param {Error | null} error */
        function later(error) {
            close();
            if (!document.hidden && !isOver) {
                lost(error);
                timer = setTimeout(open, delay);
                delay = Math.min(2 * delay, LATER);
            }
        }

        async function open() {
            if (source || isAsking || isOver || document.hidden) {
                return;
            }
            clearTimeout(timer);
            isAsking = true;
            try {
                const where = await address();
                if (isOver || document.hidden) {
                    return;
                }
                source = new EventSource(where);
                source.onopen = () => {
                    delay = SOON;
                    opened();
                };
                source.onmessage = ({ data }) => {
                    const event = JSON.parse(data);
                    if (event.event === "over") {
                        isOver = true;
                        close();
                    }
                    hear(event);
                };
                source.onerror = () => later(null);
            } catch (error) {
                // fetch throws a TypeError if a server doesn't answer.
                later(error instanceof TypeError ? null : /** @type {Error} */ (error));
            } finally {
                isAsking = false;
            }
        }

        /** Connects at once, unless the stream is over. */
        const retry = () => {
            delay = SOON;
            void open();
        };
        document.addEventListener("visibilitychange", () => document.hidden ? close() : retry());
        addEventListener("online", retry);
        retry();
        return {
            retry,
            again: () => {
                isOver = false;
                retry();
            },
            end: () => {
                isOver = true;
                close();
            },
        };
    };
})();
