// Shows a verdict: the expected lines next to the reader's lines, and the compiler's messages. The words
// are the runner's own.
"use strict";

(() => {
    const { make, button, table, withCode, highlight } = window.workbook.elements;
    const { hello, post, say } = window.workbook.cockpit;

    /** Returns code in the book's style.
     * @param {string} text
     * @param {string} [language] */
    function code(text, language = "") {
        const shown = make("code", language ? `language-${language}` : "hljs", text);
        if (language) {
            highlight(shown);
        }
        return make("pre", "", shown);
    }

    /** Returns a place in a file, with a link that opens the editor there and a button that copies its path.
     * @param {string} file
     * @param {number | null} line
     * @param {{package: string, number: string}} [exercise] */
    function place(file, line, exercise) {
        const name = `${file}${line ? `:${line}` : ""}`;
        const shown = make("span", "place", make("code", "", name));
        void hello.then(({ root, editor, opens }) => {
            const path = file.startsWith("/") ? file : `${root}/${file}`;
            if (editor) {
                const link = make("a", "", make("code", "", name));
                const encoded = path.split("/").map(encodeURIComponent).join("/");
                link.href = editor.replace("{path}", encoded).replace("{line}", String(line ?? 1));
                link.title = "open it in the editor";
                shown.replaceChildren(link);
            } else if (opens && exercise) {
                const { package: of, number } = exercise;
                shown.append(" ", button("Open in the editor", () => {
                    post("open", { package: of, exercise: number }).catch((error) => say(error.message));
                }));
            }
            const copy = button("Copy path", () => {
                navigator.clipboard.writeText(`${path}${line ? `:${line}` : ""}`)
                    .then(() => copy.textContent = "Copied", () => copy.textContent = path);
            }, `copy the path of ${file}`);
            shown.append(" ", copy);
        });
        return shown;
    }

    /** Returns the compiler's message about a place.
     * @param {any} problem */
    function problem({ level, code: number, message, file, line, rendered }) {
        const head = make("p", "", make("strong", "", level + (number ? `[${number}]` : "")), `: ${message} `);
        if (file) {
            head.append(place(file, line));
        }
        return make("div", `problem is-${level}`, head, code(rendered));
    }

    /** Returns the lines, expected on the left and the reader's on the right: each run of expected lines
     * beside the run of the reader's lines that follows it.
     * @param {any} difference */
    function sideBySide({ skipped, lines, folded }) {
        // An empty column for no lines would leave the other column half of a narrow box.
        const nothing = skipped === 0 && lines.every((/** @type {any} */ { side }) => side === "expected");
        const body = make("tbody", "");
        /** @type {string[]} */
        let expected = [];
        /** @type {string[]} */
        let yours = [];

        /** @param {string} left
         * @param {string} right
         * @param {string} kind */
        const row = (left, right, kind) =>
            body.append(make("tr", kind, make("td", "", left), ...nothing ? [] : [make("td", "", right)]));
        const flush = () => {
            for (let at = 0; at < Math.max(expected.length, yours.length); at += 1) {
                row(expected[at] ?? "", yours[at] ?? "", "differs");
            }
            expected = [];
            yours = [];
        };
        /** @param {number} count */
        const omitted = (count) => {
            if (count > 0) {
                row(`… ${count} more`, "", "omitted");
            }
        };

        omitted(skipped);
        for (const { side, text } of lines) {
            if (side === "both") {
                flush();
                row(text, text, "same");
            } else if (side === "expected") {
                if (yours.length > 0) {
                    flush();
                }
                expected.push(text);
            } else {
                yours.push(text);
            }
        }
        flush();
        omitted(folded);
        return nothing ? table("difference", "what was expected", ["expected; nothing was printed"], body)
            : table("difference", "the expected lines, beside yours", ["expected", "yours"], body);
    }

    /** Returns a description of the mistake.
     * @param {any} red */
    function red({ notes, check, sentences, calls_title, calls, advice, shortened, difference, printed, nudge }) {
        const shown = make("div", "red");
        for (const words of notes) {
            shown.append(make("p", "", words));
        }
        if (check) {
            shown.append(make("p", "check", `The ${check.kind} `, make("code", "", check.name), `: ${check.about}`));
        }
        for (const words of sentences) {
            shown.append(make("p", "", make("strong", "", words)));
        }
        if (calls.length > 0) {
            const list = make("ol", "");
            for (const call of calls) {
                list.append(make("li", "", place(call.file, call.line), ` ${call.function ?? ""}`));
            }
            shown.append(make("p", "", calls_title ?? "Your calls"), list);
        }
        if (advice) {
            shown.append(make("p", "", ...withCode(advice)));
        }
        if (difference) {
            const what = "The shortest program found that shows the mistake:";
            shown.append(make("p", "", shortened ? what : "The expected lines, beside yours:"));
            shown.append(sideBySide(difference));
        }
        if (printed.length > 0) {
            shown.append(make("p", "", "Your code printed:"), code(printed.join("\n")));
        }
        if (nudge) {
            shown.append(make("p", "nudge", ...withCode(nudge)));
        }
        return shown;
    }

    /** Shows a verdict, and the compiler's messages before it.
     * @param {Element} into
     * @param {any} verdict
     * @param {any[]} problems */
    function show(into, verdict, problems) {
        // The words of a red verdict are its sentences, if anything ran.
        const content = verdict.red && verdict.outcome === "red" ? [] : [make("p", "words", verdict.words)];
        const written = verdict.exercises.find((/** @type {any} */ { number }) => number === verdict.exercise);
        const isNamed = written?.file === verdict.file && written?.line === verdict.line;
        if (verdict.file && verdict.outcome === "red" && !isNamed) {
            content.push(make("p", "", "Look at ", place(verdict.file, verdict.line)));
        }
        content.push(...problems.filter(({ level }) => level === "error").map(problem));
        if (verdict.red) {
            content.push(red(verdict.red));
        }
        for (const words of verdict.next) {
            content.push(make("p", "", words));
        }
        into.replaceChildren(...content);
    }

    window.workbook.verdict = { show, problem, place, code };
})();
