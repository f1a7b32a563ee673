//! Grades the notebooks, several at a time: copies each, and lets a process of its own judge each page.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Instant, SystemTime};

use anyhow::{Context, ensure};
use lexopt::{Arg, Parser, ValueExt};

use crate::limits::Limits;
use crate::place::Place;
use crate::table::{self, Row, Step};
use crate::{handed_in, page};
use author::described::program_of;
use judging::run::spawn_group;
use judging::terminal::Terminal;
use judging::workbook::Workbook;
use runner::Usage;

/// The command line.
#[derive(Debug, Default)]
struct Wanted {
    notebooks: Vec<PathBuf>,
    json: bool,
    seed: Option<u32>,
    at_once: Option<usize>,
}

/// Grades notebooks, given the words after `grade`.
pub fn grade(workbook: &Workbook, words: &[&str]) -> anyhow::Result<ExitCode> {
    let wanted = Wanted::parse(words)?;
    let began = Instant::now();
    let seed = wanted.seed.unwrap_or_else(random);
    let place = Place::make(workbook)?;
    let limits = Limits::find();
    let terminal = Terminal::of_stdout();
    if !wanted.json {
        terminal.print(&limits.described(&terminal));
        terminal.print(&format!("Seed {seed}; `--seed {seed}` tries the same programs again.\n\n"));
    }
    let programs = build_steps(workbook)?;
    let grader = Grader { place: &place, programs, limits: &limits, seed };
    let rows = grader.rows(&wanted);
    limits.clean_up();
    let text = if wanted.json {
        table::told(&rows, seed, &limits)
    } else {
        table::table(&rows, &terminal, began.elapsed())
    };
    terminal.print(&text);
    Ok(ExitCode::SUCCESS)
}

impl Wanted {
    fn parse(words: &[&str]) -> anyhow::Result<Wanted> {
        let mut wanted = Wanted::default();
        let mut parser = Parser::from_args(words);
        let usage = |error: lexopt::Error| Usage(error.to_string());
        while let Some(argument) = parser.next().map_err(usage)? {
            match argument {
                Arg::Long("json") => wanted.json = true,
                Arg::Long("seed") => {
                    wanted.seed = Some(parser.value().and_then(|it| it.parse()).map_err(usage)?);
                }
                Arg::Long("at-once") => {
                    wanted.at_once = Some(parser.value().and_then(|it| it.parse()).map_err(usage)?);
                }
                Arg::Value(dir) => wanted.notebooks.push(dir.into()),
                Arg::Long(other) => {
                    let known = ["--json", "--seed", "--at-once"];
                    return Err(Usage::unknown("option", &format!("--{other}"), &known).into());
                }
                Arg::Short(other) => {
                    return Err(Usage::unknown("option", &format!("-{other}"), &["--json"]).into());
                }
            }
        }
        if wanted.notebooks.is_empty() {
            return Err(
                Usage("the notebooks are missing: cargo run -p grader -- DIR…".to_owned()).into()
            );
        }
        Ok(wanted)
    }
}

/// Returns a number that no reader knows. The first thousand programs can be played by hand.
fn random() -> u32 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    1000 + now.subsec_nanos() % 1_000_000_000
}

/// Builds the programs of all steps, which have the scenes and the trials. Returns each with its package.
fn build_steps(workbook: &Workbook) -> anyhow::Result<Vec<(String, PathBuf)>> {
    let steps = workbook.steps()?.into_iter();
    steps.map(|step| Ok((step.clone(), program_of(workbook, &step)?))).collect()
}

struct Grader<'a> {
    place: &'a Place,
    programs: Vec<(String, PathBuf)>,
    limits: &'a Limits,
    seed: u32,
}

impl Grader<'_> {
    /// Grades all notebooks, as many at a time as there are processors: compiling is most of the work.
    fn rows(&self, wanted: &Wanted) -> Vec<Row> {
        let processors = thread::available_parallelism().map_or(2, usize::from);
        let at_once = wanted.at_once.unwrap_or(processors).clamp(1, wanted.notebooks.len());
        let next = AtomicUsize::new(0);
        let rows = Mutex::new(Vec::new());
        let work = |worker| {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(dir) = wanted.notebooks.get(index) else { return };
                let row = self.row(dir, index, worker);
                if !wanted.json {
                    eprintln!("{}", row.in_short());
                }
                rows.lock().unwrap_or_else(PoisonError::into_inner).push((index, row));
            }
        };
        let work = &work;
        thread::scope(|scope| {
            (0..at_once).for_each(|worker| drop(scope.spawn(move || work(worker))));
        });
        let mut rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
        rows.sort_by_key(|(index, _)| *index);
        rows.into_iter().map(|(_, row)| row).collect()
    }

    fn row(&self, dir: &Path, index: usize, worker: usize) -> Row {
        let began = Instant::now();
        let (ours, temporary) = (self.place.notebook(index), Place::temporary(index));
        let blames = ours.with_file_name(format!("notebook-{index}-blame"));
        for left in [&ours, &blames, &temporary] {
            let _ = fs::remove_dir_all(left);
        }
        let build = self.place.build(worker);
        let steps = self.steps(dir, &ours, &temporary, &build);
        for ours in [&ours, &blames, &temporary] {
            let _ = fs::remove_dir_all(ours);
        }
        Row { notebook: dir.to_owned(), steps, took: began.elapsed() }
    }

    /// Grades the pages of a notebook. The error is for one that can't be read.
    fn steps(
        &self,
        dir: &Path,
        ours: &Path,
        temporary: &Path,
        build: &Path,
    ) -> Result<Vec<Step>, String> {
        let packages: Vec<String> = self.programs.iter().map(|(step, _)| step.clone()).collect();
        let copied = || -> anyhow::Result<Vec<bool>> {
            let notebook = handed_in::open_notebook(dir, &packages)?;
            let copy = |step: &String| {
                handed_in::copy_page(&notebook, step, &ours.join(step).join("src"), "../../..")
            };
            let pages: anyhow::Result<Vec<bool>> = packages.iter().map(copy).collect();
            fs::create_dir_all(ours).context("make its copy")?;
            fs::create_dir_all(build).context("make its directory for building")?;
            fs::create_dir(temporary).context("make its directory for temporary files")?;
            pages
        };
        let copied = copied().map_err(|error| format!("{error:#}"))?;
        let pages = self.programs.iter().zip(copied);
        Ok(pages
            .map(|((step, program), is_there)| {
                if !is_there {
                    return Step::without_page(step);
                }
                self.judged((step, program), ours, temporary, build)
                    .unwrap_or_else(|error| Step::not_judged(step, format!("{error:#}")))
            })
            .collect())
    }

    /// Judges the page of a step, in a process of its own.
    fn judged(
        &self,
        (step, program): (&str, &Path),
        ours: &Path,
        temporary: &Path,
        build: &Path,
    ) -> anyhow::Result<Step> {
        let mut command = Command::new(env::current_exe().context("find this program")?);
        command
            .args([page::GRADE, step])
            .args([program, ours])
            .current_dir(&self.place.workbook.root)
            .env(page::TEMPORARY, temporary)
            .env(page::BUILD, build)
            .env(page::SEED, self.seed.to_string())
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("CARGO_MANIFEST_DIR")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(cgroup) = self.limits.cgroup() {
            command.env(page::CGROUP, cgroup);
        }
        let mut judge = spawn_group(&mut command).context("start the judge")?;
        let out = judge.child.stdout.take().context("its output")?;
        let err = judge.child.stderr.take().context("its errors")?;
        let errors = thread::spawn(move || std::io::read_to_string(err).unwrap_or_default());
        let out = std::io::read_to_string(out).context("read its output")?;
        let status = judge.wait().context("wait for the judge")?;
        let errors = errors.join().unwrap_or_default();
        ensure!(status.success(), "the judge ended with {status}: {}", errors.trim());
        Step::parse(&out).context("understand the judge")
    }
}
