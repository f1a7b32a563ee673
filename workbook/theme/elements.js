// Makes elements: all other scripts build their parts of a page with them. It's the first script on each page.
"use strict";

// A page's data may have come before.
window.workbook = window.workbook || /** @type {any} */ ({});

(() => {
    /**
     * Makes an element with a class and with these contents.
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

    /** Makes a button. If its text is only a sign, the name says what the button does.
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

    /** Makes a group with a name, which screen readers read out.
     * @param {string} className
     * @param {string} name
     * @param {(Node | string)[]} content */
    function group(className, name, ...content) {
        const made = make("div", className, ...content);
        made.setAttribute("role", "group");
        made.setAttribute("aria-label", name);
        return made;
    }

    /** Makes a part of a picture.
     * @template {keyof SVGElementTagNameMap} Name
     * @param {Name} name
     * @param {Record<string, string | number>} attributes
     * @param {(Node | string)[]} content */
    function svg(name, attributes, ...content) {
        const made = document.createElementNS("http://www.w3.org/2000/svg", name);
        Object.entries(attributes).forEach(([attribute, value]) => made.setAttribute(attribute, String(value)));
        made.append(...content);
        return made;
    }

    /** @param {string} text
     * @param {string} href */
    const link = (text, href) => Object.assign(make("a", "", text), { href });

    /** Makes an input that has to be filled in, with its label.
     * @param {string} words
     * @param {Record<string, string>} attributes */
    function field(words, attributes) {
        const input = make("input", "control");
        Object.entries({ required: "", ...attributes }).forEach(([name, value]) => input.setAttribute(name, value));
        return { input, label: make("label", "", words, " ", input) };
    }

    /** Makes a place for messages, which screen readers read out, too.
     * @param {string} className */
    function status(className) {
        const made = make("p", className);
        made.setAttribute("role", "status");
        return made;
    }

    /** Makes a table that scrolls by itself, also with the keyboard.
     * @param {string} className
     * @param {string} name
     * @param {string[]} titles
     * @param {Node} body */
    function table(className, name, titles, body) {
        const head = make("tr", "", ...titles.map((title) =>
            title ? Object.assign(make("th", "", title), { scope: "col" }) : make("td", "")));
        const made = group(className, name, make("table", "", make("thead", "", head), body));
        made.setAttribute("role", "region");
        made.tabIndex = 0;
        return made;
    }

    /** A text that the browser keeps. If the browser keeps nothing, as some do for files and in private windows,
     * the text lasts as long as the page.
     * @param {string} key */
    function kept(key) {
        let memory = "";
        return {
            get() {
                try {
                    return localStorage.getItem(key) ?? memory;
                } catch {
                    return memory;
                }
            },
            /** @param {string} text */
            set(text) {
                memory = text;
                try {
                    localStorage.setItem(key, text);
                } catch {
                    // Then the value is only in memory.
                }
            },
        };
    }

    /** Returns a text whose parts in backticks are code.
     * @param {string} text */
    const withCode = (text) => text.split("`").map((piece, at) => at % 2 === 1 ? make("code", "", piece) : piece);

    /** Shows code in colours, on a page that has mdBook's highlighter.
     * @param {Element} code */
    const highlight = (code) => /** @type {any} */ (window).hljs?.highlightBlock(code);

    window.workbook.elements = { make, button, group, svg, link, field, status, table, kept, withCode, highlight };
})();
