// Joins a class from the page, as `cargo run -- join` does: from then on, the runner reports each verdict
// to the teacher's machine. The runner knows the reader's class.
"use strict";

(() => {
    const { make, button, field, status } = window.workbook.elements;
    const { answerTo } = window.workbook.cockpit;
    const content = make("div", "");
    const said = status("");
    const dialog = /** @type {HTMLDialogElement} */ (make("dialog", "cockpit-dialog", content, said,
        button("Close", () => dialog.close())));
    document.body.append(dialog);
    const open = button("Join a class", () => dialog.showModal());

    /** Runs one of the commands and shows its outcome.
     * @param {object} what */
    async function act(what) {
        content.querySelectorAll("button").forEach((it) => it.disabled = true);
        said.textContent = "…";
        const answer = await answerTo(what);
        if (answer.event === "class") {
            show(answer.class);
        }
        said.textContent = answer.words ?? "";
        content.querySelectorAll("button").forEach((it) => it.disabled = false);
    }

    function form() {
        const address = field("The class's address, as on the wall", { autocomplete: "off" });
        const code = field("Its code", { autocomplete: "off" });
        const name = field("Your name", { autocomplete: "name" });
        const join = button("Join", () => {});
        join.type = "submit";
        const made = make("form", "", make("p", "", "If you join, your teacher's machine learns after each verdict which "
            + "exercises are green, which exercise you're at, and the verdict's outcome and first line. "
            + "Besides that, only your name and your requests for help leave this machine."),
            make("p", "", address.label), make("p", "", code.label), make("p", "", name.label), join);
        made.addEventListener("submit", (event) => {
            event.preventDefault();
            const [where, what, who] = [address, code, name].map(({ input }) => input.value.trim());
            // The wall shows the address in a browser's form.
            void act({ act: "join", address: where.replace(/^http:[/][/]|[/].*$/g, ""), code: what, name: who });
        });
        return made;
    }

    /** @param {{address: string, name: string} | null} joined */
    function show(joined) {
        open.textContent = joined ? `In a class, as ${joined.name}` : "Join a class";
        content.replaceChildren(...joined ? [
            make("p", "", `You're in the class at ${joined.address}, as ${joined.name}.`),
            button("Ask for help", () => act({ act: "raise_hand" })),
            button("I've been helped", () => act({ act: "lower_hand" })),
            button("Leave", () => act({ act: "leave" })),
        ] : [form()]);
    }

    document.addEventListener("workbook-list", (event) => {
        document.querySelector(".cockpit-progress")?.append(make("p", "", open));
        // The reader's input stays in the dialog.
        if (!dialog.open) {
            show(/** @type {CustomEvent} */ (event).detail.class);
        }
    });
})();
