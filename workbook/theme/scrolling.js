// Everything that scrolls in a page can be scrolled with the keyboard, too, and the first press of Tab offers
// a way past the list of chapters.
//
// mdBook goes to another chapter with the arrows, except while the focus is in the text: there the arrows
// scroll code, move in an answer, or step through a run.
"use strict";

(() => {
    const { make, link } = window.workbook.elements;
    const CAN_SCROLL = "main :is(table, pre > code, figure.picture, .lines)";

    function note() {
        for (const element of document.querySelectorAll(CAN_SCROLL)) {
            if (element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight + 1) {
                element.setAttribute("tabindex", "0");
            } else {
                element.removeAttribute("tabindex");
            }
        }
    }

    /** Makes the first press of Tab begin at the top. mdBook scrolls the list of chapters to this chapter, and
     * Chromium 148 begins at the place that was scrolled to. */
    function beginAtTheTop() {
        const top = make("span", "");
        top.tabIndex = -1;
        document.body.prepend(top);
        top.focus({ preventScroll: true });
        top.remove();
    }

    const main = document.querySelector("main");
    main?.addEventListener("keydown", (event) => {
        if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
            event.stopPropagation();
        }
    });
    if (main) {
        main.id ||= "the-text";
        const skip = link("Skip to the text", `#${main.id}`);
        skip.className = "skip";
        document.body.prepend(skip);
        // A link to a section begins at that section.
        if (!document.getElementById(location.hash.slice(1)) && document.activeElement === document.body) {
            beginAtTheTop();
        }
    }
    // For scripts that later put something into the page.
    window.workbook.note_what_scrolls = note;
    note();
    addEventListener("resize", note);
    document.addEventListener("toggle", note, true);
})();
