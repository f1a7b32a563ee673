//! `-- watch`: judges the page whenever the reader saves it, until Ctrl-C.
//!
//! Each judgement runs in a separate process of this same program. If the reader saves before the
//! judgement is done, we stop that process, with its compilers and scenes, and start a new
//! judgement. The report comes through a pipe, so the last verdict stays on the screen until the
//! next verdict arrives. With `--json`, each line is passed on immediately.
//!
//! - `sources.rs`: the files that we check for changes;
//! - `saves.rs`: detects saves with inotify;
//! - `judgement.rs`: one judgement, in its process;
//! - `screen.rs`: the reader's view.

mod judgement;
mod saves;
mod screen;
mod sources;

use std::process::ExitCode;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::bail;

use crate::arguments::Form;
use crate::class;
use crate::commands::{show_told, tell_list, tell_opened};
use crate::events;
use crate::part::Part;
use judgement::Judging;
use judging::Step;
use judging::notebook::Notebook;
use judging::terminal::shown;
use saves::Saves;
use screen::Screen;
use sources::Sources;

/// The time for which we wait for further saves before we judge. An editor can write several files
/// and can write each file in several steps.
const QUIET: Duration = Duration::from_millis(20);
/// The time for which we wait for a missing file, since an editor can delete a file and then create
/// it again.
const GONE: Duration = Duration::from_millis(500);
/// The interval at which we check for changes ourselves, because some file systems, such as network
/// file systems and Windows drives in WSL 2, don't report changes.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// An event for the main loop of `watch`.
enum News {
    /// A source file may have changed.
    Saved,
    /// The judgement with this number has sent a line for another program.
    Said { number: u64, line: String },
    /// The judgement with this number has ended with this report.
    Judged { number: u64, report: Vec<u8> },
    /// The attempt to send a report to the reader's class has ended, with this outcome.
    Told { words: String },
}

/// Judges a step's page on every save.
pub(crate) fn watch(step: &Step, form: Form) -> anyhow::Result<ExitCode> {
    if form == Form::Json {
        events::begin("watch", step.package);
    }
    let notebook = Notebook::of_step(step)?;
    let (page, opened) = notebook.open(step)?;
    tell_opened(&page, &opened, form);
    if form == Form::Json {
        tell_list(&notebook, &Part::noted(&notebook, step))?;
    }
    let (tell, news) = mpsc::channel();
    let mut watching = Watching {
        notebook: notebook.clone(),
        saves: Saves::begin(tell.clone()),
        sources: Sources::of(&notebook, step.package)?,
        screen: Screen::of_stdout(shown(&page.dir()), form),
        form,
        judging: None,
        judgements: 0,
        tell,
        news,
    };
    watching.judge()?;
    while watching.goes_on()? {}
    Ok(ExitCode::FAILURE)
}

struct Watching {
    notebook: Notebook,
    saves: Saves,
    sources: Sources,
    screen: Screen,
    form: Form,
    /// The judgement in progress.
    judging: Option<Judging>,
    /// The number of judgements that have begun.
    judgements: u64,
    tell: Sender<News>,
    news: Receiver<News>,
}

impl Watching {
    /// Waits for news and handles it. Returns false once standard output is closed.
    fn goes_on(&mut self) -> anyhow::Result<bool> {
        match self.news.recv_timeout(LOOK_AGAIN) {
            Ok(News::Saved) => self.judge_again()?,
            Ok(News::Said { number, line }) => {
                if self.judging.as_ref().is_some_and(|judging| judging.number == number) {
                    self.screen.pass_on(&line);
                }
            }
            Ok(News::Judged { number, report }) => {
                let ended = self.judging.take_if(|judging| judging.number == number);
                if let Some(judging) = ended {
                    let (took, status) = judging.end();
                    let has_verdict = status.is_some_and(|status| status.success());
                    if has_verdict {
                        self.tell_class();
                    }
                    return Ok(self.screen.show(&report, has_verdict.then_some(took), status));
                }
            }
            Ok(News::Told { words }) => show_told(&words, self.form),
            Err(RecvTimeoutError::Timeout) => {
                if !self.sources.changed().is_empty() {
                    self.judge_again()?;
                }
            }
            Err(RecvTimeoutError::Disconnected) => bail!("the threads of `watch` have ended"),
        }
        Ok(true)
    }

    /// Sends a report on the verdict to the reader's class while the reader reads the verdict.
    fn tell_class(&self) {
        let (notebook, tell) = (self.notebook.clone(), self.tell.clone());
        thread::spawn(move || {
            // If `watch` is exiting, this news is no longer needed.
            class::tell(&notebook).map(|words| tell.send(News::Told { words }))
        });
    }

    /// Cancels the judgement in progress and judges again once the files stop changing.
    fn judge_again(&mut self) -> anyhow::Result<()> {
        if let Some(judging) = self.judging.take() {
            judging.cancel();
            self.screen.interrupted();
        }
        self.screen.judging();
        let saved = Instant::now();
        while self.hears_of_a_save(QUIET) || self.waits_for_a_file(saved) {}
        self.screen.saved(&self.sources.changed());
        self.judge()
    }

    /// Returns true if there's another save within this time.
    fn hears_of_a_save(&self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.news.recv_timeout(left) {
                Ok(News::Saved) => return true,
                Ok(News::Told { words }) => show_told(&words, self.form),
                // This news comes from a judgement that was cancelled.
                Ok(News::Said { .. } | News::Judged { .. }) => (),
                Err(_) => return false,
            }
        }
    }

    fn waits_for_a_file(&self, saved: Instant) -> bool {
        saved.elapsed() < GONE && !self.sources.are_all_there()
    }

    /// Begins a judgement.
    ///
    /// Fails if the page was moved or deleted, because judging would create a new page.
    fn judge(&mut self) -> anyhow::Result<()> {
        if !self.sources.has_page() {
            let page = &self.screen.page;
            bail!(
                "{page} no longer exists: it was moved or deleted, so there's nothing left to watch. \
                 Move it back, or begin a new page with the same command"
            );
        }
        self.sources.look();
        self.saves.watch(self.sources.dirs());
        self.judgements += 1;
        let judging = Judging::begin(self.judgements, self.form, self.tell.clone())?;
        self.judging = Some(judging);
        Ok(())
    }
}
