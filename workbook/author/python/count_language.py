#!/usr/bin/env python3
"""Counts, per 1,000 words, what tires a reader of the pages, the docs and the runner's texts.

    count_language.py                          a table of the three kinds
    count_language.py pages                    a table of the pages, one row each (or: docs, runner)
    count_language.py FILE…                    the rows of these files
    count_language.py --list bracket FILE…     where they are, line by line (a column's name, or: all)
    count_language.py --sample 40 SEED docs    40 sentences drawn at random

What is counted: commas before "and"; commas before "and" or "but" that no new subject seems to follow; brackets outside
of code, links and the forms "Not checked:" and "Free:"; whole sentences in brackets; *have* as a full verb in a denial;
"one descriptor more"; "It's", "There's" and "nothing" where someone acts. It's made without a grammar, so it guesses:
it's for the eye of an editor, and no stage of CI. Run it anywhere in the workbook.
"""
import random
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(subprocess.check_output(["git", "rev-parse", "--show-toplevel"], text=True).strip())

# The words that can begin a separate clause after "and" or "but": a comma is right before these.
SUBJECT = re.compile(
    r"(?:(?:so|if|when|while|because|since|until|once|after|before|as|in|at|on|with|without|for|from|by|"
    r"under|during|between|only|even|perhaps|usually|sometimes|often|nowadays|here|there|there's|yes|"
    r"what|where|how|why|which|who|whoever|whatever|whether|"
    r"i|you|we|it|they|he|she|this|that|these|those|nobody|nothing|everybody|everything|each|every|all|"
    r"both|neither|one|two|three|some|many|most|any|another|other|its|their|your|our|my|his|her|the|a|an|"
    r"no|more|fewer)\b|(?:i|you|we|it|they|that|there|here|what|who)'\w+|[`A-Z0-9ₒ*_])",
)
MEASURES = ["commas", "and/but", "bracket", "(Whole.)", "hasn't a", "one … more", "impersonal"]


def found(measure, text):
    """Where in `text`, one paragraph in one line, a measure finds something."""
    if measure == "commas":
        return [m for m in re.finditer(r", and\b", text)]
    if measure == "and/but":
        return [m for m in re.finditer(r", (?:and|but) (?=(\S+))", text) if repeats_its_subject(text, m)]
    if measure == "bracket":
        return [m for m in re.finditer(r"(?<!\w)\((?!Not checked:|Free:)[^()]*\w[^()]*\)", text)]
    if measure == "(Whole.)":
        return [m for m in re.finditer(r"\((?!Not checked:|Free:)[A-Z`][^()]*[.!?]\)", text)]
    if measure == "hasn't a":
        return [
            m
            for m in re.finditer(
                r"\b(?:hasn't|haven't|hadn't) (?:a|an|any|no|one|the|its|yet a)\b"
                r"|\b(?:which|that|as|than) (?:[\w`'’]+ ){1,2}?(?:hasn't|haven't|hasn't one|has not)(?=[.,;:)])",
                text,
            )
        ]
    if measure == "one … more":
        return [m for m in re.finditer(r"\b(?:one|two|three|a) (?!few\b|little\b|or\b|no\b|bit\b)[\w`-]+ (?:more|fewer|less)\b(?! (?:than|\w+ly))", text)]
    return [
        m
        for m in re.finditer(
            r"(?:^|(?<=[.!?:] ))(?:Nothing|It's|It is|There's|There is|There are|What's|What is|Whoever)\b"
            r"|\b(?:when|if|that|what|which|and|but|until|because|whom) nothing\b(?= (?!but\b)\w+)",
            text,
        )
    ]


def repeats_its_subject(text, match):
    rest = text[match.end() :]
    if SUBJECT.match(rest):
        return False
    # A list of three or more has another comma shortly before, after which no separate verb is needed.
    before = re.split(r"[.;:!?]\s", text[: match.start()])[-1].split(", ")
    return not (len(before) > 1 and len(before[-1].split()) <= 4)


def paragraphs(path):
    """(line, text) of each paragraph for readers."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        yield from prose(enumerate(text.splitlines(), 1))
    elif path.suffix == ".toml":
        yield from toml(text)
    elif path.suffix == ".rs":
        yield from (said_by_rust(text) if path in RUNNER else docs_of_rust(text))
    elif path.suffix == ".js":
        yield from said_by_javascript(text)
    else:
        yield from said_by_html(text)


def prose(lines):
    block, start, fenced = [], 0, False
    for number, line in [*lines, (0, "")]:
        stripped = line.strip()
        if stripped.startswith(("```", "~~~")):
            fenced = not fenced
            stripped = ""
        elif fenced or line.startswith("    ") and not block:
            continue
        if not stripped or stripped.startswith(("#", "|", "{{", "<", "- ", "* ", ">")) or re.match(r"\d+\. ", stripped):
            if block:
                yield start, plain(" ".join(block))
            block, start = [], number
            if stripped.startswith("|"):
                for cell in stripped.strip("|").split("|"):
                    if re.search(r"\w", cell):
                        yield number, plain(cell)
                continue
            stripped = re.sub(r"^(?:#+|[-*>]|\d+\.) ", "", stripped)
            if stripped.startswith(("{{", "<")) and not re.sub(r"<[^>]*>|\{\{[^}]*\}\}", "", stripped).strip():
                continue
        if stripped:
            start = start if block else number
            block.append(stripped)


# Any piece of code counts as a word: its punctuation is hidden as letters and shown again in the output.
HIDDEN = {ord(sign): 0xA500 + number for number, sign in enumerate("(),.!?:; []")}
SHOWN = {letter: sign for sign, letter in HIDDEN.items()}


def plain(text):
    text = re.sub(r"\{\{.*?\}\}|<[^>\s][^>]*>", " ", text)
    text = re.sub(r"`[^`]*`", lambda code: code[0].translate(HIDDEN), text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"!?\[([^\]]*)\]\[[^\]]*\]|\[([^\]]*)\]", lambda link: link[1] or link[2] or "", text)
    return re.sub(r"\s+", " ", text.replace("**", "")).strip()


def docs_of_rust(text):
    block = []
    for number, line in [*enumerate(text.splitlines(), 1), (0, "")]:
        doc = re.match(r"\s*//[/!](?!/) ?(.*)", line)
        if doc:
            block.append((number, doc[1]))
        elif block:
            yield from prose(block)
            block = []


STRING = re.compile(
    r"""//[^\n]*|/\*.*?\*/|'(?:\\.|[^\\'\n])'|b?r(#*)"(?P<raw>.*?)"\1|b?"(?P<text>(?:\\.|[^"\\])*)\"""", re.S
)


def said_by_rust(text):
    text = re.split(r"\n#\[cfg\(test\)\]\s*mod \w+ \{", text)[0]
    for match in STRING.finditer(text):
        said = match["raw"] if match["raw"] is not None else match["text"]
        if said and reads_as_prose(said):
            said = re.sub(r"\\\n\s*", "", said).replace("\\n", "\n").replace('\\"', '"')
            for part in said.split("\n\n"):
                yield text.count("\n", 0, match.start()) + 1, plain(re.sub(r"\{[^}]*\}", "X", part))


def reads_as_prose(said):
    words = re.findall(r"(?<![-/._\w])[a-zA-Z]+['’a-z]*(?![-/._\w=])", said)
    return len(words) >= 4 and not re.search(r"[;{}]\s*\n|=>|</|\bfn \w", said)


def toml(text):
    for match in re.finditer(
        r'^(?:task|question|method|hint|because|only_here|title|says|why)\s*=\s*(?:\'\'\'(.*?)\'\'\'|"""(.*?)"""|"((?:\\.|[^"\\])*)")',
        text,
        re.S | re.M,
    ):
        said = match[1] or match[2] or match[3] or ""
        yield text.count("\n", 0, match.start()) + 1, plain(said.replace('\\"', '"'))


def said_by_javascript(text):
    for match in re.finditer(r"//[^\n]*|/\*.*?\*/|\"((?:\\.|[^\"\\\n])*)\"|`((?:\\.|[^`\\])*)`", text, re.S):
        said = match[1] or match[2] or ""
        if reads_as_prose(re.sub(r"\$\{[^}]*\}", "X", said)):
            yield text.count("\n", 0, match.start()) + 1, plain(re.sub(r"\$\{[^}]*\}", "X", said))


def said_by_html(text):
    for match in re.finditer(r">([^<>{}]+)<", text):
        if reads_as_prose(match[1]):
            yield text.count("\n", 0, match.start()) + 1, plain(match[1])


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "--", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).exists()]


RUNNER = set(
    tracked(*(f"workbook/{crate}/src/**.rs" for crate in "runner judging cockpit class grader kit scene exercises".split()))
    + tracked("beyond/from_scratch/**/*.rs", ":!beyond/from_scratch/tests")
    + tracked("step0*/experiments/**.rs", "beyond/asyncio/experiments/**.rs")
    + tracked("**/exercises.toml", ":!workbook/runner/tests")
    + tracked("workbook/theme/*.js", "workbook/theme/*.html", "workbook/theme/*.hbs")
)
KINDS = {
    "pages": tracked("book/src/*.md"),
    "docs": [p for p in tracked("step0*/src/**.rs", "beyond/**/src/**.rs", "workbook/**/src/**.rs") if "fixture" not in str(p)],
    "runner": sorted(RUNNER),
}


def sentences(text):
    return [part for part in re.split(r"(?<=[.!?])\s+(?=[A-Z`(])", text) if len(part.split()) >= 4]


def read(paths, as_docs=False):
    for path in paths:
        chunks = docs_of_rust(path.read_text(encoding="utf-8")) if as_docs else paragraphs(path)
        yield from ((path, line, text) for line, text in chunks)


def row(name, texts):
    words = sum(len(re.findall(r"\w[\w'’-]*", text)) for text in texts)
    counts = [sum(len(found(measure, text)) for text in texts) for measure in MEASURES]
    rates = "".join(f"{count * 1000 / words if words else 0:11.1f}" for count in counts)
    return f"{name:<44}{words:>8}{rates}"


def main(arguments):
    listed = sample = None
    if arguments[:1] == ["--list"]:
        listed, arguments = arguments[1], arguments[2:]
    if arguments[:1] == ["--sample"]:
        sample, arguments = (int(arguments[1]), arguments[2]), arguments[3:]
    kinds = [argument for argument in arguments if argument in KINDS]
    files = [Path(argument).resolve() for argument in arguments if argument not in KINDS]
    if missing := [file for file in files if not file.is_file()]:
        sys.exit(f"no such file, and no kind of text: {missing[0]} (the kinds: {', '.join(KINDS)})")
    each = {kind: list(read(KINDS[kind], kind == "docs")) for kind in kinds or ([] if files else KINDS)}
    if files:
        each["files"] = list(read(files))
    everything = [text for texts in each.values() for text in texts]

    if sample:
        number, seed = sample
        drawn = [(path, line, s) for path, line, text in everything for s in sentences(text)]
        for path, line, sentence in random.Random(seed).sample(drawn, min(number, len(drawn))):
            print(f"{path.relative_to(ROOT)}:{line}: {sentence.translate(SHOWN)}\n")
        return
    if listed:
        for measure in MEASURES if listed == "all" else [listed]:
            if measure not in MEASURES:
                sys.exit(f"no such measure: {measure} (they are: {', '.join(MEASURES)}, all)")
            for path, line, text in everything:
                for match in found(measure, text):
                    around = text[max(0, match.start() - 60) : match.end() + 40].translate(SHOWN)
                    print(f"{path.relative_to(ROOT)}:{line}: [{measure}] …{around}…", flush=True)
        return
    print(f"{'per 1,000 words':<44}{'words':>8}" + "".join(f"{measure:>11}" for measure in MEASURES))
    for kind, texts in each.items():
        if kinds or files:
            for path in dict.fromkeys(path for path, _, _ in texts):
                print(row(str(path.relative_to(ROOT)), [text for p, _, text in texts if p == path]))
        print(row(f"all {kind}" if kinds or files else kind, [text for _, _, text in texts]))


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except BrokenPipeError:
        sys.exit(1)
