//! The printable page of the whole book. A fold can't open on paper, so the page has no folds.
//!
//! The answer to a prediction or a question moves to the end, and a number takes its place. Python
//! twins are left out, and so is the code that readers write themselves. Any other fold is printed
//! open. The prediction sheets would repeat every question, so they're on a separate page.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::folds::PRINTED;

const BEGIN: &str = "<details";
const END: &str = "</details>";
const CHAPTER: &str = "<div style=\"break-before: page";
const SHEETS: (&str, &str) = ("<h1 id=\"prediction-sheets\">", "predictions.html");
/// The first words in the summaries of folds that would give something away about the broken
/// servers.
const GIVES_AWAY: [&str; 4] = ["First hint", "Name the fault", "What we saw", "What we think"];

/// Replaces the folds in the built page.
pub(crate) fn unfold(pages: &Path) -> Result<()> {
    let path = pages.join(PRINTED);
    let page = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let page = without_sheets(&without_forms(&page)?)?;
    Ok(fs::write(&path, on_paper(&page)?)?)
}

/// A fold: its class, the id for links to it, its summary, and its content.
struct Fold<'a> {
    class: &'a str,
    id: Option<&'a str>,
    summary: &'a str,
    inside: &'a str,
}

/// What happens to a fold on paper.
#[derive(PartialEq, Eq)]
enum Fate {
    /// A number takes the fold's place, and the fold's content becomes an answer at the end.
    Transcript,
    /// The same as for a transcript, except that the fold's summary is a question and remains in
    /// the text.
    Question,
    /// The fold's content explains the transcript before the fold and becomes part of that answer.
    Explains,
    LeftOut,
    Gone,
    Open,
}

impl<'a> Fold<'a> {
    /// Parses the fold at the beginning of some HTML and returns it, along with the HTML that
    /// follows.
    fn read(text: &'a str) -> Result<(Self, &'a str)> {
        let (begin, _) = text.split_once('>').context("a fold")?;
        let attribute = |name: &str| Some(begin.split_once(name)?.1.split_once('"')?.0);
        let class = attribute(" class=\"").unwrap_or_default();
        let id = attribute(" id=\"");
        let mut depth = 0;
        let mut at = 0;
        loop {
            let next_end = at + text[at..].find(END).context("a fold without an end")?;
            let next_begin = text[at..].find(BEGIN).map_or(text.len(), |begin| at + begin);
            if next_begin < next_end {
                (depth, at) = (depth + 1, next_begin + BEGIN.len());
            } else {
                (depth, at) = (depth - 1, next_end + END.len());
            }
            if depth == 0 {
                break;
            }
        }
        let (fold, behind) = text.split_at(at);
        let inside = fold.strip_suffix(END).context("a fold's end")?;
        let (_, inside) = inside.split_once("<summary>").context("a fold without a summary")?;
        let (summary, inside) = inside.split_once("</summary>").context("no </summary>")?;
        Ok((Fold { class, id, summary, inside }, behind))
    }

    /// Returns what happens to the fold. `heading` is the last heading before the fold.
    fn fate(&self, heading: &str) -> Fate {
        match self.class {
            "transcript" => Fate::Transcript,
            "twin" => Fate::Gone,
            "yours-first" => Fate::LeftOut,
            _ if self.summary.starts_with("What happened") => Fate::Explains,
            _ if self.summary.contains("<strong>Predict:") => Fate::Question,
            _ if heading.to_lowercase().contains("questions") => Fate::Question,
            _ if GIVES_AWAY.iter().any(|begin| self.summary.starts_with(begin)) => Fate::Question,
            _ => Fate::Open,
        }
    }
}

/// Returns the page without folds and with the answers at its end.
fn on_paper(page: &str) -> Result<String> {
    let (main, after) = page.split_once("</main>").context("no </main>")?;
    let mut paper = Paper::default();
    paper.print(main)?;
    let Paper { text, answers, .. } = paper;
    Ok(format!(
        "{text}{CHAPTER}; page-break-before: always;\"></div>\n\
         <section class=\"answers-on-paper\">\n<h1 id=\"all-answers\">The answers</h1>\n{}\n\
         </section>\n</main>{after}",
        answers.concat()
    ))
}

/// The finished part of the printed book.
#[derive(Default)]
struct Paper {
    text: String,
    /// The answers for the end of the book, one string per answer.
    answers: Vec<String>,
    count: usize,
}

impl Paper {
    fn print(&mut self, html: &str) -> Result<()> {
        let mut rest = html;
        while let Some(at) = rest.find(BEGIN) {
            self.text += &rest[..at];
            let (fold, behind) = Fold::read(&rest[at..])?;
            rest = behind;
            if let Some(id) = fold.id {
                write!(self.text, "<span id=\"{id}\"></span>")?;
            }
            self.print_fold(&fold)?;
        }
        self.text += rest;
        Ok(())
    }

    fn print_fold(&mut self, fold: &Fold<'_>) -> Result<()> {
        let summary = fold.summary;
        match fold.fate(last_heading(&self.text)) {
            Fate::Transcript => self.answer(&opened(fold.inside)?),
            Fate::Question => {
                writeln!(self.text, "<p class=\"question\">{summary}</p>")?;
                self.answer(&opened(fold.inside)?)
            }
            // This fold comes right after a transcript and explains it.
            Fate::Explains => {
                let inside = opened(fold.inside)?;
                let answer = self.answers.last_mut().context("it explains nothing")?;
                answer.insert_str(answer.len() - "</div>\n".len(), &inside);
                Ok(())
            }
            Fate::LeftOut => {
                Ok(write!(self.text, "<p>{summary}. The printed book leaves ours out.</p>")?)
            }
            Fate::Gone => Ok(()),
            Fate::Open => {
                write!(self.text, "<div class=\"aside\">\n<p><strong>{summary}</strong></p>\n")?;
                self.print(fold.inside)?;
                self.text += "</div>";
                Ok(())
            }
        }
    }

    /// Adds a number to the text and the answer with that number to the end of the book.
    fn answer(&mut self, inside: &str) -> Result<()> {
        self.count += 1;
        let Paper { text, count, .. } = self;
        let chapter = last_chapter(text).to_owned();
        self.answers.push(format!(
            "<div class=\"answer-on-paper\" id=\"answer-{count}\">\n\
             <p><strong><a href=\"#asked-{count}\">{count}</a></strong> ({chapter})</p>\n{inside}</div>\n"
        ));
        Ok(write!(
            text,
            "<p class=\"answered\" id=\"asked-{count}\">The answer is number \
             <a href=\"#answer-{count}\">{count}</a>, at the end of the book.</p>"
        )?)
    }
}

/// Returns a fold's content, with the inner folds opened.
fn opened(inside: &str) -> Result<String> {
    let mut text = String::new();
    let mut rest = inside;
    while let Some(at) = rest.find(BEGIN) {
        text += &rest[..at];
        let (fold, behind) = Fold::read(&rest[at..])?;
        rest = behind;
        if fold.fate("") != Fate::Gone {
            text += &shown(&fold, &opened(fold.inside)?);
        }
    }
    Ok(text + rest)
}

fn shown(fold: &Fold<'_>, inside: &str) -> String {
    let summary = fold.summary;
    format!("<div class=\"aside\">\n<p><strong>{summary}</strong></p>\n{inside}</div>")
}

fn last_heading(text: &str) -> &str {
    let at = [1, 2].map(|level| text.rfind(&format!("<h{level} "))).into_iter().flatten().max();
    words_in(&text[at.unwrap_or(text.len())..])
}

fn last_chapter(text: &str) -> &str {
    words_in(&text[text.rfind("<h1 id=").unwrap_or(text.len())..])
}

/// Returns the words of the heading at the beginning of some HTML. The words are in the heading's
/// link.
fn words_in(heading: &str) -> &str {
    let words = heading.split("\">").nth(2).unwrap_or_default();
    words.split("</a>").next().unwrap_or_default()
}

/// Returns a page without the forms and the data that only scripts use.
fn without_forms(page: &str) -> Result<String> {
    let page = cut(page, "<div class=\"predict\">", "</div>")?;
    cut(&page, "<script type=\"application/json\"", "</script>")
}

fn cut(page: &str, begin: &str, end: &str) -> Result<String> {
    let mut pieces = page.split(begin);
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        text += piece.split_once(end).with_context(|| format!("no {end}"))?.1;
    }
    Ok(text)
}

/// Returns a page without the prediction sheets. Changes links to the sheets so that they lead to
/// the sheets' own page.
fn without_sheets(page: &str) -> Result<String> {
    let (mark, own_page) = SHEETS;
    let (before, rest) = page.split_once(mark).context("no prediction sheets")?;
    let before = &before[..before.rfind(CHAPTER).context("the sheets begin a page")?];
    let end = rest.find(CHAPTER).context("something comes after the sheets")?;
    let (sheets, after) = rest.split_at(end);
    let mut text = before.to_owned() + after;
    let ids = sheets.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next());
    for id in ids.chain(["prediction-sheets"]) {
        text = text.replace(&format!("href=\"#{id}\""), &format!("href=\"{own_page}#{id}\""));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "<main><h1 id=\"one\"><a class=\"header\" href=\"#one\">Step</a></h1>\
        <details class=\"transcript\"><summary>It prints</summary>yes</details>\n\
        <details class=\"twin\"><summary>Python</summary>yes again</details>\n\
        <details><summary>What happened, and why</summary>It did.<details><summary>Aside</summary>In it.\
        </details></details>\n<details><summary>More</summary>More of it.</details>\
        <details class=\"yours-first\"><summary>Our solution, after yours</summary>code</details>\
        <h2 id=\"q\"><a class=\"header\" href=\"#q\">Questions</a></h2>\
        <details><summary>Why?</summary>Because.</details></main>";

    #[test]
    fn answers_come_at_the_end_and_nothing_is_folded() {
        let page = on_paper(PAGE).expect("a page");
        assert!(!page.contains(BEGIN), "{page}");
        let (book, answers) = page.split_once("<h1 id=\"all-answers\">").expect("answers");
        for said in ["number <a href=\"#answer-1\">1</a>", "More of it.", "Why?", "leaves ours out"]
        {
            assert!(book.contains(said), "{said}: {book}");
        }
        for hidden in ["yes", "It did.", "Because.", "code"] {
            assert!(!book.contains(hidden), "{hidden}: {book}");
        }
        for said in ["yes", "It did.", "In it.", "id=\"answer-2\"", "Because."] {
            assert_eq!(answers.matches(said).count(), 1, "{said}: {answers}");
        }
        assert!(!answers.contains("yes again") && !answers.contains("code"));
    }

    #[test]
    fn the_sheets_stay_on_their_own_page() {
        let page = format!(
            "<a href=\"#predict-1a\">1A</a>{CHAPTER}\"></div><h1 id=\"prediction-sheets\">Sheets</h1>\
             <div id=\"predict-1a\">asked</div>{CHAPTER}\"></div>after"
        );
        let text = without_sheets(&page).expect("a page");
        assert!(text.contains("href=\"predictions.html#predict-1a\"") && !text.contains("asked"));
        assert!(text.ends_with("</div>after"), "{text}");
    }
}
