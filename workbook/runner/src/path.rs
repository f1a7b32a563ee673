//! `cargo run -- path` and `skip-to` choose which exercises the reader writes and which are given.

use std::fs;
use std::io::{self, BufRead, IsTerminal};
use std::path::Path as File;
use std::process::ExitCode;

use anyhow::Context;
use exercises::Exercise;
use exercises::paths::{Path, Sections};

use judging::notebook::Notebook;
use judging::notebook::given::{Change, Changed};
use judging::terminal::{Terminal, count};
use judging::workbook::Workbook;
use runner::Usage;
use runner::paths::{Size, StepChapter, change, gaps, hours, put_on, unknown};
use runner::reading::{chosen, in_file, known, stretches};

/// Shows the paths, or puts the reader on the path that the words name: `afternoon`, `course.toml`
/// or `course.toml monday`.
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
            return Err(Usage(format!("{why}. Type a path's name after the file's name")).into());
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

/// Turns all exercises before `exercise` into given exercises, except those that
/// [`Change::GiveUnlessGreen`] leaves alone. Makes `exercise` itself the reader's task again.
pub(crate) fn skip_to(workbook: Workbook, exercise: &str) -> anyhow::Result<ExitCode> {
    let notebook = Notebook::of(workbook);
    notebook.check_edition()?;
    let mut chapters = StepChapter::all(&notebook.workbook)?;
    // A loop from scratch has stages, which can't be given.
    chapters.retain(|chapter| !chapter.step.is_from_scratch());
    let all: Vec<(&StepChapter, &Exercise)> = chapters
        .iter()
        .flat_map(|chapter| chapter.step.exercises.iter().map(move |it| (chapter, it)))
        .collect();
    let is_it = |(_, it): &&(&StepChapter, &Exercise)| it.number == exercise || it.name == exercise;
    let (first, numbers) = match all.iter().filter(is_it).collect::<Vec<_>>().as_slice() {
        [first] => (**first, all.iter().map(|(_, it)| &*it.number)),
        [] => {
            let gone = judging::gone::told(&notebook.workbook, exercise)?;
            let why = gone.unwrap_or_else(|| format!("there's no exercise `{exercise}`"));
            return Err(Usage(why).into());
        }
        several => {
            let numbers: Vec<&str> = several.iter().map(|(_, it)| &*it.number).collect();
            let numbers = numbers.join(" and ");
            let why = format!("{numbers} share the name `{exercise}`: type one of these numbers");
            return Err(Usage(why).into());
        }
    };
    let before: Vec<&str> = numbers.take_while(|number| *number != first.1.number).collect();
    let mut choice = notebook.choice();
    choice.path.get_or_insert("all".to_owned());
    let wanted = |it: &Exercise| match &*it.number {
        number if number == first.1.number => Some(Change::TakeBack),
        number => before.contains(&number).then_some(Change::GiveUnlessGreen),
    };
    let changed = change(&notebook, &mut choice, &chapters, |_, it| wanted(it))?;
    let given = before.iter().filter(|number| choice.given.contains(**number)).count();
    let mut text = format!("Given before {}: {}. ", first.1.number, count(given, "exercise"));
    text += &kept(&changed);
    text += &changed.saved_in_words();
    text += &format!("Go on: {}", notebook.typed(Some(first.0.step.package), ""));
    let terminal = Terminal::of_stdout();
    terminal.print(&terminal.wrap("", &text));
    Ok(ExitCode::SUCCESS)
}

/// Asks on the terminal how much the reader wants to do. Doesn't ask a reader who has chosen a path
/// or begun a page, or if standard input or output isn't a terminal.
pub(crate) fn ask_once(notebook: &Notebook) -> anyhow::Result<()> {
    let is_known = notebook.choice().path.is_some() || !notebook.pages()?.is_empty();
    if is_known || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Ok(());
    }
    let (terminal, chapters) = (Terminal::of_stdout(), StepChapter::all(&notebook.workbook)?);
    let mut paths = known(&notebook.workbook)?;
    paths.retain(|path| path.sections != Sections::InClass);
    let mut text = "How much of the workbook would you like to do?\n\n".to_owned();
    for (path, number) in paths.iter().zip(1..) {
        let size = Size::of(path, &chapters).in_words();
        let about = format!("{number}. {}: {}. ({size})", path.name, path.about);
        text += &terminal.wrap_hanging("  ", "     ", &about);
    }
    text += "\nYou can change your mind later: cargo run -- path\n";
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
            // Ctrl-D leaves the cursor at the end of the question's line.
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
        kept => format!(
            "These exercises stay yours, since you have written them: {}. ",
            kept.join(", ")
        ),
    }
}

/// Puts the reader on a path and prints the path's size and the changes to the pages.
fn choose(notebook: &Notebook, path: &Path, file: Option<&File>) -> anyhow::Result<()> {
    let chapters = StepChapter::all(&notebook.workbook)?;
    if let Some(entry) = unknown(path, &chapters) {
        let gone = judging::gone::told(&notebook.workbook, entry)?;
        let why = gone.unwrap_or_else(|| format!("there's no exercise or chapter {entry}"));
        return Err(Usage(format!("the path `{}`: {why}", path.name)).into());
    }
    let (choice, changed) = put_on(notebook, &chapters, path, file)?;
    let size = Size::of(path, &chapters).in_words();
    let mut text = format!("Your path is `{}` now: {size}. ", path.name);
    if !choice.given.is_empty() {
        let given = count(choice.given.len(), "exercise");
        text += &format!("Given, with our bodies in your pages: {given}. ");
    }
    if !changed.again.is_empty() {
        let again = count(changed.again.len(), "exercise");
        text += &format!("No longer given: {again}. ");
    }
    text += &kept(&changed);
    let terminal = Terminal::of_stdout();
    let mut text = terminal.wrap("", text.trim_end());
    if path.skips_sections() {
        text += &plan(&terminal, path, &chapters);
    }
    for gap in gaps(path, &chapters) {
        text += &terminal.wrap_hanging("", "  ", &format!("But {gap}."));
    }
    terminal.print(&text);
    Ok(())
}

/// Lists the paths.
fn show(notebook: &Notebook) -> anyhow::Result<ExitCode> {
    let (terminal, chapters) = (Terminal::of_stdout(), StepChapter::all(&notebook.workbook)?);
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
        let Size { exercises, reading, writing } = Size::of(path, &chapters);
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

/// Lists the sections that a path includes and those that it skips, page by page, with the path's
/// exercises.
fn plan(terminal: &Terminal, path: &Path, chapters: &[StepChapter]) -> String {
    let mut text = String::from("\n");
    let mut add = |page: &str, what: &str| {
        text += &terminal.wrap_hanging(&format!("{page:<15}"), &" ".repeat(22), what);
    };
    if let Some(begins) = &path.begins {
        add("", &format!("first  {begins}"));
    }
    for chapter in chapters {
        if chapter.exercises_on(path).next().is_none() {
            add(chapter.name(), "skip   all of it");
            continue;
        }
        let mut page = "";
        for stretch in stretches(path, chapter.sections.sections()) {
            let numbers = stretch.sections.iter().flat_map(|section| &section.exercises);
            let on_it: Vec<&str> = chapter.exercises_on(path).map(|it| &*it.number).collect();
            let numbers: Vec<&str> =
                numbers.map(String::as_str).filter(|it| on_it.contains(it)).collect();
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
