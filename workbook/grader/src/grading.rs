//! Grades the notebooks, several simultaneously: copies each notebook and judges each page in a
//! separate process.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Instant, SystemTime};

use anyhow::{Context, ensure};
use lexopt::{Arg, Parser, ValueExt};

use crate::directory::{GradingDirectory, Used, leave_nothing, made_a_cgroup};
use crate::inside::read_at_most;
use crate::limits::Limits;
use crate::sandbox::Settings;
use crate::table::{self, PageOutcome, Row};
use crate::toolchain::Toolchain;
use crate::{handed_in, page};
use author::at_a_time::at_a_time;
use author::described::{self, program_of};
use judging::machine;
use judging::notebook::Notebook;
use judging::notebook::carried::Kept;
use judging::run::spawn_group;
use judging::sandbox;
use judging::step::FROM_SCRATCH;
use judging::terminal::Terminal;
use judging::workbook::Workbook;
use runner::Usage;
use rustix::process::geteuid;

/// The parsed command line.
#[derive(Debug, Default)]
struct Wanted {
    notebooks: Vec<PathBuf>,
    json: bool,
    seed: Option<u32>,
    at_once: Option<usize>,
    without_a_sandbox: bool,
}

/// Grades notebooks, given the words of the command line.
pub fn grade(workbook: &Workbook, words: &[&str]) -> anyhow::Result<ExitCode> {
    let wanted = Wanted::parse(words)?;
    let began = Instant::now();
    let seed = wanted.seed.unwrap_or_else(random);
    machine::look()?;
    // Other people's programs shouldn't get the descriptors that we've inherited.
    kit::close_at_exec().context("set close-on-exec on inherited descriptors")?;
    let directory = GradingDirectory::make(workbook)?;
    let toolchain = Toolchain::find(&workbook.root, &directory.dir)?;
    let limits = Limits::find(!wanted.without_a_sandbox);
    limits.cgroup().into_iter().for_each(made_a_cgroup);
    let terminal = Terminal::of_stdout();
    let grader =
        Grader { directory: &directory, programs: Vec::new(), limits: &limits, seed, toolchain };
    if limits.has_sandbox {
        grader.settings(0, None).try_out().map_err(no_sandbox)?;
    }
    if !wanted.json {
        terminal.print(&limits.described(&terminal));
        terminal.print(&format!("Seed {seed}; `--seed {seed}` tries the same programs again.\n\n"));
    }
    let programs = build_steps(workbook)?;
    let grader = Grader { programs, ..grader };
    let rows = grader.rows(&wanted);
    leave_nothing();
    let text = if wanted.json {
        table::told(&rows, seed, &limits)?
    } else {
        table::table(&rows, &limits, &terminal, began.elapsed())
    };
    terminal.print(&text);
    Ok(ExitCode::SUCCESS)
}

/// Judges all of a step's known answers twice, normally and in the sandbox, and compares the words
/// of the verdicts.
pub fn same_words(workbook: &Workbook, package: &str) -> anyhow::Result<ExitCode> {
    let step = described::step(workbook, package)?;
    author::same_words::same_words(&step, || {
        let directory = GradingDirectory::make(workbook)?;
        let toolchain = Toolchain::find(&workbook.root, &directory.dir)?;
        let limits = Limits::find(true);
        let programs = Vec::new();
        let grader =
            Grader { directory: &directory, programs, limits: &limits, seed: 0, toolchain };
        sandbox::set(grader.settings(0, None));
        Ok(())
    })
}

impl Wanted {
    fn parse(words: &[&str]) -> anyhow::Result<Wanted> {
        let mut wanted = Wanted::default();
        let mut parser = Parser::from_args(words);
        let usage = |error: lexopt::Error| Usage(error.to_string());
        while let Some(argument) = parser.next().map_err(usage)? {
            match argument {
                Arg::Long("json") => wanted.json = true,
                Arg::Long("without-a-sandbox") => wanted.without_a_sandbox = true,
                Arg::Long("seed") => {
                    wanted.seed = Some(parser.value().and_then(|it| it.parse()).map_err(usage)?);
                }
                Arg::Long("at-once") => {
                    wanted.at_once = Some(parser.value().and_then(|it| it.parse()).map_err(usage)?);
                }
                Arg::Value(dir) => wanted.notebooks.push(dir.into()),
                Arg::Long(other) => {
                    let known = ["--json", "--seed", "--at-once", "--without-a-sandbox"];
                    return Err(Usage::unknown("option", &format!("--{other}"), &known).into());
                }
                Arg::Short(other) => {
                    return Err(Usage::unknown("option", &format!("-{other}"), &["--json"]).into());
                }
            }
        }
        if wanted.notebooks.is_empty() {
            return Err(Usage(
                "name the notebooks to grade: cargo run -p grader -- DIR…".to_owned(),
            )
            .into());
        }
        Ok(wanted)
    }
}

/// Returns a random number for a trial's first program. A reader could look up the results of the
/// first thousand programs but can't predict this number.
fn random() -> u32 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    1000 + now.subsec_nanos() % 1_000_000_000
}

/// Builds the programs of all steps, with their scenes and trials, and the program of a loop from
/// scratch. Returns the path of each program, paired with the name of the program's package.
fn build_steps(workbook: &Workbook) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let parts = workbook.parts()?.into_iter();
    parts.map(|part| Ok((part.clone(), program_of(workbook, &part)?))).collect()
}

struct Grader<'a> {
    directory: &'a GradingDirectory,
    programs: Vec<(String, PathBuf)>,
    limits: &'a Limits,
    seed: u32,
    toolchain: Toolchain,
}

impl Grader<'_> {
    /// Grades all notebooks: by default, as many simultaneously as there are processors, because
    /// most of the work is compiling.
    fn rows(&self, wanted: &Wanted) -> Vec<Row> {
        let processors = thread::available_parallelism().map_or(2, usize::from);
        let at_once = wanted.at_once.unwrap_or(processors).clamp(1, wanted.notebooks.len());
        at_a_time(at_once, wanted.notebooks.len(), |worker, index| {
            let row = self.row(&wanted.notebooks[index], index, worker);
            if !wanted.json {
                eprintln!("{}", row.in_short());
            }
            row
        })
    }

    fn row(&self, dir: &Path, index: usize, worker: usize) -> Row {
        let began = Instant::now();
        let ours = self.directory.notebook(index);
        let mut used = Used::for_a_notebook(&ours);
        let steps = self.steps(dir, &ours, &mut used, (index, worker));
        drop(used);
        Row { notebook: dir.to_owned(), steps, took: began.elapsed() }
    }

    /// Grades a notebook's pages. Fails if the notebook can't be read.
    fn steps(
        &self,
        dir: &Path,
        ours: &Path,
        used: &mut Used,
        (index, worker): (usize, usize),
    ) -> Result<Vec<PageOutcome>, String> {
        let packages: Vec<String> = self.programs.iter().map(|(step, _)| step.clone()).collect();
        let mut kept: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut copied = || -> anyhow::Result<(Vec<bool>, Settings)> {
            let notebook = handed_in::open_notebook(dir, &packages)?;
            let copy =
                |step: &String| handed_in::copy_page(&notebook, step, &ours.join(step).join("src"));
            let pages = packages.iter().map(copy).collect::<anyhow::Result<Vec<bool>>>()?;
            if handed_in::is_of_an_earlier_edition(&notebook) {
                let mut copied = packages.iter().zip(&pages).filter(|(_, is_there)| **is_there);
                copied.try_for_each(|(step, _)| {
                    let why = self.carry_over(step, ours)?.into_iter().map(|it| it.why + ".");
                    kept.entry(step.clone()).or_default().extend(why);
                    anyhow::Ok(())
                })?;
            }
            let temporary =
                (!self.limits.has_sandbox).then(|| used.temporary(index, user_of(worker)));
            let settings = self.settings(worker, temporary.transpose()?);
            fs::create_dir_all(ours).context("make a directory for the copy")?;
            fs::create_dir_all(&settings.build).context("make a directory for compiled code")?;
            Ok((pages, settings))
        };
        let (copied, settings) = copied().map_err(|error| format!("{error:#}"))?;
        let pages = self.programs.iter().zip(copied);
        // A loop from scratch is optional, so it may be missing.
        Ok(pages
            .filter(|((step, _), is_there)| *is_there || step != FROM_SCRATCH)
            .map(|((step, program), is_there)| {
                if !is_there {
                    return PageOutcome::without_page(step);
                }
                let judged = self.judged((step, program), ours, &settings);
                judged
                    .unwrap_or_else(|error| PageOutcome::not_judged(step, format!("{error:#}")))
                    .with_kept(kept.get(step).into_iter().flatten())
            })
            .collect())
    }

    /// Creates an up-to-date page with the bodies of an older page.
    fn carry_over(&self, step: &str, ours: &Path) -> anyhow::Result<Vec<Kept>> {
        let before = ours.join(".before").join(step);
        fs::create_dir_all(ours.join(".before")).context("make a directory for older pages")?;
        fs::rename(ours.join(step), &before).context("move an older page aside")?;
        let notebook = Notebook { workbook: self.directory.workbook.clone(), dir: ours.to_owned() };
        notebook.carry_page(step, &before.join("src"))
    }

    fn settings(&self, worker: usize, without_a_sandbox: Option<PathBuf>) -> Settings {
        Settings {
            root: self.directory.workbook.root.clone(),
            build: self.directory.build(worker),
            without_a_sandbox,
            cgroup: self.limits.cgroup().map(Path::to_owned),
            user: user_of(worker),
            toolchain: self.toolchain.clone(),
        }
    }

    /// Judges the page of a step in a separate process.
    fn judged(
        &self,
        (step, program): (&str, &Path),
        ours: &Path,
        settings: &Settings,
    ) -> anyhow::Result<PageOutcome> {
        let mut command = Command::new(env::current_exe().context("find this program")?);
        command
            .args([page::GRADE, step])
            .args([program, ours])
            .current_dir(&self.directory.workbook.root)
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("CARGO_MANIFEST_DIR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut judge = spawn_group(&mut command).context("start the judge")?;
        let to_judge = judge.child.stdin.take().context("its input")?;
        let told = serde_json::to_writer(to_judge, &(settings, self.seed));
        let out = judge.child.stdout.take().context("its output")?;
        let err = judge.child.stderr.take().context("its errors")?;
        let errors = thread::spawn(move || read_at_most(err, LONGEST_WORDS).unwrap_or_default());
        let out = read_at_most(out, LONGEST_WORDS).context("read the judge's output");
        let status = judge.wait().context("wait for the judge")?;
        let errors = errors.join().unwrap_or_default();
        let errors = String::from_utf8_lossy(&errors);
        ensure!(status.success(), "the judge ended with {status}: {}", errors.trim());
        told.context("send the judge its task")?;
        serde_json::from_slice(&out?).context("parse the judge's output")
    }
}

/// The maximum size of a judge's output, in bytes.
const LONGEST_WORDS: u64 = 4 * 1024 * 1024;

/// Returns the user ID for the programs of a worker's notebooks, if we're root. The ID is from the
/// range that systemd uses for services while they run, so it doesn't belong to any person.
fn user_of(worker: usize) -> Option<u32> {
    let ids = 61_184..65_520;
    let number = u32::try_from(worker).unwrap_or_default() % (ids.end - ids.start);
    geteuid().is_root().then_some(ids.start + number)
}

/// Creates the error that says why there's no sandbox and what to do about it.
fn no_sandbox(why: anyhow::Error) -> anyhow::Error {
    why.context(NO_SANDBOX)
}

const NO_SANDBOX: &str = "grade runs other people's code in a sandbox made by bubblewrap, but bubblewrap can't make one \
    here.\n\
    - If bubblewrap isn't installed: apt-get install bubblewrap, or dnf install bubblewrap (0.8 or \
    later).\n\
    - If the kernel refuses: Ubuntu and some other systems let only root make a sandbox. Grade as \
    root, or allow everyone to make one until the next reboot: sudo sysctl \
    kernel.apparmor_restrict_unprivileged_userns=0 (elsewhere kernel.unprivileged_userns_clone=1).\n\
    - In Docker, start the container with --privileged.\n\
    - `--without-a-sandbox` grades without a sandbox, but then a page can do whatever you can.\n\
    What happened";
