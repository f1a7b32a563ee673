//! Runs every scene and every trial many times while the processors are busy, to find transcripts
//! that depend on timing.

use std::process::ExitCode;
use std::sync::Arc;
use std::thread;

use super::at_a_time::at_a_time;
use super::attempt::described;
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
    let busy = Arc::new(());
    for _ in 0..cores {
        let busy = Arc::downgrade(&busy);
        // Each loop spins until this function drops `busy`.
        thread::spawn(move || {
            while busy.strong_count() > 0 {
                std::hint::spin_loop();
            }
        });
    }
    // For each core, two runs compete with a spinning loop.
    let wrong = at_a_time(2 * cores, runs, |_, run| unexpected(step, checks[run % checks.len()]));
    drop(busy);
    let wrong: Vec<String> = wrong.into_iter().flatten().collect();
    for line in &wrong {
        terminal.print(&format!("{line}\n"));
    }
    let summary = format!("{}: {runs} runs, {} not as expected\n", step.package, wrong.len());
    terminal.print(&summary);
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs a scene or a trial once. Returns a report unless the run was as expected.
fn unexpected(step: &Step, check: Check) -> Option<String> {
    match check.of_a_program(step, step.reference, Effort::for_a_check()) {
        Ok(verdict) => (!verdict.is_green()).then(|| described(&verdict)),
        Err(error) => Some(format!("{}: {error:#}", check.name)),
    }
}
