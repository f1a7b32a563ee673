//! The claims ledger on the book's pages: a step's rows for its chapter, and all rows for the
//! appendix.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Result, ensure};
use runner::chapter::Section;

use crate::ledger::{Claim, Judged, Ledger, Quote, Verdict, package_and_name};
use crate::steps::{StepSource, chapter_of, packages};

impl Ledger {
    /// Returns a step's rows, with links to the ledger, for a page of the step's chapter. If `ids`
    /// isn't empty, returns only the rows with these ids.
    pub(crate) fn of_step(&self, package: &str, ids: &[&str], root: &Path) -> Result<String> {
        let mut rows = self.rows(package);
        ensure!(!rows.is_empty(), "the ledger has no row of `{package}`");
        for id in ids {
            ensure!(rows.iter().any(|row| row.id == *id), "{package} has no row `{id}`");
        }
        rows.retain(|row| ids.is_empty() || ids.contains(&&*row.id));
        self.table(&rows, root, |row| format!("[{}](ledger.md#{})", row.id, anchor(row)))
    }

    /// Returns all rows, step by step, and the list of articles, for the appendix.
    pub(crate) fn whole(&self, root: &Path) -> Result<String> {
        let mut page = self.articles_cited();
        page += &self.count();
        for package in packages(root)? {
            let rows = self.rows(&package);
            if rows.is_empty() {
                continue;
            }
            let chapter = chapter_of(&package);
            let title = StepSource::open(root, &package)?.title()?;
            write!(page, "\n## {title}\n\nThe chapter: [{title}]({chapter}.md).\n\n")?;
            page += &self.table(&rows, root, |row| {
                format!("<span id=\"{}\">{}</span>", anchor(row), row.id)
            })?;
        }
        Ok(page)
    }

    fn rows(&self, package: &str) -> Vec<&Claim> {
        self.claims.iter().filter(|claim| package.starts_with(&claim.package())).collect()
    }

    fn articles_cited(&self) -> String {
        let cited = self.articles.iter().map(|it| format!("- **{}**: {}.\n", it.letter, it.cited));
        cited.collect::<String>() + "\n"
    }

    /// Returns the number of rows for each verdict, as text.
    fn count(&self) -> String {
        let by = |verdict| {
            self.claims.iter().filter(|claim| claim.judged == Judged::Alike(verdict)).count()
        };
        let [holds, simplified, wrong] = Verdict::ALL.map(by);
        let all = self.claims.len();
        let apart = all - holds - simplified - wrong;
        format!(
            "There are {all} claims. Holds: {holds}, simplified: {simplified}, wrong: {wrong}; a \
             verdict for each article, because the articles differ: {apart}.\n"
        )
    }

    fn table(
        &self,
        rows: &[&Claim],
        root: &Path,
        linked: impl Fn(&Claim) -> String,
    ) -> Result<String> {
        let mut table = String::from(
            "<div class=\"claims\">\n\n\
             | | what they say | what the machine says |\n| --- | --- | --- |\n",
        );
        for row in rows {
            let (says, from) = (&row.says, row.from.join(", "));
            let (quotes, answer) = (self.in_their_words(&row.quotes)?, answer(row, root)?);
            writeln!(table, "| {} | {says} ({from}){quotes} | {answer} |", linked(row))?;
        }
        Ok(table + "\n</div>\n")
    }

    /// Returns the articles' own words, in a fold.
    fn in_their_words(&self, quotes: &[Quote]) -> Result<String> {
        if quotes.is_empty() {
            return Ok(String::new());
        }
        let mut fold = String::from(" <details><summary>in their words</summary>");
        for quote in quotes {
            let Quote { article, text, translation } = quote;
            let (language, text) = (&self.article(article)?.language, literally(text));
            write!(fold, "<p><b>{article}</b>: “<span lang=\"{language}\">{text}</span>”")?;
            if !translation.is_empty() {
                write!(fold, " (“{}”)", literally(translation))?;
            }
            fold += "</p>";
        }
        Ok(fold + "</details>")
    }
}

/// Returns the verdict, the real behaviour, and links to the scenes.
fn answer(claim: &Claim, root: &Path) -> Result<String> {
    let mut answer = match &claim.judged {
        Judged::Alike(verdict) => format!("**{}**.", verdict.word()),
        Judged::Apart(verdicts) => {
            let group = |verdict| {
                let letters = verdicts.iter().filter(|(_, its)| **its == verdict);
                let letters: Vec<&str> = letters.map(|(letter, _)| letter.as_str()).collect();
                (!letters.is_empty())
                    .then(|| format!("{}: **{}**", letters.join(", "), verdict.word()))
            };
            let groups: Vec<String> = Verdict::ALL.into_iter().filter_map(group).collect();
            groups.join("; ") + "."
        }
    };
    if !claim.truth.is_empty() {
        write!(answer, " {}", claim.truth)?;
    }
    for scene in &claim.scenes {
        let (package, name) = package_and_name(scene)?;
        write!(answer, " [`{name}`]({})", link_to(package, name, root)?)?;
    }
    for program in &claim.programs {
        write!(answer, " `{program}`")?;
    }
    if !claim.figures.is_empty() {
        write!(answer, " [figures]({})", claim.figures)?;
    }
    Ok(answer)
}

/// Returns the HTML id of a scene in its chapter.
pub(crate) fn scene_id(package: &str, name: &str) -> String {
    format!("{package}-{name}")
}

/// Returns a link to a scene on the page that shows it. If no page of the step's chapter shows the
/// scene, the link leads to the chapter's first page.
fn link_to(package: &str, name: &str, root: &Path) -> Result<String> {
    let chapter = StepSource::open(root, package)?.chapter()?;
    Ok(match chapter.section_of(package, name) {
        Some(Section { page, .. }) => format!("{page}.md#{}", scene_id(package, name)),
        None => format!("{}.md", chapter_of(package)),
    })
}

/// Returns the HTML id of a row in the ledger.
fn anchor(claim: &Claim) -> String {
    format!("claim-{}", claim.number().replace('.', "-"))
}

/// Escapes the characters that have a special meaning in HTML, in Markdown or in Markdown's tables.
fn literally(text: &str) -> String {
    let special = |letter: char| "&<>*_`[]|\\~{}".contains(letter);
    let escaped = |letter| {
        if special(letter) { format!("&#{};", u32::from(letter)) } else { letter.to_string() }
    };
    text.chars().map(escaped).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::tests::LEDGER;
    use crate::tests::root;

    #[test]
    fn a_quotation_is_shown_as_it_is() {
        assert_eq!(literally("a|b *c* <d>"), "a&#124;b &#42;c&#42; &#60;d&#62;");
    }

    #[test]
    fn the_page_shows_quotations_and_a_verdict_for_each_article() {
        let page = LEDGER.whole(root()).expect("the page");
        assert!(page.contains("A, E: **holds**; D: **wrong**."), "{page}");
        assert!(page.contains("<b>B</b>: “<span lang=\"zh\">"), "{page}");
    }
}
