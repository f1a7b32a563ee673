//! A step's `watch`, for all pages that show it.
//!
//! The watch starts with the first page that requests it and stops a while after the last page was
//! closed, because a reader who turns a page may come back.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use asyncio::create_task;
use bytes::Bytes;
use futures_util::Stream;
use hyper::StatusCode;
use serde_json::Value;

use crate::asks::{is_part, over};
use crate::listeners::{Listeners, event};
use crate::program::{Program, Programs};
use crate::replies::Refusal;

/// The interval at which we check for remaining pages, and the time after which we stop a watch
/// that no page shows.
const LOOK: Duration = Duration::from_secs(2);
const ALONE: Duration = Duration::from_secs(20);

/// The watches that are running, by step.
#[derive(Debug)]
pub(crate) struct Watches {
    root: PathBuf,
    programs: Rc<Programs>,
    by_package: RefCell<BTreeMap<String, Rc<Watch>>>,
}

/// A step's watch.
#[derive(Debug, Default)]
struct Watch {
    pages: Listeners,
    so_far: RefCell<SoFar>,
}

/// The events that we keep for pages that connect later.
#[derive(Debug, Default)]
struct SoFar {
    /// The beginning of the watch.
    begin: Kept,
    /// The last complete judgement, with its verdict and the notes after the verdict.
    settled: Kept,
    /// The judgement in progress, so far.
    current: Kept,
}

/// A list of events. Its size is limited, because a program can print forever.
#[derive(Debug, Default)]
struct Kept {
    events: Vec<Bytes>,
    size: usize,
}

/// The maximum size of each [`Kept`], in bytes. A page that connects later doesn't receive anything
/// that a program printed beyond this limit, but a compiler's most important errors usually come
/// first.
const MOST_KEPT: usize = 1 << 20;

impl Kept {
    fn add(&mut self, event: &Bytes) {
        if self.size + event.len() <= MOST_KEPT {
            self.size += event.len();
            self.events.push(event.clone());
        }
    }

    /// Adds an event even beyond the limit, because this event mustn't be missing.
    fn end(&mut self, event: &Bytes) {
        self.size += event.len();
        self.events.push(event.clone());
    }
}

impl SoFar {
    fn take(&mut self, kind: Option<&str>, told: &Bytes) {
        let is_beginning = self.settled.events.is_empty() && self.current.events.is_empty();
        match kind {
            Some("begin" | "list" | "note") if is_beginning => self.begin.add(told),
            Some("saved") => {
                self.current = Kept::default();
                self.current.add(told);
            }
            Some("verdict" | "error" | "not_judged") => {
                self.settled = std::mem::take(&mut self.current);
                self.settled.end(told);
            }
            // A note that follows a verdict is stored with the verdict. For example, the note can
            // say that the reader's class has received the verdict.
            Some("note") if self.current.events.is_empty() => self.settled.add(told),
            _ => self.current.add(told),
        }
    }

    fn all(&self) -> Vec<Bytes> {
        let SoFar { begin, settled, current } = self;
        [begin, settled, current].into_iter().flat_map(|kept| kept.events.clone()).collect()
    }
}

impl Watches {
    pub(crate) fn new(root: &Path, programs: &Rc<Programs>) -> Rc<Self> {
        let (root, programs) = (root.to_owned(), Rc::clone(programs));
        Rc::new(Watches { root, programs, by_package: RefCell::default() })
    }

    /// Returns true if this package has exercises.
    pub(crate) fn knows(&self, package: &str) -> bool {
        is_part(&self.root, package)
    }

    /// Adds a page to a step's watch and returns the page's events, which begin with the current
    /// state.
    pub(crate) fn listen(
        self: &Rc<Self>,
        package: &str,
    ) -> Result<impl Stream<Item = Bytes> + 'static, Refusal> {
        let running = self.by_package.borrow().get(package).cloned();
        let watch = match running {
            Some(watch) => watch,
            None => self
                .begin(package)
                .map_err(|_| Refusal(StatusCode::SERVICE_UNAVAILABLE, "cargo can't be started"))?,
        };
        let known = watch.so_far.borrow().all();
        Ok(watch.pages.add(known))
    }

    /// Returns the watched steps, each with its number of pages.
    pub(crate) fn counts(&self) -> Vec<(String, usize)> {
        let by_package = self.by_package.borrow();
        by_package.iter().map(|(name, watch)| (name.clone(), watch.pages.count())).collect()
    }

    /// Ends all streams.
    pub(crate) fn end(&self) {
        for watch in self.by_package.borrow().values() {
            watch.pages.end();
        }
    }

    fn begin(self: &Rc<Self>, package: &str) -> asyncio::Result<Rc<Watch>> {
        let words = ["-p", package, "--", "watch", "--json"].map(str::to_owned);
        let program = self.programs.cargo_run(&words)?;
        let watch = Rc::new(Watch::default());
        self.by_package.borrow_mut().insert(package.to_owned(), Rc::clone(&watch));
        let (watches, package) = (Rc::clone(self), package.to_owned());
        let (passed_on, name) = (Rc::clone(&watch), format!("watch of {package}"));
        let task = create_task(async move {
            let passed = passed_on.pass_on(program).await;
            watches.by_package.borrow_mut().remove(&package);
            passed_on.pages.end();
            passed
        })?;
        task.set_name(&name);
        Ok(watch)
    }
}

impl Watch {
    /// Passes on the program's output until the program ends or there has been no page for a while.
    async fn pass_on(&self, mut program: Program) -> asyncio::Result<()> {
        let mut seen = Instant::now();
        loop {
            match program.line_within(LOOK).await {
                Some(Ok(Some(line))) => self.take(&line),
                Some(Ok(None)) => {
                    self.pages.tell(&event(&over(program.ended().await)));
                    return Ok(());
                }
                Some(Err(error)) => {
                    self.pages.tell(&event(&over(Err(error.clone()))));
                    return Err(error);
                }
                None if self.pages.count() > 0 => seen = Instant::now(),
                None if seen.elapsed() > ALONE => return Ok(()),
                None => {}
            }
        }
    }

    fn take(&self, line: &str) {
        let told = event(line);
        let read: Value = serde_json::from_str(line).unwrap_or_default();
        self.so_far.borrow_mut().take(read["event"].as_str(), &told);
        self.pages.tell(&told);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(so_far: &SoFar) -> Vec<String> {
        so_far.all().iter().map(|event| String::from_utf8_lossy(event).into_owned()).collect()
    }

    fn so_far(kinds: &[&str]) -> SoFar {
        let mut so_far = SoFar::default();
        for (at, kind) in kinds.iter().enumerate() {
            so_far.take(Some(kind), &Bytes::from(format!("{kind} {at}")));
        }
        so_far
    }

    #[test]
    fn a_page_that_comes_later_hears_the_last_judgement_and_the_one_that_is_under_way() {
        let first = ["begin", "list", "note", "compiling", "judging", "verdict", "note"];
        let later = ["saved", "compiling", "verdict", "note", "saved", "compiling"];
        let told = told(&so_far(&[&first[..], &later].concat()));
        let expected = [
            "begin 0",
            "list 1",
            "note 2",
            "saved 7",
            "compiling 8",
            "verdict 9",
            "note 10",
            "saved 11",
            "compiling 12",
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn what_is_kept_for_later_pages_does_not_grow_for_ever() {
        let mut so_far = so_far(&["begin", "list", "compiling"]);
        let long = Bytes::from(vec![b'x'; 1000]);
        let sum = |so_far: &SoFar| so_far.all().iter().map(Bytes::len).sum::<usize>();
        for kind in ["problem", "note", "something new"] {
            for _ in 0..5000 {
                so_far.take(Some(kind), &long);
            }
        }
        assert!((MOST_KEPT / 2..2 * MOST_KEPT).contains(&sum(&so_far)), "{}", sum(&so_far));
        so_far.take(Some("verdict"), &Bytes::from("the verdict"));
        assert_eq!(told(&so_far).last().map(String::as_str), Some("the verdict"));
        for _ in 0..5000 {
            so_far.take(Some("note"), &long);
            so_far.take(Some("saved"), &long);
            so_far.take(Some("verdict"), &long);
        }
        assert!(sum(&so_far) < 10_000, "{}", sum(&so_far));
    }
}
