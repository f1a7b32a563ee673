//! The claims ledger: what the articles claim, the verdicts, and the scenes that support them.
//!
//! The rows are in `book/ledger.toml`, which also says what each field means. The book doesn't build
//! if a verdict has no scene, a scene doesn't exist, or two claims have the same id.

use std::collections::HashSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::steps::{StepSource, packages};

/// The content of `ledger.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ledger {
    #[serde(rename = "article")]
    articles: Vec<Article>,
    #[serde(rename = "claim")]
    claims: Vec<Claim>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Article {
    letter: String,
    cited: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claim {
    id: String,
    #[serde(rename = "claim")]
    says: String,
    from: Vec<String>,
    verdict: Option<Verdict>,
    #[serde(default)]
    truth: String,
    #[serde(default)]
    scenes: Vec<String>,
    #[serde(default)]
    figures: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Holds,
    Simplified,
    Wrong,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Simplified => "simplified",
            Verdict::Wrong => "wrong",
        }
    }
}

impl Ledger {
    /// Reads the ledger, and checks that everything it names exists.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let path = root.join("book/ledger.toml");
        let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        Self::parse(&text, root).with_context(|| path.display().to_string())
    }

    fn parse(text: &str, root: &Path) -> Result<Self> {
        let ledger: Ledger = toml::from_str(text)?;
        let letters: HashSet<&str> = ledger.articles.iter().map(|it| it.letter.as_str()).collect();
        let mut ids = HashSet::new();
        for claim in &ledger.claims {
            ensure!(ids.insert(&claim.id), "claim {}: this id occurs twice", claim.id);
            claim.check(&letters, root).with_context(|| format!("claim {}", claim.id))?;
        }
        Ok(ledger)
    }

    /// Returns the rows of one step, with links to the ledger, for its chapter.
    pub(crate) fn of_step(&self, package: &str, root: &Path) -> Result<String> {
        let rows: Vec<&Claim> =
            self.claims.iter().filter(|it| package.starts_with(&it.step())).collect();
        ensure!(!rows.is_empty(), "the ledger has no row of `{package}`");
        table(&rows, root, |id| format!("[{id}](ledger.md#claim-{})", dashed(id)))
    }

    /// Returns all rows, step by step, and the articles, for the appendix.
    pub(crate) fn whole(&self, root: &Path) -> Result<String> {
        let mut page = self.articles_cited();
        page += &self.count();
        for package in packages(root)? {
            let rows: Vec<&Claim> =
                self.claims.iter().filter(|it| package.starts_with(&it.step())).collect();
            if rows.is_empty() {
                continue;
            }
            let chapter = chapter_of(&package)?;
            let title = title_of(root, chapter)?;
            write!(page, "\n## {title}\n\nThe chapter: [{title}]({chapter}.md).\n\n")?;
            page +=
                &table(&rows, root, |id| format!("<span id=\"claim-{}\">{id}</span>", dashed(id)))?;
        }
        Ok(page)
    }

    fn articles_cited(&self) -> String {
        let cited = self.articles.iter().map(|it| format!("- **{}**: {}.\n", it.letter, it.cited));
        cited.collect::<String>() + "\n"
    }

    /// Counts the rows by verdict.
    fn count(&self) -> String {
        let by = |verdict| self.claims.iter().filter(|it| it.verdict == verdict).count();
        format!(
            "Of {} claims {} hold, {} are simplified and {} are wrong; {} are open: no scene has tested \
             them yet.\n",
            self.claims.len(),
            by(Some(Verdict::Holds)),
            by(Some(Verdict::Simplified)),
            by(Some(Verdict::Wrong)),
            by(None),
        )
    }
}

impl Claim {
    fn check(&self, letters: &HashSet<&str>, root: &Path) -> Result<()> {
        for letter in &self.from {
            ensure!(letters.contains(letter.as_str()), "unknown article `{letter}`");
        }
        ensure!(!self.from.is_empty(), "no article claims it");
        let known = packages(root)?.iter().any(|package| package.starts_with(&self.step()));
        ensure!(known, "there's no such step");
        match self.verdict {
            Some(_) if self.scenes.is_empty() => bail!("a verdict without a scene"),
            None if !self.scenes.is_empty() => bail!("scenes, but no verdict"),
            None if !self.truth.is_empty() => bail!("a truth, but no verdict"),
            Some(Verdict::Simplified | Verdict::Wrong) if self.truth.is_empty() => {
                bail!("a claim that doesn't hold needs its truth")
            }
            _ => {}
        }
        for scene in &self.scenes {
            let (package, name) = package_and_name(scene)?;
            StepSource::open(root, package)?.scene(name, &[])?;
        }
        Ok(())
    }

    /// Returns the prefix of its step's package: `step03_` for claim 3.1.
    fn step(&self) -> String {
        let step = self.id.split_once('.').map_or("?", |(step, _)| step);
        format!("step0{step}_")
    }

    /// Returns the verdict, what really happens, and the scenes with links.
    fn answer(&self, root: &Path) -> Result<String> {
        let Some(verdict) = self.verdict else {
            return Ok("*open*".to_string());
        };
        let mut answer = format!("**{}**.", verdict.word());
        if !self.truth.is_empty() {
            write!(answer, " {}", self.truth)?;
        }
        for scene in &self.scenes {
            let (package, name) = package_and_name(scene)?;
            write!(answer, " [`{name}`]({})", link_to(package, name, root)?)?;
        }
        if !self.figures.is_empty() {
            write!(answer, " [figures]({})", self.figures)?;
        }
        Ok(answer)
    }
}

fn table(rows: &[&Claim], root: &Path, linked: impl Fn(&str) -> String) -> Result<String> {
    let mut table = String::from(
        "<div class=\"claims\">\n\n\
         | | what they say | what the machine says |\n| --- | --- | --- |\n",
    );
    for row in rows {
        let (says, from) = (&row.says, row.from.join(", "));
        writeln!(table, "| {} | {says} ({from}) | {} |", linked(&row.id), row.answer(root)?)?;
    }
    Ok(table + "\n</div>\n")
}

/// Returns the HTML id of a scene in its chapter.
pub(crate) fn scene_id(package: &str, name: &str) -> String {
    format!("{package}-{name}")
}

/// Returns the link to a scene: the page of its step's chapter that shows it, and its id there; or
/// the chapter's first page.
fn link_to(package: &str, name: &str, root: &Path) -> Result<String> {
    let pages = StepSource::open(root, package)?.pages()?;
    let shows = |text: &str| {
        ["scene", "transcript"].iter().any(|directive| {
            let begin = format!("{{{{#{directive} {package} {name}");
            text.match_indices(&begin)
                .any(|(at, _)| text[at + begin.len()..].starts_with([' ', '}']))
        })
    };
    match pages.iter().find(|(_, text)| shows(text)) {
        Some((page, _)) => Ok(format!("{page}#{}", scene_id(package, name))),
        None => Ok(format!("{}.md", chapter_of(package)?)),
    }
}

/// Returns `step03` for `step03_selector`.
fn chapter_of(package: &str) -> Result<&str> {
    let (chapter, _) = package.split_once('_').context("a step is called stepNN_name")?;
    Ok(chapter)
}

/// Returns the first heading of a chapter.
fn title_of(root: &Path, chapter: &str) -> Result<String> {
    let path = root.join(format!("book/src/{chapter}.md"));
    let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
    let heading = text.lines().find_map(|line| line.strip_prefix("# "));
    Ok(heading.with_context(|| format!("{chapter}.md has no heading"))?.to_owned())
}

fn package_and_name(scene: &str) -> Result<(&str, &str)> {
    scene.split_once(' ').with_context(|| format!("`{scene}` is not PACKAGE SCENE"))
}

fn dashed(id: &str) -> String {
    id.replace('.', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARTICLE: &str = "[[article]]\nletter = \"A\"\ncited = \"an article\"\n";

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace")
    }

    fn claim(id: &str, rest: &str) -> String {
        format!("[[claim]]\nid = \"{id}\"\nclaim = \"it is so\"\nfrom = [\"A\"]\n{rest}\n")
    }

    /// Returns why a ledger with these claims is refused.
    fn refusal(claims: &str) -> String {
        let error = Ledger::parse(&format!("{ARTICLE}{claims}"), root()).expect_err("a refusal");
        format!("{error:#}")
    }

    #[test]
    fn the_ledger_of_the_book_is_sound() {
        let ledger = Ledger::read(root()).expect("the ledger");
        let page = ledger.of_step("step03_selector", root()).expect("rows of step 03");
        assert!(page.contains("[3.1](ledger.md#claim-3-1)"), "{page}");
    }

    #[test]
    fn a_verdict_needs_a_scene_that_exists() {
        let reason = refusal(&claim("3.1", "verdict = \"holds\""));
        assert!(reason.contains("claim 3.1: a verdict without a scene"), "{reason}");
        let scenes = "verdict = \"holds\"\nscenes = [\"step03_selector no_such_scene\"]";
        let reason = refusal(&claim("3.1", scenes));
        assert!(reason.contains("step03_selector has no scene `no_such_scene`"), "{reason}");
        let reason =
            refusal(&claim("3.1", "scenes = [\"step03_selector select_reports_the_ready\"]"));
        assert!(reason.contains("scenes, but no verdict"), "{reason}");
    }

    #[test]
    fn a_claim_that_does_not_hold_needs_its_truth() {
        let scenes = "verdict = \"wrong\"\nscenes = [\"step03_selector select_reports_the_ready\"]";
        let reason = refusal(&claim("3.1", scenes));
        assert!(reason.contains("needs its truth"), "{reason}");
    }

    #[test]
    fn verdicts_articles_steps_and_ids_are_known_and_single() {
        assert!(
            refusal(&claim("3.1", "verdict = \"nearly\"")).contains("unknown variant `nearly`")
        );
        assert!(refusal(&claim("3.1", "verdikt = \"holds\"")).contains("unknown field `verdikt`"));
        assert!(refusal(&claim("9.1", "")).contains("there's no such step"));
        let twice = claim("3.1", "") + &claim("3.1", "");
        assert!(refusal(&twice).contains("claim 3.1: this id occurs twice"));
        let unknown = claim("3.1", "").replace("\"A\"", "\"Z\"");
        assert!(refusal(&unknown).contains("unknown article `Z`"));
    }
}
