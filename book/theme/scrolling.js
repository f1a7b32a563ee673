// Whatever scrolls in a page can be scrolled with the keyboard, too.
"use strict";

window.workbook = window.workbook || {};

(() => {
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

    // For scripts that put something into the page later.
    window.workbook.note_what_scrolls = note;
    note();
    addEventListener("resize", note);
    document.addEventListener("toggle", note, true);
})();
