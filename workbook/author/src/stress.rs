//! Runs every scene and every trial many times while the processors are busy, to find transcripts
//! that depend on timing.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use judging::Step;
use judging::step::Check;
use judging::terminal::Terminal;
use judging::verdict::Effort;

/// Runs each of a step's scenes and trials `count` times and reports each run that wasn't as
/// expected. A trial compares the reference with itself, because the reference's results have to be
/// the same each time.
pub fn stress(step: &Step, count: u32) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::of_stdout();
    let checks: Vec<Check> = step.scenes.iter().chain(step.trials).copied().collect();
    let runs = checks.len() * usize::try_from(count)?;
    let cores = thread::available_parallelism().map_or(2, usize::from);
    let work = Work {
        step,
        checks,
        runs,
        next: AtomicUsize::new(0),
        wrong: Mutex::new(Vec::new()),
        done: AtomicBool::new(false),
    };
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| work.spin());
        }
        // For each core, two runs compete with a spinning loop.
        let runners: Vec<_> = (0..2 * cores).map(|_| scope.spawn(|| work.run_checks())).collect();
        for runner in runners {
            if runner.join().is_err() {
                work.report("a thread of the runner panicked".to_owned());
            }
        }
        work.done.store(true, Ordering::Relaxed);
    });
    let wrong = work.wrong.into_inner().unwrap_or_else(PoisonError::into_inner);
    for line in &wrong {
        terminal.print(&format!("{line}\n"));
    }
    let summary = format!("{}: {runs} runs, {} not as expected\n", step.package, wrong.len());
    terminal.print(&summary);
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Work<'a> {
    step: &'a Step,
    /// The step's scenes and trials.
    checks: Vec<Check>,
    runs: usize,
    next: AtomicUsize,
    wrong: Mutex<Vec<String>>,
    done: AtomicBool,
}

impl Work<'_> {
    fn spin(&self) {
        while !self.done.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
    }

    /// Runs the scenes and trials in turn until no runs are left.
    fn run_checks(&self) {
        loop {
            let run = self.next.fetch_add(1, Ordering::Relaxed);
            if run >= self.runs {
                return;
            }
            let check = self.checks[run % self.checks.len()];
            let name = check.name;
            let verdict = check.of_a_program(self.step, self.step.reference, Effort::for_a_check());
            let wrong = match verdict {
                Ok(verdict) if verdict.is_green() => continue,
                Ok(verdict) => {
                    format!("{name}: {}\n{}", verdict.sentence(), verdict.run.transcript)
                }
                Err(error) => format!("{name}: {error:#}"),
            };
            self.report(wrong);
        }
    }

    fn report(&self, wrong: String) {
        self.wrong.lock().unwrap_or_else(PoisonError::into_inner).push(wrong);
    }
}
