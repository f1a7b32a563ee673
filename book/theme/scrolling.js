// Whatever scrolls in a page can be scrolled with the keyboard, too.
"use strict";

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

    note();
    addEventListener("resize", note);
    document.addEventListener("toggle", note, true);
})();
