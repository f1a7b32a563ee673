//! Builds the whole book and checks its pages: what readers see and what they mustn't see yet.

mod briefs;
mod chapters;
mod paths;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use scraper::{Html, Selector};

use crate::exercises::ExerciseSource;
use crate::steps::{StepSource, chapter_of, packages};
use crate::{build, index, load, spoilers};

/// The directory of the pages that are built for the tests. A reader's pages are in a different
/// directory.
static PAGES: LazyLock<PathBuf> = LazyLock::new(|| {
    let mut book = load(root()).expect("a book");
    book.config.build.build_dir = scratch("built");
    book.config.set("output.html.site-url", "https://books.example/loop/").expect("an address");
    build(book, root()).expect("a book that passes its checks")
});

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace")
}

fn scratch(name: &str) -> PathBuf {
    root().join("target/book-tests").join(name)
}

/// Returns each page of a step's chapter with its source.
fn pages_of(package: &str) -> Vec<(Html, String)> {
    let mut sources = index::pages(root()).expect("pages");
    sources.retain(|page| chapter_of(&page.name) == chapter_of(package));
    let page = |name: &str| {
        let built = PAGES.join(name).with_extension("html");
        Html::parse_document(&fs::read_to_string(built).expect("a page"))
    };
    sources.into_iter().map(|source| (page(&source.name), source.text)).collect()
}

/// Returns the first page of a step's chapter.
fn page_of(package: &str) -> Html {
    pages_of(package).swap_remove(0).0
}

/// Returns the texts of the elements that match a selector.
fn texts(page: &Html, selector: &str) -> Vec<String> {
    let selector = Selector::parse(selector).expect("a selector");
    page.select(&selector).map(|found| found.text().collect()).collect()
}

fn all_packages() -> Vec<String> {
    packages(root()).expect("steps")
}

fn exercises_of(package: &str) -> Vec<ExerciseSource> {
    StepSource::open(root(), package).expect("a step").exercises().expect("exercises")
}

/// Copies the search index and the file that `is_changed` selects, appends `insert` to that file,
/// and returns the error message from the check for spoilers.
fn check_with(name: &str, is_changed: impl Fn(&str) -> bool, insert: &str) -> String {
    let dir = scratch(name);
    fs::create_dir_all(&dir).expect("a directory");
    let mut changed = 0;
    for entry in fs::read_dir(&*PAGES).expect("pages").map(|entry| entry.expect("a page")) {
        let file = entry.file_name().to_string_lossy().into_owned();
        // Keep the search index, because the check requires it.
        if !is_changed(&file) && !file.starts_with("searchindex") {
            continue;
        }
        let mut text = fs::read_to_string(entry.path()).expect("text");
        if is_changed(&file) {
            text += insert;
            changed += 1;
        }
        fs::write(dir.join(file), text).expect("a copy");
    }
    let outcome = spoilers::check(&dir, root());
    fs::remove_dir_all(&dir).expect("no copies any more");
    assert_eq!(changed, 1, "the check wasn't tried");
    outcome.expect_err("a body is shown").to_string()
}

#[test]
fn each_exercise_has_one_place_in_its_chapter() {
    for package in all_packages() {
        let page = page_of(&package);
        for exercise in exercises_of(&package) {
            // Links that contain only the chapter and the exercise lead to this id, such as
            // `exercise-4-5`.
            let place = format!("#exercise-{}", exercise.number.replace('.', "-"));
            assert_eq!(texts(&page, &place).len(), 1, "exercise {}", exercise.number);
        }
    }
}

#[test]
fn each_chapter_shows_its_exercises_with_their_bodies_folded() {
    for package in &all_packages() {
        let pages = pages_of(package);
        for exercise in exercises_of(package) {
            let place = format!("div.exercise#{}", exercise.id());
            let mut showing = pages.iter().filter(|(page, _)| !texts(page, &place).is_empty());
            let page = &showing.next().expect("a page that shows it").0;
            assert!(showing.next().is_none(), "two pages show exercise {}", exercise.number);
            let shown: Vec<&str> = exercise.brief.iter().map(|it| it.code.as_str()).collect();
            assert_eq!(texts(page, &format!("{place} > pre")), shown);
            assert!(shown.iter().any(|code| code.contains(&exercise.todo())), "{}", exercise.name);
            let folded = texts(page, &format!("{place} > details:not([open]) pre"));
            assert_eq!(folded, [exercise.solution() + "\n"]);
            let says = texts(page, &place).concat();
            let command = format!("cargo run -p {package}");
            let task = exercise.task.replace('`', "");
            for named in exercise.scenes.iter().chain([&task, &exercise.file, &command]) {
                assert!(says.contains(named), "exercise {}: {named}", exercise.number);
            }
        }
    }
}

#[test]
fn a_fold_has_the_hidden_functions_that_the_body_calls() {
    let exercises = exercises_of("step02_epoll");
    let find = |name| exercises.iter().find(|it| it.name == name).expect("an exercise");
    let (wait, is_readable) = (find("wait"), find("is_readable"));
    let solution = wait.solution();
    let hidden = solution.strip_prefix(&*wait.body).expect("the body");
    assert!(hidden.starts_with("\n\n/// Turns the error of a wait"), "{hidden}");
    assert!(hidden.contains("fn failed_wait(") && hidden.ends_with("    }\n}"), "{hidden}");
    assert_eq!(is_readable.solution(), is_readable.body);
}

#[test]
fn each_prediction_names_the_command_that_asks_for_it() {
    for package in all_packages() {
        for (page, source) in pages_of(&package) {
            let asked: Vec<String> = source
                .split("{{#scene ")
                .skip(1)
                .map(|rest| {
                    let words: Vec<&str> = rest.split([' ', '}']).take(2).collect();
                    format!("cargo run -p {} -- predict {}", words[0], words[1])
                })
                .collect();
            let named = texts(&page, ".filename");
            let named: Vec<String> =
                named.into_iter().filter(|text| text.contains(" -- predict ")).collect();
            assert_eq!(named, asked);
        }
    }
}

#[test]
fn a_body_on_a_page_in_print_or_in_the_search_index_is_found() {
    let body = "<pre>self.drop_cancelled_heads();\nif self.heap.peek()?.when > now {</pre>";
    let told = check_with("page", |file| file == "step04.html", body);
    assert_eq!(told.lines().last(), Some("step04.html: exercise 4.4 (`pop_due`)"));

    let folded = format!("<details class=\"yours-first\">{body}</details>");
    let told = check_with("print", |file| file == "print.html", &folded);
    assert_eq!(told.lines().last(), Some("print.html: exercise 4.4 (`pop_due`)"));

    let body = r"self.drop_cancelled_heads();\\nif self.heap.peek()?.when > now {";
    let told = check_with("search", |file| file.starts_with("searchindex"), body);
    assert!(told.ends_with(".js: exercise 4.4 (`pop_due`)"), "{told}");
}

#[test]
fn a_diff_of_the_servers_shows_no_lines_of_an_exercise() {
    let page = page_of("step03_selector");
    let line = "for event in &*events {";
    let shown = texts(&page, "code.language-diff").iter().filter(|it| it.contains(line)).count();
    let folded = texts(&page, ".yours-first code.language-diff");
    assert_eq!((shown, folded.len()), (1, 1));
    assert!(folded[0].contains(line));
}

#[test]
fn what_a_scene_says_about_itself_comes_after_its_transcript() {
    let mut scenes = 0;
    for package in all_packages() {
        let step = StepSource::open(root(), &package).expect("a step");
        let pages = pages_of(&package);
        let all = |selector| pages.iter().flat_map(move |(page, _)| texts(page, selector));
        let folds = all("details.transcript").collect::<Vec<String>>().join("\n");
        let codes = all("pre:has(> code.language-rust)").collect::<Vec<String>>().join("\n");
        let source: String = pages.iter().map(|(_, source)| source.as_str()).collect();
        for directive in source.split("{{#scene ").skip(1) {
            let name = directive.split([' ', '}']).nth(1).expect("a scene");
            let notes = step.scene(name, &[]).expect("a scene").notes;
            if let Some(begin) =
                notes.split(['`', '\'', '"', '\n']).next().filter(|it| !it.is_empty())
            {
                let line = notes.lines().next().unwrap_or_default();
                assert!(!codes.contains(&format!("/// {line}\n")), "{name}");
                assert!(folds.contains(begin), "{name}");
                scenes += 1;
            }
        }
    }
    assert!(scenes > 0, "no scene says anything about itself");
}

#[test]
fn a_fold_that_was_opened_is_not_printed() {
    let style = fs::read_to_string(root().join("workbook/theme/workbook.css")).expect("the style");
    let (_, in_print) = style.split_once("@media print {").expect("rules for print");
    let (in_print, _) = in_print.split_once("\n}").expect("the end of these rules");
    let rule = "details.yours-first > :not(summary) {\n        display: none;";
    assert!(in_print.contains(rule), "{in_print}");
}

#[test]
fn each_prediction_of_a_chapter_is_on_a_sheet_and_answered_after_the_last_one() {
    let page = fs::read_to_string(PAGES.join("predictions.html")).expect("the sheets");
    let (sheets, answers) = page.split_once("<section class=\"answers\">").expect("answers");
    let asked = |page: &Html| texts(page, ".prediction h3");
    let answered = texts(&Html::parse_document(answers), ".answer > p:first-child strong");
    let sheets = Html::parse_document(sheets);
    assert_eq!(asked(&sheets), answered);
    assert!(asked(&Html::parse_document(answers)).is_empty(), "a sheet after the answers");
    for (place, package) in all_packages().into_iter().enumerate() {
        let pages = pages_of(&package);
        let asks = |(_, text): &(Html, String)| {
            let asked = ["{{#scene ", "{{#figure ", "<strong>Predict:"];
            asked.iter().map(|begin| text.matches(begin).count()).sum::<usize>()
        };
        let step = (place + 1).to_string();
        let on_sheet = answered.iter().filter(|label| label.starts_with(&step)).count();
        assert_eq!(on_sheet, pages.iter().map(asks).sum::<usize>(), "{package}");
    }
}

#[test]
fn the_printed_book_has_the_answer_to_each_prediction_once_and_at_its_end() {
    let page = fs::read_to_string(PAGES.join("print.html")).expect("the printed book");
    assert!(!page.contains("<details") && !page.contains("class=\"predict\""));
    let (book, answers) = page.split_once("<section class=\"answers-on-paper\">").expect("answers");
    let transcripts = |html: &str| texts(&Html::parse_document(html), "code.language-text");
    let (in_book, in_answers) = (transcripts(book), transcripts(answers));
    let mut asked = 0;
    for package in all_packages() {
        let step = StepSource::open(root(), &package).expect("a step");
        for (_, source) in pages_of(&package) {
            for directive in source.split("{{#scene ").skip(1) {
                let name = directive.split([' ', '}']).nth(1).expect("a scene");
                let transcript = step.scene(name, &[]).expect("a scene").transcript + "\n";
                let count = |shown: &[String]| shown.iter().filter(|it| **it == transcript).count();
                assert_eq!((count(&in_book), count(&in_answers)), (0, 1), "{name}");
                asked += 1;
            }
            asked += source.matches("<strong>Predict:").count();
        }
    }
    let numbers = texts(&Html::parse_document(book), ".answered");
    let answered = texts(&Html::parse_document(answers), ".answer-on-paper");
    assert_eq!(numbers.len(), answered.len());
    assert!(asked > 60 && numbers.len() > asked, "{asked} predictions, {} answers", numbers.len());
}

#[test]
fn no_sheet_shows_a_line_of_a_transcript() {
    let page = fs::read_to_string(PAGES.join("predictions.html")).expect("the sheets");
    let page = Html::parse_document(&page);
    let lines: Vec<String> =
        texts(&page, ".answer pre").iter().flat_map(|it| it.lines()).map(str::to_owned).collect();
    assert!(lines.len() > 100, "{} lines", lines.len());
    for blank in texts(&page, ".sheet .blanks li") {
        assert!(blank.is_empty() || !lines.contains(&blank), "{blank}");
    }
}

#[test]
fn the_scripts_that_a_reader_loads_take_at_most_60_kilobytes_compressed() {
    let theme = fs::read_dir(root().join("workbook/theme")).expect("the theme");
    let files = theme.map(|entry| entry.expect("a file").path());
    let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
    // Only a class's own pages load the class's scripts.
    let is_script = |it: &PathBuf| it.extension().is_some_and(|extension| extension == "js");
    let scripts = files.filter(|it| is_script(it) && !name(it).starts_with("class"));
    let compressed = scripts.map(|path| {
        let script = fs::read(path).expect("a script");
        miniz_oxide::deflate::compress_to_vec(&script, 6).len()
    });
    let bytes: usize = compressed.sum();
    println!("{bytes} bytes");
    assert!((1..=60 * 1024).contains(&bytes), "{bytes} bytes");
}

#[test]
fn the_map_lists_each_page_once_and_a_wrong_address_is_told_where_they_are() {
    let map = fs::read_to_string(PAGES.join("sitemap.xml")).expect("a map");
    let chapters = fs::read_to_string(root().join("book/src/SUMMARY.md")).expect("the contents");
    assert_eq!(map.matches("<loc>").count(), chapters.matches("](").count());
    for page in ["", "step02_bites.html", "glossary.html"] {
        assert!(map.contains(&format!("<loc>https://books.example/loop/{page}</loc>")), "{map}");
    }
    let lost = fs::read_to_string(PAGES.join("404.html")).expect("a page");
    assert!(lost.contains("<base href=\"/loop/\">"));
    let page = fs::read_to_string(PAGES.join("step01.html")).expect("a page");
    let picture = "<meta property=\"og:image\" content=\"https://books.example/loop/link.png\">";
    assert!(page.contains(picture) && PAGES.join("link.png").exists());
}

#[test]
fn what_mends_a_broken_server_is_folded() {
    let page = fs::read_to_string(PAGES.join("broken.html")).expect("a page");
    let page = Html::parse_document(&page);
    let diffs = texts(&page, "code.language-diff");
    assert_eq!(diffs.len(), 6);
    assert_eq!(texts(&page, "details:not([open]) code.language-diff"), diffs);
    for diff in diffs {
        let signs: String = diff.lines().filter_map(|line| line.chars().next()).collect();
        assert!(signs.contains('+') && !signs.contains('@'), "{diff}");
    }
}

#[test]
fn the_layers_lines_are_counted_and_there_are_thirty_questions() {
    let page = |name| fs::read_to_string(PAGES.join(name)).expect("a page");
    let questions = Html::parse_document(&page("thirty_questions.html"));
    assert_eq!(texts(&questions, "details > summary").len(), 30);
    let layers = Html::parse_document(&page("beyond.html"));
    let counts = texts(&layers, "td:nth-child(2)[style*=right]");
    assert_eq!(counts.len(), all_packages().len());
    for count in counts {
        assert!(count.replace(',', "").parse::<usize>().is_ok_and(|it| it > 100), "{count}");
    }
}

#[test]
fn a_question_with_a_few_answers_has_one_that_is_right_and_neither_its_place_nor_length_tells() {
    let (mut questions, mut longest, mut first) = (0, 0, 0);
    for page in fs::read_dir(&*PAGES).expect("pages") {
        let page = page.expect("a page").path();
        let is_page = page.extension().is_some_and(|it| it == "html");
        // Skip these two pages, because they repeat questions from other pages.
        if !is_page || page.ends_with("print.html") || page.ends_with("index.html") {
            continue;
        }
        let html = Html::parse_document(&fs::read_to_string(&page).expect("a page"));
        for data in texts(&html, ".predict > script") {
            let data: serde_json::Value = serde_json::from_str(&data).expect("a form's data");
            let Some(answers) = data["answers"].as_array() else { continue };
            let text = |answer: &serde_json::Value| answer["text"].as_str().map(normal);
            let all: Vec<String> = answers.iter().filter_map(text).collect();
            let right: Vec<usize> =
                (0..all.len()).filter(|&at| answers[at]["right"] == true).collect();
            assert!(all.len() > 1 && right.len() == 1, "{}: {all:?}", page.display());
            let different: BTreeSet<&String> = all.iter().collect();
            assert_eq!(different.len(), all.len(), "{}: {all:?}", page.display());
            // The right answer to a bug is one of its exercise's promises, in the same words.
            if data["id"].as_str().is_some_and(|id| id.starts_with("hunt/")) {
                continue;
            }
            let length = |at: usize| all[at].chars().count();
            let others = (0..all.len()).filter(|&at| at != right[0]);
            longest += usize::from(others.map(length).max() < Some(length(right[0])));
            first += usize::from(right[0] == 0);
            questions += 1;
        }
    }
    assert!(questions > 20, "only {questions} questions were found");
    assert!(2 * longest < questions, "the right answer is the longest in {longest} of {questions}");
    assert!(2 * first < questions, "the right answer is the first in {first} of {questions}");
}

/// Returns an answer in lower case and with single spaces, since an answer's case and spaces don't
/// matter.
fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<&str>>().join(" ").to_lowercase()
}
