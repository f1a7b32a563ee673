// The page on which a student joins the class: with the code and a name, and from the terminal as well.
"use strict";

(() => {
    const { make, button, field, status } = window.workbook.elements;
    const { statusOf, words } = window.workbook.failures;
    const IN_ADDRESS = "#code=";

    /** Asks for the code, unless the address has it, and for a name.
     * @param {Classroom} room
     * @param {HTMLElement} main where the form comes
     * @param {HTMLElement} said
     * @param {string} leaves the data that leave the student's machine
     * @param {(name: string) => void} entered */
    function joinForm(room, main, said, leaves, entered) {
        const inAddress = location.hash.startsWith(IN_ADDRESS) ? location.hash.slice(IN_ADDRESS.length) : "";
        const code = field("The code on the wall",
            { value: inAddress, autocomplete: "off", autocapitalize: "off", spellcheck: "false" });
        const name = field("Your name, as your teacher knows it", { autocomplete: "name", maxlength: "40" });
        const join = button("Join", () => {});
        join.type = "submit";
        const form = make("form", "join", code.label, name.label, join);
        form.addEventListener("submit", async (event) => {
            event.preventDefault();
            join.disabled = true;
            said.textContent = "Joining…";
            try {
                const joined = await room.post("join", { code: code.input.value.trim(), name: name.input.value });
                room.keep(joined.token);
                entered(joined.name);
            } catch (error) {
                said.textContent = words(error);
                (statusOf(error) === 403 ? code : name).input.focus();
            }
            join.disabled = false;
        });
        main.replaceChildren(make("h1", "", "Join the class"), form, said, make("p", "leaves", leaves));
        (inAddress ? name : code).input.focus();
    }

    /** Offers the command with which the student's terminal also joins, for the teacher's board.
     * @param {Classroom} room
     * @param {string} name */
    function fromTerminal(room, name) {
        const shown = status("command");
        const show = button("Show the command", async () => {
            try {
                const { pass } = await room.post("pass");
                shown.replaceChildren(make("code", "", `cargo run -- join ${location.host} ${pass} "${name}"`));
            } catch (error) {
                shown.textContent = words(error);
            }
        });
        return make("details", "terminal", make("summary", "", "Appear on your teacher's board"),
            make("p", "", "If your terminal joins, too, your teacher can see your progress. After each verdict, the "
                + "terminal tells the teacher's machine which exercises are green, which exercise you're at, and the "
                + "verdict's outcome and first line. The command works only once and only for a few minutes."),
            make("p", "", show), shown);
    }

    window.workbook.class_joining = { joinForm, fromTerminal };
})();
