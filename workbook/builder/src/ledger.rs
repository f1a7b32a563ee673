//! The claims ledger: what articles claim about event loops, in the articles' own words, and our
//! verdicts on the claims.
//!
//! The rows are in `book/ledger.toml`, which also explains each field. The book doesn't build if,
//! for example, a verdict has no scene, a scene doesn't exist, two claims have the same id, or a
//! quotation is empty. `ledger_page.rs` formats the rows for the book.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::steps::{StepSource, packages};

/// The contents of `ledger.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ledger {
    #[serde(rename = "article")]
    pub(crate) articles: Vec<Article>,
    #[serde(rename = "claim")]
    pub(crate) claims: Vec<Claim>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Article {
    pub(crate) letter: String,
    pub(crate) cited: String,
    /// The article's language, as an HTML language code, such as `ru`.
    pub(crate) language: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Claim {
    pub(crate) id: String,
    #[serde(rename = "claim")]
    pub(crate) says: String,
    pub(crate) from: Vec<String>,
    /// The package whose chapter shows the claim, or an empty string if the claim's id gives the
    /// step.
    #[serde(default)]
    chapter: String,
    #[serde(default, rename = "quote")]
    pub(crate) quotes: Vec<Quote>,
    #[serde(rename = "verdict")]
    pub(crate) judged: Judged,
    #[serde(default)]
    pub(crate) truth: String,
    pub(crate) scenes: Vec<String>,
    #[serde(default)]
    pub(crate) programs: Vec<String>,
    #[serde(default)]
    pub(crate) figures: String,
}

/// An article's own words, in its own language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Quote {
    pub(crate) article: String,
    pub(crate) text: String,
    #[serde(default)]
    pub(crate) translation: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Holds,
    Simplified,
    Wrong,
}

impl Verdict {
    pub(crate) const ALL: [Verdict; 3] = [Verdict::Holds, Verdict::Simplified, Verdict::Wrong];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::Simplified => "simplified",
            Verdict::Wrong => "wrong",
        }
    }
}

/// The verdict on a claim.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Judged {
    Alike(Verdict),
    /// A separate verdict on each article, under the article's letter.
    Apart(BTreeMap<String, Verdict>),
}

impl Ledger {
    /// Reads the ledger and checks each claim, including whether the articles, the scenes and the
    /// programs that it names exist.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let path = root.join("book/ledger.toml");
        let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
        Self::parse(&text, root).with_context(|| path.display().to_string())
    }

    fn parse(text: &str, root: &Path) -> Result<Self> {
        let ledger: Ledger = toml::from_str(text)?;
        let mut ids = HashSet::new();
        for claim in &ledger.claims {
            ensure!(ids.insert(&claim.id), "claim {}: this id occurs twice", claim.id);
            claim.check(&ledger, root).with_context(|| format!("claim {}", claim.id))?;
        }
        Ok(ledger)
    }

    pub(crate) fn article(&self, letter: &str) -> Result<&Article> {
        let article = self.articles.iter().find(|article| article.letter == letter);
        article.with_context(|| format!("unknown article `{letter}`"))
    }
}

impl Claim {
    /// Returns the name of the package whose chapter shows the claim, or only the beginning of the
    /// name: `step03_` for claim L3.1.
    pub(crate) fn package(&self) -> String {
        if !self.chapter.is_empty() {
            return self.chapter.clone();
        }
        let step = self.number().split_once('.').map_or("?", |(step, _)| step);
        format!("step0{step}_")
    }

    /// Returns the id without its `L`. The `L` distinguishes claim L3.1 from exercise 3.1.
    pub(crate) fn number(&self) -> &str {
        self.id.trim_start_matches('L')
    }

    fn check(&self, ledger: &Ledger, root: &Path) -> Result<()> {
        ensure!(self.id.starts_with('L'), "an id begins with L");
        ensure!(!self.from.is_empty(), "no article claims it");
        for letter in &self.from {
            ledger.article(letter)?;
        }
        for quote in &self.quotes {
            quote.check(ledger.article(&quote.article)?)?;
            ensure!(self.from.contains(&quote.article), "a quotation of `{}`", quote.article);
        }
        let known = packages(root)?.iter().any(|package| package.starts_with(&self.package()));
        ensure!(known, "there's no such step");
        if let Judged::Apart(verdicts) = &self.judged {
            let claims: HashSet<&String> = self.from.iter().collect();
            let judged: HashSet<&String> = verdicts.keys().collect();
            ensure!(claims == judged, "verdicts of {judged:?}, and {claims:?} claim it");
        }
        let holds = self.judged == Judged::Alike(Verdict::Holds);
        ensure!(holds || !self.truth.is_empty(), "a claim that doesn't hold needs its truth");
        ensure!(!self.scenes.is_empty(), "a verdict without a scene");
        for scene in &self.scenes {
            let (package, name) = package_and_name(scene)?;
            StepSource::open(root, package)?.scene(name, &[])?;
        }
        for program in &self.programs {
            ensure!(root.join(program).is_file(), "there's no file `{program}`");
        }
        Ok(())
    }
}

impl Quote {
    fn check(&self, article: &Article) -> Result<()> {
        ensure!(!self.text.trim().is_empty(), "a quotation of `{}` without words", self.article);
        let is_english = article.language == "en";
        let is_code = !self.text.chars().any(|it| it.is_alphabetic() && !it.is_ascii());
        let is_translated = !self.translation.trim().is_empty();
        ensure!(is_english || is_code || is_translated, "`{}` isn't translated", self.text);
        ensure!(!(is_english && is_translated), "`{}` is English, and translated", self.text);
        Ok(())
    }
}

pub(crate) fn package_and_name(scene: &str) -> Result<(&str, &str)> {
    scene.split_once(' ').with_context(|| format!("`{scene}` is not PACKAGE SCENE"))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::LazyLock;

    use super::*;
    use crate::tests::root;

    /// All tests share one ledger, because reading a ledger means looking up every scene that the
    /// ledger names.
    pub(crate) static LEDGER: LazyLock<Ledger> =
        LazyLock::new(|| Ledger::read(root()).expect("the ledger"));

    const ARTICLE: &str =
        "[[article]]\nletter = \"A\"\ncited = \"an article\"\nlanguage = \"ru\"\n";

    const HOLDS: &str =
        "verdict = \"holds\"\nscenes = [\"step03_selector select_reports_the_ready\"]";

    fn claim(id: &str, rest: &str) -> String {
        format!("[[claim]]\nid = \"{id}\"\nclaim = \"it is so\"\nfrom = [\"A\"]\n{rest}\n")
    }

    #[test]
    fn the_ledger_of_the_book_is_sound() {
        let page = LEDGER.of_step("step03_selector", &[], root()).expect("rows of step 03");
        assert!(page.contains("[L3.1](ledger.md#claim-3-1)"), "{page}");
    }

    #[test]
    fn a_page_shows_the_rows_that_it_names_and_no_others_of_the_library() {
        let rows = |package, ids: &[&str]| LEDGER.of_step(package, ids, root());
        let two = rows("step03_selector", &["L3.3", "L3.1"]).expect("two rows");
        assert!(
            two.contains("[L3.1]") && two.contains("[L3.3]") && !two.contains("[L3.2]"),
            "{two}"
        );
        let loops = rows("step07_full_loop", &[]).expect("rows of the loop");
        assert!(loops.contains("[L7.9]") && !loops.contains("[L7.15]"), "{loops}");
        assert!(rows("asyncio", &["L7.15"]).expect("a row").contains("[L7.15]"));
        let odd = rows("step03_selector", &["L4.1"]).expect_err("a row of another chapter");
        assert!(odd.to_string().contains("step03_selector has no row `L4.1`"), "{odd}");
    }

    #[test]
    fn what_is_wrong_with_a_claim_is_named() {
        let apart = HOLDS.replace("\"holds\"", "{ Z = \"holds\" }") + "\ntruth = \"so\"";
        let l3_1 = |rest: &str| claim("L3.1", rest);
        let unknown_article = l3_1(HOLDS).replace("\"A\"", "\"Z\"");
        let quoting = |quote: &str| l3_1(&format!("{HOLDS}\nquote = [{{ {quote} }}]"));
        for (claims, reason) in [
            (l3_1("verdict = 'holds'\nscenes = []"), "claim L3.1: a verdict without a scene"),
            (l3_1("verdict = 'holds'"), "missing field `scenes`"),
            (
                l3_1(&HOLDS.replace("select_reports", "no_such")),
                "declares the scene no_such_the_ready",
            ),
            (l3_1(&HOLDS.replace("holds", "wrong")), "needs its truth"),
            (l3_1(&HOLDS.replace("holds", "nearly")), "verdict = \"nearly\""),
            (l3_1("verdikt = 'holds'"), "unknown field `verdikt`"),
            (claim("L9.1", HOLDS), "there's no such step"),
            (claim("3.1", HOLDS), "an id begins with L"),
            (l3_1(HOLDS) + &l3_1(HOLDS), "claim L3.1: this id occurs twice"),
            (unknown_article, "unknown article `Z`"),
            (
                quoting("article = 'A', text = ' ', translation = 't'"),
                "claim L3.1: a quotation of `A` without words",
            ),
            (quoting("article = 'Z', text = 'words'"), "claim L3.1: unknown article `Z`"),
            (quoting("article = 'A', text = 'слова'"), "`слова` isn't translated"),
            (quoting("article = 'A'"), "missing field `text`"),
            (l3_1(&apart), "verdicts of {\"Z\"}, and {\"A\"} claim it"),
            (
                l3_1(&format!("{HOLDS}\nprograms = ['no/such/program.py']")),
                "there's no file `no/such/program.py`",
            ),
        ] {
            let error = Ledger::parse(&format!("{ARTICLE}{claims}"), root()).expect_err(reason);
            assert!(format!("{error:#}").contains(reason), "{claims}: {error:#}");
        }
    }
}
