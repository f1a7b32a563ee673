//! Checks that no table in a brief's text has more than six rows and that a step's briefs name few
//! private functions of the layer.

use std::collections::BTreeSet;

use judging::notebook::source::functions;

use super::{all_packages, exercises_of, root};
use crate::index;
use crate::steps::{StepSource, chapter_of};

/// The maximum number of rows in a table. The rows are for calls that the code around the hole
/// doesn't show.
const ROWS: usize = 6;

/// The maximum number of private functions that each step's briefs may name. A function that two
/// briefs name counts twice. To list the functions, run
/// `cargo test -p book --bin book private_functions -- --nocapture`.
const PRIVATE_NAMES: [(&str, usize); 8] = [
    ("step01_fd", 0),
    ("step02_epoll", 5),
    ("step03_selector", 1),
    ("step04_timers", 1),
    ("step05_selfpipe", 2),
    ("step06_tasks", 9),
    ("step07_full_loop", 6),
    ("asyncio", 7),
];

/// Names that private functions share with methods of std's types. A brief that contains such a
/// name may be about std's method.
const IN_STD_TOO: [&str; 5] = ["len", "lines", "lock", "replace", "set"];

/// The text directly before an exercise on a page, without its blocks of code. It begins after the
/// last heading, scene, transcript or exercise.
struct Brief {
    number: String,
    text: String,
}

fn briefs_of(package: &str) -> Vec<Brief> {
    let mut briefs = Vec::new();
    let mut pages = index::pages(root()).expect("pages");
    pages.retain(|page| chapter_of(&page.name) == chapter_of(package));
    for page in pages {
        let (mut text, mut is_code) = (String::new(), false);
        for line in page.text.lines() {
            if line.starts_with("```") {
                is_code = !is_code;
            } else if is_code {
                // A block shows other code than the layer's, such as an article's.
            } else if let Some(number) = line.strip_prefix("{{#exercise ") {
                let number = number.trim_end_matches("}}").to_owned();
                briefs.push(Brief { number, text: std::mem::take(&mut text) });
            } else if ["#", "{{#scene ", "{{#transcript "].iter().any(|it| line.starts_with(it)) {
                text.clear();
            } else {
                text.extend([line, "\n"]);
            }
        }
    }
    assert_eq!(briefs.len(), exercises_of(package).len(), "{package}");
    briefs
}

impl Brief {
    /// Returns the number of rows in each of the brief's tables.
    fn tables(&self) -> Vec<usize> {
        let lines: Vec<&str> = self.text.lines().collect();
        let tables = lines.split(|line| !line.starts_with('|')).filter(|table| !table.is_empty());
        // Subtract the header and the line below it.
        tables.map(|table| table.len() - 2).collect()
    }

    /// Returns which of these functions the brief names, in a table or in a sentence.
    fn names<'a>(&self, functions: &'a BTreeSet<String>) -> Vec<&'a str> {
        let code: BTreeSet<&str> = self.text.split('`').skip(1).step_by(2).collect();
        let is_word = |char: char| char.is_alphanumeric() || char == '_';
        let calls =
            code.iter().flat_map(|it| it.split('(').filter(|before| before.len() < it.len()));
        let called = calls.filter_map(|it| it.rsplit(|char| !is_word(char)).next());
        let called: BTreeSet<&str> = called.chain(code.iter().copied()).collect();
        functions.iter().map(String::as_str).filter(|name| called.contains(name)).collect()
    }
}

/// Returns a layer's private functions, except the functions that readers write.
fn private_functions(package: &str) -> BTreeSet<String> {
    let files = StepSource::open(root(), package).expect("a step").files().expect("files");
    let layer = files.iter().filter(|(file, _)| !file.starts_with("echo_server/"));
    let (mut private, mut known) = (BTreeSet::new(), BTreeSet::new());
    for function in layer.flat_map(|(_, text)| functions(text)) {
        let mut lines = function.whole().lines().map(str::trim_start);
        let head = lines.find(|line| !line.starts_with("//") && line.contains("fn "));
        let is_of_a_trait = function.header.is_some_and(|it| it.contains(" for "));
        let is_public = is_of_a_trait || head.is_some_and(|it| it.starts_with("pub "));
        if is_public { &mut known } else { &mut private }.insert(function.name().to_owned());
    }
    known.extend(IN_STD_TOO.map(str::to_owned));
    known.extend(exercises_of(package).into_iter().map(|exercise| exercise.declared.name));
    &private - &known
}

#[test]
fn no_table_of_a_brief_is_longer_than_six_rows() {
    let briefs = all_packages().into_iter().flat_map(|package| briefs_of(&package));
    let too_long = briefs.filter(|brief| brief.tables().into_iter().any(|rows| rows > ROWS));
    let too_long: Vec<String> = too_long.map(|brief| brief.number).collect();
    // To shorten a brief, show the code around the hole, with `around` in exercises.toml.
    assert!(too_long.is_empty(), "{too_long:?}");
}

#[test]
fn briefs_name_few_private_functions() {
    let mut counts = Vec::new();
    for package in all_packages() {
        let private = private_functions(&package);
        let mut count = 0;
        for brief in briefs_of(&package) {
            let (names, tables) = (brief.names(&private), brief.tables());
            println!("{:<5} rows: {tables:?}  private: {}", brief.number, names.join(" "));
            count += names.len();
        }
        println!("{package}: {count}");
        counts.push((package, count));
    }
    for ((package, count), (expected, most)) in counts.iter().zip(PRIVATE_NAMES) {
        assert_eq!(package, expected);
        assert!(*count <= most, "{package}: {count} private names in its briefs, at most {most}");
    }
}
