// Whether what a reader has written means what a line of a transcript says. It's the terminal's
// `predict` once more (`answer.rs`, `synonyms.rs` and `words.rs` in `workbook/runner/src/predict`), with its
// names from `names.js`. A test in a browser compares the two.
"use strict";

window.workbook = window.workbook || {};

(() => {
    const EMPTY = ["[]", "[ ]", "b''", "''", '""'];
    const { LETTERS } = window.workbook.forms;

    /** @param {string | undefined} char */
    const isDigit = (char) => char !== undefined && char >= "0" && char <= "9";
    /** @param {string} char */
    const isLetter = (char) => /\p{Alphabetic}/u.test(char);
    /** @param {string} char */
    const isInWord = (char) => /[\p{Alphabetic}\p{N}_]/u.test(char);

    /**
     * Splits a text into its words and numbers, in lower case.
     * @param {string} text
     * @returns {string[]}
     */
    function words(text) {
        let lower = text.toLowerCase();
        for (const sign of EMPTY) {
            lower = lower.replaceAll(sign, " empty ");
        }
        const chars = [...lower];
        const found = [""];
        chars.forEach((char, at) => {
            const next = chars[at + 1] ?? " ";
            const word = found[found.length - 1];
            const isBytes = char === "b" && (next === "'" || next === '"');
            if (isBytes || (char === "," && word !== "" && isOfThousands(chars, at))) {
                return;
            }
            if (isLetter(char) && word !== "" && endsItsNumber(word, char)) {
                found.push("");
            }
            const isMinus = char === "-" && isDigit(next);
            const isPoint = char === "." && isDigit(next) && word !== "";
            if (isInWord(char) || isMinus || isPoint) {
                found[found.length - 1] += char;
            } else {
                found.push("");
            }
        });
        return found.filter((word) => word !== "").map(withoutZeros);
    }

    /** `10s` is 10 and its unit; `0x10` and `SIGUSR1` are one word.
     * @param {string} word
     * @param {string} next */
    const endsItsNumber = (word, next) => /^[0-9.-]*$/.test(word) && !(word === "0" && next === "x");

    /** @param {string} word */
    const withoutZeros = (word) => word.startsWith("0x") ? "0x" + word.slice(2).replace(/^0+/, "") : word;

    /** Returns true for the comma of `1,000`.
     * @param {string[]} chars
     * @param {number} at */
    function isOfThousands(chars, at) {
        let digits = 0;
        while (isDigit(chars[at + 1 + digits])) {
            digits += 1;
        }
        return digits === 3 && isDigit(chars[at - 1]);
    }

    /** Joins words. Only two numbers stay apart: 2 and 4 aren't 24.
     * @param {string[]} parts */
    function joined(parts) {
        let text = "";
        for (const part of parts) {
            text += isDigit(text[text.length - 1]) && isDigit(part[0]) ? " " : "";
            text += part.replaceAll("_", "");
        }
        return text;
    }

    /** @param {string} text */
    const squeezed = (text) => joined(words(text));

    const { ERRORS, FLAGS, NAMES, ANSWERS, UNITS, LONGEST } = window.workbook.names;
    /** @type {Map<string, string>} */
    const firstNames = new Map();
    for (const row of [...ERRORS, ...FLAGS, ...NAMES]) {
        row.forEach((name) => firstNames.set(squeezed(name), squeezed(row[0])));
    }
    const firstFlags = new Set(FLAGS.map((row) => squeezed(row[0])));
    const firstErrors = new Set(ERRORS.map((row) => squeezed(row[0])));

    /** Returns a time that the words begin with in nanoseconds. A sum such as `1 h 10 s` is one time, too:
     * each of its units is smaller than the one before.
     * @param {string[]} parts
     * @returns {[string, number] | null} */
    function time(parts) {
        let [nanoseconds, taken, lastUnit] = [0, 0, Infinity];
        for (; taken + 1 < parts.length; taken += 2) {
            const unit = UNITS.find(([names]) => names.includes(parts[taken + 1]));
            const number = Number(parts[taken]);
            if (!unit || Number.isNaN(number) || unit[1] >= lastUnit) {
                break;
            }
            nanoseconds += Math.round(number * unit[1]);
            lastUnit = unit[1];
        }
        return taken === 0 ? null : [nanoseconds === 0 ? "0" : `${nanoseconds}ns`, taken];
    }

    /** Finds the longest name that the words begin with.
     * @param {string[]} parts
     * @returns {[string, number] | null} */
    function named(parts) {
        for (let length = Math.min(parts.length, LONGEST); length > 0; length -= 1) {
            const name = firstNames.get(joined(parts.slice(0, length)));
            if (name !== undefined) {
                return [name, length];
            }
        }
        return null;
    }

    /** Joins the words, with one name for each thing, and with the flags in one order.
     * @param {string[]} parts */
    function inOurWords(parts) {
        /** @type {string[]} */
        const ours = [];
        for (let at = 0; at < parts.length;) {
            const rest = parts.slice(at);
            const [word, length] = time(rest) ?? named(rest) ?? [parts[at], 1];
            ours.push(word);
            at += length;
        }
        for (let at = 1; at < ours.length; at += 1) {
            if (ours[at - 1] === "byte" && /^[0-9]*$/.test(ours[at])) {
                [ours[at - 1], ours[at]] = [ours[at], ours[at - 1]];
            }
        }
        for (let begin = 0; begin < ours.length; begin += 1) {
            let end = begin;
            while (end < ours.length && firstFlags.has(ours[end])) {
                end += 1;
            }
            ours.splice(begin, end - begin, ...ours.slice(begin, end).sort());
            begin = Math.max(begin, end - 1);
        }
        return joined(ours);
    }

    /** @param {string} text */
    const ours = (text) => inOurWords(words(text));

    /** Returns true if the words mean what a value says, and no other outcome of the scene.
     * @param {string[]} typed
     * @param {string} value
     * @param {string[]} outcomes */
    function mean(typed, value, outcomes) {
        const [they, we] = [inOurWords(typed), ours(value)];
        if (they === we) {
            return true;
        }
        const answers = ANSWERS.filter(([line]) => ours(line) === we);
        const isAnswer = answers.some(([, others]) =>
            others.some((other) => ours(other) === they));
        return isAnswer && !outcomes.some((outcome) => ours(outcome) === they);
    }

    /** Returns what's between the parentheses, for a reader who writes only that.
     * @param {string} value */
    function inside(value) {
        const found = /^([^(]*)\((.*)\)$/s.exec(value);
        if (!found) {
            return null;
        }
        const [, before, content] = found;
        const counts = before === "Some" || before === "Ok" ? !content.startsWith("(")
            : before === "Err" && firstErrors.has(ours(content));
        return counts ? content : null;
    }

    /** Returns true if the words say one value after the other.
     * @param {string[]} typed
     * @param {string[]} values
     * @param {string[]} outcomes
     * @returns {boolean} */
    function say(typed, values, outcomes) {
        if (values.length === 0) {
            return typed.length === 0;
        }
        const [value, ...others] = values;
        const most = Math.min(typed.length, words(value).length + 8);
        const ways = [value, inside(value)].filter((way) => way !== null);
        for (let count = 0; count <= most; count += 1) {
            const begin = typed.slice(0, count);
            if (ways.some((way) => mean(begin, way, outcomes)) && say(typed.slice(count), others, outcomes)) {
                return true;
            }
        }
        return false;
    }

    /** Returns true if the words begin the only value and can't be meant for anything else.
     * @param {string[]} typed
     * @param {string[]} values
     * @param {string[]} outcomes */
    function isTheBeginning(typed, values, outcomes) {
        if (values.length !== 1 || [",", "|", "+", "  "].some((sign) => values[0].includes(sign))) {
            return false;
        }
        const all = words(values[0]);
        /** @param {string[]} longer */
        const begins = (longer) => typed.length <= longer.length && typed.every((word, at) => longer[at] === word);
        const rest = all.slice(typed.length);
        if (!begins(all) || rest.some((word) => /[0-9]/.test(word))) {
            return false;
        }
        const others = outcomes.map(words).filter((other) => other.join("\0") !== all.join("\0"));
        return !others.some(begins);
    }

    /**
     * Returns true if the reader's words say what the line says: its values, the whole line, or the
     * letter of the line with its values.
     * @param {string} text
     * @param {Line} line
     * @param {string[]} outcomes
     */
    window.workbook.isRight = (text, line, outcomes) => {
        const typed = words(text);
        if (typed.length === 0) {
            return false;
        }
        if (mean(typed, line.text, outcomes)) {
            return true;
        }
        if (line.choice !== null) {
            return LETTERS[line.choice] === typed[0] && say(typed.slice(1), line.values, outcomes);
        }
        return say(typed, line.values, outcomes) || isTheBeginning(typed, line.values, outcomes);
    };
})();
