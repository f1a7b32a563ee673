//! Plays every scene many times while the processors are busy: a transcript that depends on luck
//! shows here.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use anyhow::Context;

use crate::commands::notebook;
use crate::terminal::Terminal;
use crate::verdict::Verdict;
use scene::Step;

/// Plays every scene of a step `count` times, and reports each play that was not as expected.
pub(crate) fn soak(step: &Step, count: u32) -> anyhow::Result<ExitCode> {
    let terminal = Terminal::of_stdout();
    let program = std::env::current_exe().context("find this program")?;
    let dir = notebook(step)?.step(step.package);
    let plays = step.scenes.len() * usize::try_from(count)?;
    let cores = thread::available_parallelism().map_or(2, usize::from);
    let work = Work {
        step,
        program: &program,
        dir: &dir,
        plays,
        next: AtomicUsize::new(0),
        wrong: Mutex::new(Vec::new()),
        done: AtomicBool::new(false),
    };
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| work.spin());
        }
        // Each core has a loop that spins, and two scenes that want it.
        let players: Vec<_> = (0..2 * cores).map(|_| scope.spawn(|| work.play())).collect();
        for player in players {
            // A player that panicked has said so; the count below will show it as well.
            let _ = player.join();
        }
        work.done.store(true, Ordering::Relaxed);
    });
    let wrong = work.wrong.into_inner().unwrap_or_else(PoisonError::into_inner);
    for line in &wrong {
        terminal.print(&format!("{line}\n"));
    }
    let summary = format!("{}: {plays} plays, {} not as expected\n", step.package, wrong.len());
    terminal.print(&summary);
    Ok(if wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

struct Work<'a> {
    step: &'a Step,
    program: &'a Path,
    dir: &'a Path,
    plays: usize,
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

    /// Plays scene after scene, every kind in turn, until all plays are taken.
    fn play(&self) {
        loop {
            let play = self.next.fetch_add(1, Ordering::Relaxed);
            if play >= self.plays {
                return;
            }
            let scene = &self.step.scenes[play % self.step.scenes.len()];
            let wrong = match Verdict::of(self.program, scene, self.dir) {
                Ok(verdict) if verdict.is_green() => continue,
                Ok(verdict) => format!(
                    "{}: {}\n{}",
                    scene.name,
                    verdict.sentence(),
                    verdict.performance.transcript
                ),
                Err(error) => format!("{}: {error:#}", scene.name),
            };
            self.wrong.lock().unwrap_or_else(PoisonError::into_inner).push(wrong);
        }
    }
}
