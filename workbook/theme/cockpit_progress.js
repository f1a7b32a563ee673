// The side bar's head: the steps and the library, the green exercises and those that are left, and the
// reader's last place. The runner keeps all of this with the notebook.
"use strict";

(() => {
    const { make, link } = window.workbook.elements;
    const { answerTo, hello, root } = window.workbook.cockpit;
    const bar = document.querySelector("#mdbook-sidebar");
    if (!bar) {
        return;
    }
    const place = make("nav", "cockpit-progress");
    place.setAttribute("aria-label", "your progress");
    bar.prepend(place);

    /** @param {number} minutes */
    const time = (minutes) => minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;

    /** @param {any[]} exercises */
    const greenOf = (exercises) => exercises.filter(({ state }) => state === "green" || state === "given").length;

    /** The number of each part's exercises that are shown as green. @type {Map<string, number>} */
    const shownGreen = new Map();

    /** @param {any} part */
    function row({ package: of, title, book, exercises }) {
        const green = greenOf(exercises);
        shownGreen.set(of, green);
        const bar = Object.assign(make("progress", ""), { max: Math.max(exercises.length, 1), value: green });
        const name = of.startsWith("step") ? of.slice(4, 6) : of;
        bar.setAttribute("aria-label", `${name}: ${green} of ${exercises.length} green`);
        const shown = make("li", green === exercises.length ? "is-done" : "", link(name, root + book), bar, `${green}/${exercises.length}`);
        shown.title = title;
        return shown;
    }

    /** @param {any} list */
    function show({ parts, path, next }) {
        const predictions = parts.flatMap((/** @type {any} */ part) => part.predictions);
        /** @param {string} key */
        const sum = (key) => predictions.reduce((/** @type {number} */ all, /** @type {any} */ one) => all + one[key], 0);
        const left = parts.reduce((/** @type {number} */ all, /** @type {any} */ part) => all + part.minutes_left, 0);
        /** @type {HTMLElement[]} */
        const content = [make("ol", "", ...parts.map(row))];
        const words = [left > 0 ? `${time(left)} left` : "No exercise is left to write.", `path: ${path}`];
        if (sum("asked") > 0) {
            words.push(`predicted: ${sum("right")} of ${sum("asked")} lines right`);
        }
        content.push(make("p", "", words.join(" · ")));
        if (next) {
            const part = parts.find((/** @type {any} */ it) => it.package === next.package);
            const exercise = part?.exercises.find((/** @type {any} */ it) => it.number === next.exercise);
            const page = exercise?.book ?? part?.book;
            if (page) {
                const begins = parts.every((/** @type {any} */ it) => it.judged === "never");
                const what = exercise ? `${exercise.number} ${exercise.name}` : part.title;
                content.push(make("p", "", link(`${begins ? "Begin with" : "Go on with"} ${what}`, root + page)));
            }
        }
        place.replaceChildren(...content);
    }

    /** @param {string} words */
    const fail = (words) => place.replaceChildren(make("p", "", `Your progress can't be shown: ${words}`));

    let isAsking = false;
    /** True if an exercise has turned green or red since the question was asked. */
    let isStale = false;

    async function refresh() {
        isStale = true;
        while (isStale && !isAsking) {
            [isAsking, isStale] = [true, false];
            const answer = await answerTo({ act: "list" });
            if (answer.event === "list") {
                show(answer);
                document.dispatchEvent(new CustomEvent("workbook-list", { detail: answer }));
            } else if (!answer.isGone) {
                // Otherwise the connection reports the failure.
                fail(answer.words);
            }
            isAsking = false;
        }
    }

    void hello.then(refresh);
    document.addEventListener("workbook-noted", refresh);
    document.addEventListener("workbook-verdict", (event) => {
        const { package: of, exercises } = /** @type {CustomEvent} */ (event).detail;
        if (shownGreen.get(of) !== greenOf(exercises)) {
            void refresh();
        }
    });
})();
