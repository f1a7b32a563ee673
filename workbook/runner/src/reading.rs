//! Works out which parts of the book the reader's path includes and which parts the path skips. The
//! map, a step's own screen and the command `path` show the result.

use std::path::Path as File;

use anyhow::Context;
use exercises::Exercise;
use exercises::paths::{self, Path, USE_MINE};

use crate::chapter::{Chapter, Prediction, Section, chapter_of, place_of_page};
use crate::part::Part;
use judging::Step;
use judging::notebook::Notebook;
use judging::notebook::given::Choice;
use judging::notebook::page::Page;
use judging::progress::{next_step, noted};
use judging::step::FROM_SCRATCH;
use judging::terminal::{Terminal, count, shown};
use judging::workbook::{Workbook, called, numbers, read};

/// Returns the workbook's own paths: the book's paths, the complete path, and the sessions.
pub fn known(workbook: &Workbook) -> anyhow::Result<Vec<Path>> {
    let text = |name: &str| read(&workbook.root.join(name)).unwrap_or_default();
    let mut all = paths::paths(&text("book/paths.toml")).context("book/paths.toml")?;
    all.push(everything(workbook)?);
    all.extend(paths::sessions(&text("book/teaching.toml")).context("book/teaching.toml")?);
    Ok(all)
}

/// Returns the paths in a teacher's file.
pub fn in_file(file: &File) -> anyhow::Result<Vec<Path>> {
    paths::paths(&read(file)?).with_context(|| shown(file))
}

/// Returns the reader's path. If the reader hasn't chosen a path, or if the chosen path no longer
/// exists, returns the path that includes everything.
pub fn chosen(notebook: &Notebook) -> anyhow::Result<Path> {
    let Choice { path, file, .. } = notebook.choice();
    let paths = match file {
        Some(file) => in_file(&file).unwrap_or_default(),
        None => known(&notebook.workbook)?,
    };
    let found = paths.into_iter().find(|it| Some(&it.name) == path.as_ref());
    found.map_or_else(|| everything(&notebook.workbook), Ok)
}

/// Returns the part to continue with: a step, or the loop from scratch if it's on the reader's path
/// and every step on that path is done. Returns `None` if all parts are done. `here` works as in
/// [`next_step`].
pub fn next_part(notebook: &Notebook, here: Option<&str>) -> anyhow::Result<Option<String>> {
    let next = next_step(notebook, here)?;
    let path = chosen(notebook)?;
    let is_on_it = |package: &String| has_any(&path, &notebook.workbook, package);
    let is_done = || noted(notebook, FROM_SCRATCH).is_some_and(|progress| progress.is_done());
    let from_scratch = notebook.workbook.has(FROM_SCRATCH).then(|| FROM_SCRATCH.to_owned());
    match from_scratch.filter(|it| is_on_it(it) && !is_done()) {
        Some(from_scratch) => Ok(next.filter(is_on_it).or(Some(from_scratch))),
        None => Ok(next),
    }
}

/// Returns true if some of the exercises of a step, or of the loop from scratch, are on a path.
pub fn has_any(path: &Path, workbook: &Workbook, package: &str) -> bool {
    let exercises = exercises::read(&workbook.step(package)).unwrap_or_default();
    exercises.iter().any(|exercise| path.has(&exercise.number, chapter_of(package)))
}

fn everything(workbook: &Workbook) -> anyhow::Result<Path> {
    let packages = workbook.steps()?;
    Ok(Path::all(packages.iter().map(|package| chapter_of(package).to_owned()).collect()))
}

/// A run of consecutive sections on one page, all of which a path either includes or skips.
#[derive(Debug, Clone, Copy)]
pub struct Stretch<'a> {
    /// True if the path includes the sections, and false if the path skips them.
    pub is_read: bool,
    /// One or more sections.
    pub sections: &'a [Section],
}

/// Splits sections into included and skipped stretches, in order.
pub fn stretches<'a>(path: &Path, sections: &'a [Section]) -> Vec<Stretch<'a>> {
    let is_read = |section: &Section| path.reads(section.chapter(), &section.id);
    let alike = sections
        .chunk_by(|one, next| one.page == next.page && is_read(one) == is_read(next))
        .map(|sections| Stretch { is_read: is_read(&sections[0]), sections });
    alike.collect()
}

impl<'a> Stretch<'a> {
    /// Returns the stretch's headings: “One”, or from “One” to “Another”.
    pub fn titles(&self) -> String {
        match self.sections {
            [first, .., last] => format!("from “{}” to “{}”", first.title, last.title),
            [only] => format!("“{}”", only.title),
            [] => String::new(),
        }
    }

    /// Returns the stretch's page, without the extension.
    pub fn page(&self) -> &'a str {
        &self.sections[0].page
    }

    fn verb(&self) -> &'static str {
        if self.is_read { "Read: " } else { "Skip: " }
    }
}

/// Returns the sections that lead to the exercise `next`: those after the section with the last
/// earlier exercise that isn't given, up to the section with `next`.
pub fn before<'a>(
    chapter: &'a Chapter,
    exercises: &[Exercise],
    is_given: impl Fn(&Exercise) -> bool,
    next: &Exercise,
) -> &'a [Section] {
    let earlier = exercises.iter().take_while(|it| it.number != next.number);
    let done = earlier.filter(|it| !is_given(it)).last().map(|last| &*last.number);
    chapter.sections_to(done, &next.number)
}

/// Lists the stretches to read and to skip, in order, and says where to find each page to read.
/// Each line begins with `indent`.
pub fn in_lines(
    terminal: &Terminal,
    workbook: &Workbook,
    indent: &str,
    stretches: &[Stretch<'_>],
) -> String {
    let mut text = String::new();
    let hanging = format!("{indent}       ");
    let mut page = "";
    for stretch in stretches {
        let verb = format!("{indent}{:<7}", stretch.verb());
        text += &terminal.wrap_hanging(&verb, &hanging, &stretch.titles());
        if stretch.is_read && stretch.page() != page {
            let place =
                stretch.sections[0].place(workbook, terminal.width.saturating_sub(hanging.len()));
            text += &terminal.wrap(&hanging, &place);
            page = stretch.page();
        }
    }
    text
}

/// Returns the predictions that a path asks for in a step's chapter. If the chapter has none of the
/// path's exercises, returns no predictions, because the path skips the whole chapter.
pub fn asked<'a>(path: &'a Path, chapter: &'a Chapter) -> impl Iterator<Item = &'a Prediction> {
    let has_any = |section: &Section| {
        section.exercises.iter().any(|number| path.has(number, section.chapter()))
    };
    let is_on_it = chapter.sections().iter().any(has_any);
    chapter.predictions_in(move |it| is_on_it && path.reads(it.chapter(), &it.id))
}

/// Returns a page's title, followed by the page's file in parentheses.
pub(crate) fn page_of_book(notebook: &Notebook, page: &str) -> String {
    let book = Chapter::whole_book(&notebook.workbook).unwrap_or_default();
    let first = book.sections().iter().find(|section| section.page == page);
    let title = first.map_or(page, |section| &section.title);
    format!("“{title}” ({})", place_of_page(&notebook.workbook, page))
}

/// Returns sentences that say what to do after every step's page is green. The sentences depend on
/// the reader's path, the given exercises, and the layers that are still the reference's.
pub fn all_done(notebook: &Notebook) -> anyhow::Result<Vec<String>> {
    let own = notebook.own_layers()?;
    let layers = notebook.layers()?;
    let is_waiting = |layer: &&String| {
        !own.contains(layer)
            && notebook.standing(layer).is_ok_and(|it| it.why_not_complete().is_none())
    };
    let use_mine = layers.iter().any(|layer| is_waiting(&layer)).then(|| USE_MINE.to_owned());
    let choice = notebook.choice();
    if let Some(name) = choice.path.filter(|name| name != "all") {
        let path = chosen(notebook)?;
        let last = path.last.map(|page| format!("Then read {}.", page_of_book(notebook, &page)));
        let more = format!("For more: {}", notebook.typed(None, " -- path"));
        let green = Some(format!("Your path `{name}` is green."));
        let all = [green, use_mine, path.ends, last, Some(more)];
        return Ok(all.into_iter().flatten().collect());
    }
    let mut given: Vec<&Exercise> = Vec::new();
    for step in notebook.workbook.steps()? {
        let part = Part::noted(notebook, &Step::without_checks(&notebook.workbook, &step)?);
        given.extend(part.step.exercises.iter().filter(|it| part.is_given(it)));
    }
    // The path with everything doesn't ask for the optional exercises, either.
    let (optional, given): (Vec<_>, Vec<_>) = given.into_iter().partition(|it| it.is_optional);
    if !given.is_empty() {
        let (given, all) = (count(given.len(), "exercise"), notebook.typed(None, " -- path all"));
        return Ok(vec![format!(
            "Everything is green. Given: {given}. To write the given exercises, too: {all}"
        )]);
    }
    let references: Vec<&str> =
        layers.iter().filter(|layer| !own.contains(layer)).map(String::as_str).collect();
    if references.is_empty() {
        let optional: Vec<&str> = optional.iter().map(|it| &*it.number).collect();
        let except = match optional.as_slice() {
            [] => String::new(),
            [only] => format!(", except for the optional {only}, which has our body"),
            all => format!(", except for the optional {}, which have our bodies", all.join(", ")),
        };
        return Ok(vec![format!(
            "Every step is green, on your own layers: the whole loop is yours{except}."
        )]);
    }
    Ok(vec![format!(
        "Every step is green, but some pages still build on the reference's layers: {}. To put \
         yours in their place: {}",
        numbers(&references),
        notebook.typed(None, " -- use-mine")
    )])
}

/// Returns what a step's own screen says about the sections to read and skip before an exercise.
/// The text is empty if the reader's path skips no sections or can't be read.
pub(crate) fn on_the_screen(page: &Page, next: &Exercise, terminal: &Terminal) -> String {
    let Page { notebook, step, .. } = page;
    // The rest of the screen is useful even if the path can't be read.
    let Some(path) = chosen(notebook).ok().filter(Path::skips_sections) else {
        return String::new();
    };
    let chapter = Chapter::of(&notebook.workbook, step.package);
    let sections = before(&chapter, step.exercises, |it| page.is_given(it), next);
    let is_first = path.exercises.first().is_some_and(|first| {
        *first == next.number
            || chapter.sections().first() == sections.first() && first == chapter_of(step.package)
    });
    let begins = path.begins.as_ref().filter(|_| is_first);
    let begins = begins.map(|begins| terminal.wrap_hanging("  First: ", "         ", begins));
    let stretches = stretches(&path, sections);
    begins.unwrap_or_default() + &in_lines(terminal, &notebook.workbook, "  ", &stretches)
}

/// Returns sentences that say what to read and skip once a step is green: the rest of its chapter,
/// and the chapters before the next step. There are no sentences if the reader's path skips no
/// sections.
pub(crate) fn after_the_last(page: &Page, next: Option<&str>) -> anyhow::Result<Vec<String>> {
    let Page { notebook, step, .. } = page;
    let path = chosen(notebook)?;
    if !path.skips_sections() {
        return Ok(Vec::new());
    }
    let chapter = Chapter::of(&notebook.workbook, step.package);
    let last = step.exercises.iter().rfind(|it| !page.is_given(it)).map(|last| &*last.number);
    let rest = stretches(&path, chapter.sections_behind(last));
    let mut sentences: Vec<String> = rest
        .iter()
        .map(|stretch| {
            format!("{} {} ({}.html)", stretch.verb().trim_end(), stretch.titles(), stretch.page())
        })
        .collect();
    let steps = notebook.workbook.steps()?;
    let place = |package: &str| steps.iter().position(|step| step == package);
    let between = match (place(step.package), next.and_then(place)) {
        (Some(here), Some(next)) if here + 1 < next => &steps[here + 1..next],
        _ => &[],
    };
    let between: Vec<String> = between.iter().map(|package| called(package)).collect();
    if !between.is_empty() {
        sentences.push(format!("Skip: {}", between.join(", ")));
    }
    Ok(sentences)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chapter::tests::chapter;
    use crate::paths::tests::exercises;
    use crate::paths::{StepChapter, put_on};
    use judging::workbook::write;

    /// A path with the second exercise.
    fn path(sections: &str) -> Path {
        let text = format!("[[path]]\nname = 'x'\nabout = 'x'\nexercises = ['90.2']\n{sections}");
        paths::paths(&text).unwrap().remove(0)
    }

    fn titles(path: &Path, sections: &[Section]) -> Vec<(bool, String)> {
        let all = stretches(path, sections);
        all.iter().map(|stretch| (stretch.is_read, stretch.titles())).collect()
    }

    #[test]
    fn what_is_read_and_what_is_skipped_alternate_and_no_stretch_leaves_its_page() {
        let chapter = chapter();
        let told = |is_read, titles: &str| (is_read, titles.to_owned());
        let all = titles(&path("reads = ['step90#thrice']"), chapter.sections());
        let expected = [
            told(false, "from “Step 90” to “Twice”"),
            told(false, "“More”"),
            told(true, "“Thrice”"),
            told(false, "“The end”"),
        ];
        assert_eq!(all, expected);
        let all = titles(&path("skips = ['#the-end']"), chapter.sections());
        let expected = [
            told(true, "from “Step 90” to “Twice”"),
            told(true, "from “More” to “Thrice”"),
            told(false, "“The end”"),
        ];
        assert_eq!(all, expected);
    }

    #[test]
    fn an_exercise_of_a_second_page_is_read_on_that_page() {
        let (chapter, exercises, path) = (chapter(), exercises(), path("reads = ['#thrice']"));
        let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap();
        let is_given = |it: &Exercise| !path.has(&it.number, "step90");
        let all = stretches(&path, before(&chapter, &exercises, is_given, &exercises[1]));
        let text = in_lines(&Terminal::PLAIN, &workbook, "", &all);
        let (skip, read) = text.split_once("Read:").unwrap();
        assert!(skip.contains("“Twice”") && skip.contains("“More”"), "{text}");
        assert!(read.contains("“Thrice”") && read.contains("step90_more."), "{text}");
        assert!(!read.contains("step90."), "{text}");
    }

    #[test]
    fn on_a_path_with_a_loop_from_scratch_that_is_next_and_on_others_it_never_is() {
        let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap();
        let dir = workbook.root.join("target/next-part");
        let _ = std::fs::remove_dir_all(&dir);
        let notebook = Notebook { workbook, dir };
        let chapters = StepChapter::all(&notebook.workbook).unwrap();
        let file = notebook.dir.join("course.toml");
        let one = |name: &str, exercises: &str| {
            format!("[[path]]\nname = '{name}'\nabout = 'x'\nexercises = ['{exercises}']\n")
        };
        write(&file, &(one("loop", "from_scratch") + &one("step", "1.1"))).unwrap();
        let known = in_file(&file).unwrap();
        let next_on = |path: &Path| {
            let (choice, _) = put_on(&notebook, &chapters, path, Some(&file)).unwrap();
            assert!(!choice.given.iter().any(|number| number.starts_with("S.")), "{choice:?}");
            next_part(&notebook, None).unwrap()
        };
        assert_eq!(next_on(&known[0]).as_deref(), Some("from_scratch"));
        assert_eq!(next_on(&known[1]).as_deref(), Some("step01_fd"));
        assert_eq!(next_on(&everything(&notebook.workbook).unwrap()).as_deref(), Some("step01_fd"));
    }

    #[test]
    fn sections_behind_the_last_exercise_are_told_too() {
        let chapter = chapter();
        let behind = |last| titles(&path("reads = []"), chapter.sections_behind(last));
        assert_eq!(behind(Some("90.2")), [(false, "“The end”".to_owned())]);
        assert!(behind(None).is_empty());
    }
}
