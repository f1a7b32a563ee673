// The path that the reader has chosen: a bar names the sections of this page to read and to skip, and the
// next part. Sections to skip are marked and stay in place. Without a path, there's only the choice, in the
// side bar. The builder writes the paths into paths.js.
"use strict";

(() => {
    const { make, link, kept, withCode } = window.workbook.elements;
    const chosen = kept("event-loop-workbook.path");

    /** Enumerates as English does: 1.1, 1.5 and 1.7. */
    const enumeration = new Intl.ListFormat("en-GB");

    const { pages, paths } = window.workbook.paths;
    const file = location.pathname.split("/").pop() || "index.html";
    // index.html is another copy of the first page.
    const at = Math.max(0, pages.findIndex((page) => page.file === file));

    /** Returns the number of a page's sections that a path reads.
     * @param {BookPath} path
     * @param {BookPage} page */
    const countRead = (path, page) => page.sections.length - (path.skips[page.file]?.length ?? 0);

    /** @param {BookPath} path
     * @param {BookPage} page */
    const reads = (path, page) => countRead(path, page) > 0 || page.file === path.last;

    /** Returns true if a page of the appendix is the one that a path wants read before everything else.
     * @param {BookPath} path
     * @param {BookPage} page */
    const comesFirst = (path, page) => path.begins?.includes(page.file) ?? false;

    /** Makes the list of paths to choose from.
     * @param {string} label */
    function choice(label) {
        const select = make("select", "");
        for (const { name, about, isInClass } of [{ name: "", about: "", isInClass: false }, ...paths]) {
            const option = new Option(name === "" ? "all of it" : isInClass ? `class: ${name}` : name, name);
            option.title = about;
            select.append(option);
        }
        select.value = chosen.get();
        select.addEventListener("change", () => {
            chosen.set(select.value);
            const isInBar = select.closest(".path-bar") !== null;
            show();
            // The bar is new, so the keyboard's focus goes to its list, or to the choice if the reader has no
            // path.
            if (isInBar) {
                /** @type {HTMLElement | null} */
                (document.querySelector(".path-bar select") ?? document.querySelector("main h1 a"))?.focus();
            }
        });
        return make("label", "path-choice", label, " ", select);
    }

    /** Says which sections of this page to read, and which exercises to write.
     * @param {BookPath} path
     * @param {BookPage} page
     * @returns {(Node | string)[]} */
    function here(path, page) {
        const [read, all] = [countRead(path, page), page.sections.length];
        if (all === 0) {
            const words = comesFirst(path, page) || !pages.slice(0, at).some((it) => reads(path, it)) ? path.begins
                : page.file === path.last || (!path.last && !next(path)) ? path.ends : null;
            return words ? withCode(words) : ["This page isn't part of any path."];
        }
        if (read === 0) {
            return ["Your path skips this page."];
        }
        const reading = path.isInClass ? "Your teacher will say in class what to read on this page."
            : read === all ? "Read all of this page." : `Read ${read} of the ${all} sections on this page: the others are marked.`;
        const written = page.exercises.filter((number) => path.exercises.includes(number));
        const given = page.exercises.length - written.length;
        const writing = written.length > 0 ? ` Write ${enumeration.format(written)}${given > 0 ? `; ${given} more on this page ${given === 1 ? "is" : "are"} given` : ""}.`
            : given > 0 ? " Its exercises are given." : "";
        return [reading + writing];
    }

    /** Returns the next page that the path reads.
     * @param {BookPath} path */
    const next = (path) => pages.slice(comesFirst(path, pages[at]) ? 0 : at + 1).find((page) => reads(path, page));

    /** @param {BookPath} path */
    function bar(path) {
        const following = next(path);
        const isOnIt = countRead(path, pages[at]) > 0;
        const then = following ? [" Next: ", link(following.title, path_to_root + following.file), "."]
            : isOnIt && path.ends ? [" This is the last page of your path. ", ...withCode(path.ends)]
            : isOnIt ? [" This is the last page of your path."] : [];
        const made = make("nav", "path-bar", choice("Your path:"), " ",
            make("span", "", ...here(path, pages[at]), ...then));
        made.setAttribute("aria-label", "Your path");
        return made;
    }

    /** Marks the sections that a path skips: each from its heading to the next heading.
     * @param {BookPath} path */
    function mark(path) {
        const skipped = path.skips[pages[at].file] ?? [];
        if (skipped.length === pages[at].sections.length) {
            return;
        }
        for (const place of skipped) {
            const heading = document.getElementById(pages[at].sections[place]);
            if (!heading || !/^H[1-6]$/.test(heading.tagName)) {
                continue;
            }
            heading.after(skipNote(place, skipped));
            for (let next = heading.nextElementSibling; next && !/^H[1-6]$/.test(next.tagName); next = next.nextElementSibling) {
                next.classList.add("off-path");
            }
        }
    }

    /** Marks the exercises that a path gives. Those in a skipped section are marked with that section. The stages
     * of a loop from scratch are never given.
     * @param {BookPath} path */
    function markGiven(path) {
        const others = pages[at].exercises.filter((it) => !path.exercises.includes(it));
        for (const number of others.filter((it) => !it.startsWith("S."))) {
            const box = document.getElementById(`exercise-${number.replace(".", "-")}`);
            if (box && !box.classList.contains("off-path")) {
                box.classList.add("off-path");
                box.prepend(make("p", "off-path-note", `Your path gives you ${number}: read on below the box.`));
            }
        }
    }

    /** Says that a section is skipped, with a link to the next section that isn't.
     * @param {number} place
     * @param {number[]} skipped */
    function skipNote(place, skipped) {
        const on = pages[at].sections.find((_, next) => next > place && !skipped.includes(next));
        const note = make("p", "off-path-note", "Your path skips this section.");
        const heading = on && document.getElementById(on);
        if (heading) {
            note.append(" Next on your path: ", link(`“${heading.textContent}”`, `#${on}`), ".");
        }
        return note;
    }

    function show() {
        document.querySelectorAll(".path-bar, .off-path-note").forEach((old) => old.remove());
        document.querySelectorAll(".off-path").forEach((old) => old.classList.remove("off-path"));
        document.querySelectorAll(".path-choice select").forEach((select) => {
            /** @type {HTMLSelectElement} */ (select).value = chosen.get();
        });
        const path = paths.find(({ name }) => name === chosen.get());
        if (path) {
            document.querySelector("main")?.prepend(bar(path));
            mark(path);
            markGiven(path);
        }
    }

    // The printed book has everything.
    if (file !== "print.html") {
        document.querySelector("#mdbook-sidebar .sidebar-scrollbox")?.prepend(choice("Path:"));
        document.getElementById("choose-a-path")?.append(choice("In the book:"));
        show();
    }
})();
