//! `cargo run -- path` and `skip-to`: which exercises the reader writes, and which are given.
//!
//! The authors' checks have this file, too, and walk the paths with it. Its tests run there.

#![allow(dead_code, reason = "each of the two programs uses a part")]
#![allow(clippy::format_push_string)]

use std::fs;
use std::io::{self, BufRead, IsTerminal};
use std::path::Path as File;
use std::process::ExitCode;

use anyhow::Context;
use exercises::Exercise;
use exercises::paths::{Path, Sections};

use runner::Usage;
use runner::chapter::{Chapter, Section};
use runner::notebook::Notebook;
use runner::notebook::given::{Change, Changed, Choice};
use runner::reading::{self, chapter_of, chosen, in_file, known};
use runner::terminal::{Terminal, count};
use runner::workbook::Workbook;

/// How fast a page is read, by what the chapters say of themselves: that leaves time to run what it
/// shows.
const WORDS_A_MINUTE: usize = 120;

/// Shows the paths, or puts the reader on one: `afternoon`, or `course.toml`, or `course.toml monday`.
pub(crate) fn path(workbook: Workbook, words: &[&str]) -> anyhow::Result<ExitCode> {
    let notebook = Notebook::of(workbook);
    notebook.check_edition()?;
    let (file, name) = match words {
        [] => return show(&notebook),
        [file, rest @ ..] if File::new(file).extension().is_some_and(|it| it == "toml") => {
            (Some(*file), rest.first().copied())
        }
        [name, ..] => (None, Some(*name)),
    };
    let paths = match file {
        Some(file) => in_file(File::new(file))?,
        None => known(&notebook.workbook)?,
    };
    let names: Vec<&str> = paths.iter().map(|path| &*path.name).collect();
    let path = match (name, paths.as_slice()) {
        (None, [only]) => only,
        (None, _) => {
            let why = format!("{} has these paths: {}", file.unwrap_or(""), names.join(", "));
            return Err(Usage(format!("{why}. Name one behind it")).into());
        }
        (Some(name), _) => paths
            .iter()
            .find(|path| path.name == name)
            .ok_or_else(|| Usage::unknown("path", name, &names))?,
    };
    let file = file.map(fs::canonicalize).transpose().context("find the path's file")?;
    choose(&notebook, path, file.as_deref())?;
    Ok(ExitCode::SUCCESS)
}

/// Gives all exercises before this one, except for those that are green.
pub(crate) fn skip_to(workbook: Workbook, exercise: &str) -> anyhow::Result<ExitCode> {
    let notebook = Notebook::of(workbook);
    notebook.check_edition()?;
    let parts = Part::all(&notebook.workbook)?;
    let all: Vec<(&Part, &Exercise)> =
        parts.iter().flat_map(|part| part.exercises.iter().map(move |it| (part, it))).collect();
    let is_it = |(_, it): &&(&Part, &Exercise)| it.number == exercise || it.name == exercise;
    let (first, numbers) = match all.iter().filter(is_it).collect::<Vec<_>>().as_slice() {
        [first] => (**first, all.iter().map(|(_, it)| &*it.number)),
        [] => return Err(Usage(format!("there's no exercise `{exercise}`")).into()),
        several => {
            let numbers: Vec<&str> = several.iter().map(|(_, it)| &*it.number).collect();
            let numbers = numbers.join(" and ");
            return Err(Usage(format!("{numbers} are called `{exercise}`: which one?")).into());
        }
    };
    let before: Vec<&str> = numbers.take_while(|number| *number != first.1.number).collect();
    let mut choice = notebook.choice();
    choice.path.get_or_insert("all".to_owned());
    let wanted = |it: &Exercise| match &*it.number {
        number if number == first.1.number => Some(Change::TakeBack),
        number => before.contains(&number).then_some(Change::GiveUnlessGreen),
    };
    let changed = apply(&notebook, &mut choice, &parts, |_, it| wanted(it))?;
    let given = before.iter().filter(|number| choice.given.contains(**number)).count();
    let mut text = format!("Given before {}: {}. ", first.1.number, count(given, "exercise"));
    text += &kept(&changed);
    text += &changed.saved_in_words();
    text += &format!("Go on: {}", notebook.typed(Some(&first.0.package), ""));
    let terminal = Terminal::of_stdout();
    terminal.print(&terminal.wrap("", &text));
    Ok(ExitCode::SUCCESS)
}

/// Asks on the terminal how much the reader wants to do: once, and only someone without a notebook.
pub(crate) fn ask_once(notebook: &Notebook) -> anyhow::Result<()> {
    let is_known = notebook.choice().path.is_some() || !notebook.pages()?.is_empty();
    if is_known || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Ok(());
    }
    let (terminal, parts) = (Terminal::of_stdout(), Part::all(&notebook.workbook)?);
    let mut paths = known(&notebook.workbook)?;
    paths.retain(|path| path.sections != Sections::InClass);
    let mut text = "How much of the workbook would you like to do?\n\n".to_owned();
    for (path, number) in paths.iter().zip(1..) {
        let size = Size::of(path, &parts).in_words();
        let about = format!("{number}. {}: {}. ({size})", path.name, path.about);
        text += &terminal.wrap_hanging("  ", "     ", &about);
    }
    text += "\nYou can change your mind later, with: cargo run -- path\n";
    let default = paths.iter().position(|path| path.name == "all").unwrap_or(0);
    terminal.print(&text);
    loop {
        terminal.print(&format!("Which one? [{}] ", default + 1));
        let mut answer = String::new();
        let read = io::stdin().lock().read_line(&mut answer).context("read your answer")?;
        let answer = answer.trim();
        let number = answer.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let chosen = match number {
            _ if answer.is_empty() => Some(&paths[default]),
            Some(index) => paths.get(index),
            None => paths.iter().find(|path| path.name == answer),
        };
        if let Some(path) = chosen {
            // Ctrl-D leaves the cursor behind the question.
            terminal.print(if read == 0 { "\n\n" } else { "\n" });
            choose(notebook, path, None)?;
            terminal.print("\n");
            return Ok(());
        }
    }
}

fn kept(changed: &Changed) -> String {
    match changed.kept.as_slice() {
        [] => String::new(),
        kept => format!("What you've written stays yours: {}. ", kept.join(", ")),
    }
}

/// Returns the names of the workbook's paths.
pub(crate) fn path_names(workbook: &Workbook) -> anyhow::Result<Vec<String>> {
    Ok(known(workbook)?.into_iter().map(|path| path.name).collect())
}

/// Puts a notebook on one of the workbook's paths, without a word.
pub(crate) fn put_on_path(notebook: &Notebook, name: &str) -> anyhow::Result<()> {
    let path = known(&notebook.workbook)?.into_iter().find(|path| path.name == name);
    let path = path.with_context(|| format!("there's no path `{name}`"))?;
    put_on(notebook, &path, None, &Part::all(&notebook.workbook)?).map(drop)
}

fn put_on(
    notebook: &Notebook,
    path: &Path,
    file: Option<&File>,
    parts: &[Part],
) -> anyhow::Result<(Choice, Changed)> {
    let name = Some(path.name.clone());
    let given = notebook.choice().given;
    let mut choice = Choice { path: name, file: file.map(File::to_owned), given };
    let changed = apply(notebook, &mut choice, parts, |part, it| {
        let is_on_it = path.has(&it.number, part.chapter());
        Some(if is_on_it { Change::TakeBack } else { Change::Give })
    })?;
    Ok((choice, changed))
}

/// Puts the reader on a path, and says so.
fn choose(notebook: &Notebook, path: &Path, file: Option<&File>) -> anyhow::Result<()> {
    let parts = Part::all(&notebook.workbook)?;
    let unknown: Vec<&String> = path.exercises.iter().filter(|it| !is_known(it, &parts)).collect();
    if let [first, ..] = unknown.as_slice() {
        return Err(Usage(format!("the path `{}`: there's no exercise {first}", path.name)).into());
    }
    let (choice, changed) = put_on(notebook, path, file, &parts)?;
    let size = Size::of(path, &parts).in_words();
    let mut text = format!("Your path is `{}` now: {size}. ", path.name);
    if !choice.given.is_empty() {
        let given = count(choice.given.len(), "exercise");
        text += &format!("Given: {given}, for which your pages have our bodies. ");
    }
    if !changed.again.is_empty() {
        let again = count(changed.again.len(), "exercise");
        text += &format!("Not given any more: {again}. ");
    }
    text += &kept(&changed);
    let terminal = Terminal::of_stdout();
    let mut text = terminal.wrap("", text.trim_end());
    if path.skips_sections() {
        text += &plan(&terminal, path, &parts);
    }
    for gap in gaps(path, &parts) {
        text += &terminal.wrap_hanging("", "  ", &format!("But {gap}."));
    }
    terminal.print(&text);
    Ok(())
}

/// Lists what a path reads and skips, page by page, with what's written there.
fn plan(terminal: &Terminal, path: &Path, parts: &[Part]) -> String {
    let mut text = String::from("\n");
    let mut add = |page: &str, what: &str| {
        text += &terminal.wrap_hanging(&format!("{page:<15}"), &" ".repeat(22), what);
    };
    if let Some(begins) = &path.begins {
        add("", &format!("first  {begins}"));
    }
    for part in parts {
        if path.exercises_of(part).next().is_none() {
            add(part.chapter(), "skip   all of it");
            continue;
        }
        let mut page = "";
        for stretch in reading::stretches(path, part.sections.sections()) {
            let numbers = stretch.sections.iter().flat_map(|section| section.exercises());
            let numbers: Vec<&str> = numbers.filter(|it| path.has(it, part.chapter())).collect();
            let write = if numbers.is_empty() { "" } else { "; write " };
            let what = format!("{}{write}{}", stretch.titles(), numbers.join(", "));
            let shown = if stretch.page() == page { "" } else { stretch.page() };
            add(shown, &format!("{:<7}{what}", if stretch.is_read { "read" } else { "skip" }));
            page = stretch.page();
        }
    }
    if let Some(last) = &path.last {
        add(last, "read   at the end");
    }
    text
}

fn apply(
    notebook: &Notebook,
    choice: &mut Choice,
    parts: &[Part],
    wanted: impl Fn(&Part, &Exercise) -> Option<Change>,
) -> anyhow::Result<Changed> {
    let mut all = Changed::default();
    for part in parts {
        let (package, exercises) = (&part.package, &part.exercises);
        let changed = notebook.change(choice, package, exercises, |it| wanted(part, it));
        let changed = changed.with_context(|| format!("change your page of {package}"))?;
        all.kept.extend(changed.kept);
        all.saved.extend(changed.saved);
        all.again.extend(changed.again);
    }
    Ok(all)
}

/// Lists the paths.
fn show(notebook: &Notebook) -> anyhow::Result<ExitCode> {
    let (terminal, parts) = (Terminal::of_stdout(), Part::all(&notebook.workbook)?);
    let chosen = chosen(notebook)?;
    let mut all = known(&notebook.workbook)?;
    if !all.contains(&chosen) {
        all.push(chosen.clone());
    }
    let row = |name: &str, exercises: &str, reading: &str, writing: &str| {
        format!("{name:<20}{exercises:>13}{reading:>13}{writing:>13}\n")
    };
    let mut text = terminal.dim(&row("", "exercises", "to read", "to write"));
    let is_in_class = |path: &&Path| path.sections == Sections::InClass;
    let first_in_class = all.iter().find(is_in_class).map(|path| path.name.clone());
    for path in all.iter().filter(|it| !is_in_class(it)).chain(all.iter().filter(is_in_class)) {
        if Some(&path.name) == first_in_class.as_ref() {
            text += "\nFor a class:\n";
        }
        let Size { exercises, reading, writing } = Size::of(path, &parts);
        let sign = if *path == chosen { "→" } else { "·" };
        let name = format!("{sign} {}", path.name);
        let reading = reading.map_or("in class".to_owned(), hours);
        let line = row(&name, &exercises.to_string(), &reading, &hours(writing));
        text += &if *path == chosen { terminal.bold(&line) } else { line };
        text += &terminal.wrap("    ", &path.about);
    }
    text += &format!("\nChoose:  {}\n", notebook.typed(None, " -- path NAME"));
    terminal.print(&text);
    Ok(ExitCode::SUCCESS)
}

fn is_known(entry: &str, parts: &[Part]) -> bool {
    parts.iter().any(|part| {
        part.chapter() == entry || part.exercises.iter().any(|exercise| exercise.number == entry)
    })
}

/// Says what an exercise on a path needs and the path leaves out, and what isn't there at all.
fn gaps(path: &Path, parts: &[Part]) -> Vec<String> {
    let mut gaps = Vec::new();
    let sections: Vec<&Section> = parts.iter().flat_map(|part| part.sections.sections()).collect();
    let is_there = |named: &str| {
        let (chapter, id) = named.split_once('#').unwrap_or_default();
        sections.iter().any(|it| (chapter.is_empty() || it.chapter() == chapter) && it.id == id)
    };
    let (Sections::Only(named) | Sections::AllBut(named)) = &path.sections else { return gaps };
    let lost = named.iter().filter(|named| !is_there(named));
    gaps.extend(lost.map(|named| format!("there's no section {named}")));
    for part in parts {
        for exercise in path.exercises_of(part) {
            let Exercise { number, name, needs, .. } = exercise;
            let own = part.sections.section_with(number);
            let own = own.map(|section| format!("{}#{}", section.chapter(), section.id));
            for needed in needs.iter().chain(&own) {
                let (chapter, id) = needed.split_once('#').unwrap_or_default();
                if !is_there(needed) {
                    gaps.push(format!("{number} {name} needs {needed}, which isn't there"));
                } else if !path.reads(chapter, id) {
                    gaps.push(format!("{number} {name} needs {needed}, which the path skips"));
                }
            }
        }
    }
    gaps
}

/// A step or the library, with its exercises and its chapter.
struct Part {
    package: String,
    exercises: Vec<Exercise>,
    sections: Chapter,
}

impl Part {
    fn all(workbook: &Workbook) -> anyhow::Result<Vec<Part>> {
        let part = |package: String| {
            let exercises = exercises::read(&workbook.step(&package))?;
            let sections = Chapter::of(workbook, &package);
            Ok(Part { package, exercises, sections })
        };
        workbook.steps()?.into_iter().map(part).collect()
    }

    fn chapter(&self) -> &str {
        chapter_of(&self.package)
    }
}

trait ExercisesOf {
    fn exercises_of<'a>(&self, part: &'a Part) -> impl Iterator<Item = &'a Exercise>;
}

impl ExercisesOf for Path {
    fn exercises_of<'a>(&self, part: &'a Part) -> impl Iterator<Item = &'a Exercise> {
        part.exercises.iter().filter(|it| self.has(&it.number, part.chapter()))
    }
}

/// How much a path asks for, in exercises and in minutes.
#[derive(Debug, PartialEq, Eq)]
struct Size {
    exercises: usize,
    /// `None` if a teacher chooses what's read.
    reading: Option<usize>,
    writing: usize,
}

impl Size {
    fn of(path: &Path, parts: &[Part]) -> Size {
        let exercises = || parts.iter().flat_map(|part| path.exercises_of(part));
        let chapters = parts.iter().filter(|part| path.exercises_of(part).next().is_some());
        let sections = chapters.flat_map(|part| part.sections.sections());
        let read = sections.filter(|it| path.reads(it.chapter(), &it.id));
        let words: usize = read.map(Section::words).sum();
        Size {
            exercises: exercises().count(),
            reading: (path.sections != Sections::InClass).then_some(words / WORDS_A_MINUTE),
            writing: exercises().map(|exercise| usize::from(exercise.minutes)).sum(),
        }
    }

    fn in_words(&self) -> String {
        let exercises = count(self.exercises, "exercise");
        let writing = format!("{exercises}, {} to write", hours(self.writing));
        match self.reading {
            Some(reading) => format!("{writing} and {} to read", hours(reading)),
            None => writing,
        }
    }
}

/// Returns minutes in words, to the next five: `1 h 25`.
fn hours(minutes: usize) -> String {
    let minutes = minutes.next_multiple_of(5);
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workbook() -> Workbook {
        Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap()
    }

    #[test]
    fn no_exercise_on_a_path_needs_what_the_path_skips_and_all_that_it_names_is_there() {
        let parts = Part::all(&workbook()).unwrap();
        for path in known(&workbook()).unwrap() {
            let unknown = path.exercises.iter().find(|entry| !is_known(entry, &parts));
            assert_eq!(unknown, None, "{}", path.name);
            assert_eq!(gaps(&path, &parts), [""; 0], "{}", path.name);
        }
    }

    #[test]
    fn a_section_that_is_left_out_is_named_with_the_exercise_that_needs_it() {
        let parts = Part::all(&workbook()).unwrap();
        let path = |sections| Path {
            name: "mine".to_owned(),
            about: "mine".to_owned(),
            exercises: vec!["1.1".to_owned()],
            sections,
            begins: None,
            ends: None,
            last: None,
        };
        let own = ["1.1 pipe needs step01#what-is-4, which the path skips"];
        assert_eq!(gaps(&path(Sections::Only(Vec::new())), &parts), own);
        let skips = Sections::AllBut(vec!["#what-is-4".to_owned()]);
        assert_eq!(gaps(&path(skips), &parts), own);
        let reads =
            Sections::Only(vec!["step01#what-is-4".to_owned(), "step01#nothing".to_owned()]);
        assert_eq!(gaps(&path(reads), &parts), ["there's no section step01#nothing"]);
        let flush = Sections::Only(vec!["step01#the-bytes-that-didnt-fit".to_owned()]);
        let flush = Path { exercises: vec!["1.7".to_owned()], ..path(flush) };
        let needed = "1.7 flush needs step01#what-does-write-say, which the path skips";
        assert!(gaps(&flush, &parts).iter().any(|gap| gap == needed), "{:?}", gaps(&flush, &parts));
    }

    #[test]
    fn an_afternoon_is_an_afternoon() {
        let parts = Part::all(&workbook()).unwrap();
        let paths = known(&workbook()).unwrap();
        let size = |name: &str| Size::of(paths.iter().find(|it| it.name == name).unwrap(), &parts);
        let (afternoon, all) = (size("afternoon"), size("all"));
        let minutes = afternoon.writing + afternoon.reading.unwrap();
        assert!((210..=270).contains(&minutes), "{afternoon:?}");
        let exercises: usize = parts.iter().map(|part| part.exercises.len()).sum();
        assert_eq!(all.exercises, exercises);
        assert!(size("weekend").writing < all.writing);
        assert_eq!(size("first").reading, None);
    }

    #[test]
    fn minutes_are_told_in_hours() {
        assert_eq!([3, 60, 84, 125].map(hours), ["5 min", "1 h", "1 h 25", "2 h 05"]);
    }
}
