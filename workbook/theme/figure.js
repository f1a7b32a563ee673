// Lets the reader move a figure: choose the rules and the order, and step through the states. The builder
// has made the states (workbook/builder/src/figures/). Without this script, and on paper, a still picture
// shows one of the states.
"use strict";

(() => {
    const { make, button, group, svg } = window.workbook.elements;
    // The printed book is for paper.
    if (location.pathname.endsWith("print.html")) {
        return;
    }

    /** @param {Shape} shape
     * @param {string} figure its name */
    function drawn(shape, figure) {
        if ("from" in shape) {
            const [[x, y], [toX, toY]] = [shape.from, shape.to];
            const line = svg("path", { class: "arrow", d: `M${x} ${y} L${toX} ${toY}` });
            if (shape.hasHead) {
                line.setAttribute("marker-end", `url(#figure-${figure}-head)`);
            }
            return svg("g", { class: shape.look }, line);
        }
        const { x, y, words, look } = shape;
        if (!("width" in shape)) {
            return svg("g", { class: look }, svg("text", { x, y }, words));
        }
        const { width, height } = shape;
        const box = svg("rect", { class: "box", x, y, width, height, rx: 5 });
        const middle = { x: x + Math.floor(width / 2), y: y + Math.floor(height / 2) + 5, "text-anchor": "middle" };
        return svg("g", { class: look }, box, svg("text", middle, words));
    }

    /** Puts the controls above the picture.
     * @param {HTMLElement} place */
    function letMove(place) {
        /** @type {Moving} */
        const { name, choices, size, shapes, sets, still } = JSON.parse(place.querySelector("script")?.textContent ?? "");
        const [stage, description] = [place.querySelector(".stage"), place.querySelector("desc")];
        const [picture, caption] = [place.querySelector("svg"), place.querySelector("figcaption")];
        const forAll = `0 0 ${size.join(" ")}`;
        const forStill = picture?.getAttribute("viewBox") ?? forAll;
        const hasBad = sets.some(({ runs }) => runs.some(({ isBad }) => isBad));
        let [set, run] = still;
        let at = 0;

        const states = () => sets[set].runs[run].states;
        /** @param {State} state
         * @param {string} box the visible part of the plane */
        function draw({ says, shapes: indexes }, box) {
            const all = indexes.map((index) => shapes[index]);
            picture?.setAttribute("viewBox", box);
            stage?.replaceChildren(...all.map((shape) => drawn(shape, name)));
            description?.replaceChildren(all.flatMap((shape) => "words" in shape ? [shape.words] : []).join("; "));
            caption?.replaceChildren(says);
        }

        function show() {
            draw(states()[at], forAll);
            position.textContent = `${at + 1} of ${states().length}`;
            back.setAttribute("aria-disabled", String(at === 0));
            next.setAttribute("aria-disabled", String(at === states().length - 1));
        }

        /** @param {number} to */
        function step(to) {
            at = Math.max(0, Math.min(to, states().length - 1));
            show();
        }

        /** @param {number} to */
        function chooseRun(to) {
            run = to;
            title.textContent = sets[set].runs[run].name;
            [...runs.children].forEach((one, index) => one.setAttribute("aria-pressed", String(index === run)));
            step(0);
        }

        /** @param {number} to
         * @param {number} first the run to begin with */
        function chooseSet(to, first) {
            set = to;
            runs.replaceChildren(...sets[set].runs.map((one, index) => {
                const mark = !hasBad ? "" : one.isBad ? " ✗" : " ✓";
                const end = !hasBad ? "" : one.isBad ? ": goes wrong" : ": goes well";
                const made = button(`${index + 1}${mark}`, () => chooseRun(index), `${index + 1}, ${one.name}${end}`);
                made.classList.toggle("bad", one.isBad);
                return made;
            }));
            runs.hidden = title.hidden = sets[set].runs.length < 2;
            chooseRun(first);
        }

        const back = button("Back", () => step(at - 1));
        const next = button("Next", () => step(at + 1));
        const position = make("span", "");
        const title = make("p", "");
        const runs = group("runs", choices[1]);
        const select = make("select", "control");
        select.append(...sets.map((one) => new Option(one.name)));
        select.selectedIndex = set;
        select.addEventListener("change", () => {
            const firstBad = sets[select.selectedIndex].runs.findIndex(({ isBad }) => isBad);
            chooseSet(select.selectedIndex, Math.max(0, firstBad));
        });
        const label = make("label", "", `${choices[0]}: `, select);
        label.hidden = sets.length < 2;
        place.prepend(group("controls", place.querySelector("title")?.textContent ?? "",
            label, runs, title, group("steps", "Step", back, position, next)));
        caption?.setAttribute("aria-live", "polite");

        place.addEventListener("keydown", (event) => {
            const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: Infinity }[event.key];
            if (to === undefined) {
                return;
            }
            // On the page, these keys would turn to another chapter.
            event.stopPropagation();
            if (event.target !== select) {
                event.preventDefault();
                step(to);
            }
        });
        addEventListener("beforeprint", () => draw(sets[still[0]].runs[still[1]].states[still[2]], forStill));
        addEventListener("afterprint", show);
        chooseSet(set, run);
    }

    for (const place of document.querySelectorAll("figure.moving")) {
        letMove(/** @type {HTMLElement} */ (place));
    }
})();
