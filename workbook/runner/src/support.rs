//! `cargo run -- report`: an attachment for a question about the workbook. It describes the
//! machine, the notebook's progress and the last verdict. It leaves out the reader's bodies, home
//! directory and name and the output of their program.

use std::env;
use std::fs;
use std::process::{Command, ExitCode};

use anyhow::Context;
use rustix::process::{Resource, getrlimit};

use crate::map::Map;
use judging::judge::State;
use judging::notebook::Notebook;
use judging::progress::last_verdict;
use judging::terminal::{Terminal, count};
use judging::workbook::Workbook;
use runner::part::Part;

const ABOUT: &str = "\
Read this report, then attach it to your question about the workbook. Your
home directory, your name and your program's output are left out.
";

const ABOUT_A_VERDICT: &str = "\
If the workbook calls a right answer wrong or a wrong answer right, add your
function and say why you disagree. This report doesn't contain your code.
";

/// Prints the report.
pub(crate) fn report(workbook: Workbook) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::of_stdout();
    let notebook = Notebook::of(workbook);
    let mut text = machine(&notebook);
    text += &notebook_s_state(&notebook)?;
    text += "\nthe last verdict\n";
    let verdict = last_verdict(&notebook).unwrap_or_else(|| "none yet\n".to_owned());
    for line in verdict.lines() {
        text += format!("  {line}").trim_end();
        text.push('\n');
    }
    let private = Private::of(&notebook.workbook);
    terminal.print(&format!("{ABOUT}\n{}\n{ABOUT_A_VERDICT}", private.removed_from(&text)));
    Ok(ExitCode::SUCCESS)
}

fn row(name: &str, value: &str) -> String {
    format!("{name:<10}{value}\n")
}

fn machine(notebook: &Notebook) -> String {
    let root = &notebook.workbook.root;
    let version = |program: &str| {
        let asked = Command::new(program).arg("--version").current_dir(root).output();
        let said = asked.ok().filter(|it| it.status.success());
        let said = said.map(|it| String::from_utf8_lossy(&it.stdout).into_owned());
        let first = said.as_ref().and_then(|said| said.lines().next());
        first.unwrap_or("not found").to_owned()
    };
    let proc = |file: &str| fs::read_to_string(file).unwrap_or_default().trim().to_owned();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let machine = format!("{}, {}", env::consts::ARCH, count(processors, "processor"));
    let kernel = proc("/proc/sys/kernel/osrelease");
    let limits = [
        ("open files", Resource::Nofile),
        ("processes", Resource::Nproc),
        ("bytes of address space", Resource::As),
    ];
    let limits = limits.map(|(what, resource)| match getrlimit(resource).current {
        Some(limit) => format!("{limit} {what}"),
        None => format!("no limit for {what}"),
    });
    row("workbook", env!("CARGO_PKG_VERSION"))
        + &row("rustc", &version("rustc"))
        + &row("cargo", &version("cargo"))
        + &row("kernel", &format!("Linux {kernel}"))
        + &row("machine", &machine)
        + &row("pages", &page_size(&proc("/proc/self/smaps")))
        + &row("limits", &limits.join(", "))
        + &row("strace", &version("strace"))
}

/// Returns the size of a memory page, as the kernel reports it for our first mapping.
fn page_size(smaps: &str) -> String {
    let line = smaps.lines().find_map(|line| line.strip_prefix("KernelPageSize:"));
    line.unwrap_or("unknown").trim().to_owned()
}

fn notebook_s_state(notebook: &Notebook) -> anyhow::Result<String> {
    let map = Map::of(notebook).context("read the notebook")?;
    let mut text = String::from("\nthe notebook\n");
    text += &format!(
        "  path {}, own layers: {}\n",
        map.path.name,
        match notebook.own_layers()? {
            own if own.is_empty() => "none".to_owned(),
            own => own.join(", "),
        }
    );
    text.extend(map.parts().map(|part| format!("  {}\n", in_short(part))));
    Ok(text)
}

/// Returns a line that describes the reader's progress in a step.
fn in_short(part: &Part<'_>) -> String {
    let state = match &part.progress {
        _ if part.to_write() == 0 => "given",
        None => "not started",
        Some(progress) if !progress.is_current => "changed since it was judged",
        Some(progress) if progress.is_green => "green",
        Some(_) => "judged in this state",
    };
    let next = part.left().next().map(|next| format!(", next {} {}", next.number, next.name));
    let (green, given) = (part.count(State::Green), part.count(State::Given));
    let (package, to_write, next) = (part.step.package, part.to_write(), next.unwrap_or_default());
    format!("{package}: {green} of {to_write} green, {given} given, {state}{next}")
}

/// The strings that a report mustn't contain, each with its replacement.
struct Private(Vec<(String, &'static str)>);

impl Private {
    fn of(workbook: &Workbook) -> Private {
        let variable = |name| env::var(name).ok().filter(|value| value.len() > 1);
        let root = Some((workbook.root.display().to_string(), "(workbook)"));
        let home = variable("HOME").map(|home| (home, "~"));
        let user = variable("USER").or(variable("LOGNAME")).filter(|user| user != "root");
        let user = user.map(|user| (user, "(user)"));
        Private([root, home, user].into_iter().flatten().collect())
    }

    /// Replaces each private string wherever it occurs as a whole word.
    fn removed_from(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, (private, instead)| {
            let mut left = text.as_str();
            let mut made = String::new();
            while let Some(at) = left.find(private.as_str()) {
                let (before, rest) = left.split_at(at);
                let after = &rest[private.len()..];
                let is_inside = before.ends_with(char::is_alphanumeric)
                    || after.starts_with(char::is_alphanumeric);
                made += before;
                made += if is_inside { private } else { instead };
                left = after;
            }
            made + left
        })
    }
}
