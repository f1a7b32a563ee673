// Makes elements: what all other scripts build their parts of a page with. It's the first one on each page.
"use strict";

// A page's data can have come before.
window.workbook = window.workbook || /** @type {any} */ ({});

(() => {
    /**
     * Makes an element with a class, and puts these into it.
     * @template {keyof HTMLElementTagNameMap} Tag
     * @param {Tag} tag
     * @param {string} className
     * @param {(Node | string)[]} content
     */
    function make(tag, className, ...content) {
        const made = document.createElement(tag);
        made.className = className;
        made.append(...content);
        return made;
    }

    /** Makes a button. If its text is only a sign, the name says what it does.
     * @param {string} text
     * @param {(event: MouseEvent) => void} action
     * @param {string} [name] */
    function button(text, action, name = text) {
        const made = make("button", "control", text);
        made.type = "button";
        if (name !== text) {
            made.setAttribute("aria-label", name);
            made.title = name;
        }
        made.addEventListener("click", action);
        return made;
    }

    /** Makes a group with a name, which screen readers tell.
     * @param {string} className
     * @param {string} name
     * @param {(Node | string)[]} content */
    function group(className, name, ...content) {
        const made = make("div", className, ...content);
        made.setAttribute("role", "group");
        made.setAttribute("aria-label", name);
        return made;
    }

    /** Returns a text with what's between backticks as code.
     * @param {string} text */
    const withCode = (text) => text.split("`").map((piece, at) => at % 2 === 1 ? make("code", "", piece) : piece);

    window.workbook.elements = { make, button, group, withCode };
})();
