//! A step's `watch`, for all pages that show it.
//!
//! It begins with the first page that wants it, and ends a while after the last one has gone: a reader
//! who turns a page comes back.

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

/// How often we look whether a page is left, and how long we wait for one.
const LOOK: Duration = Duration::from_secs(2);
const ALONE: Duration = Duration::from_secs(20);

/// The watches that run, by their steps.
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

/// What a page has to hear that comes later.
#[derive(Debug, Default)]
struct SoFar {
    /// How the watch began.
    begin: Vec<Bytes>,
    /// The last judgement that was made, with its verdict.
    settled: Vec<Bytes>,
    /// The one that's under way, as far as it has come.
    current: Vec<Bytes>,
}

impl Watches {
    pub(crate) fn new(root: &Path, programs: &Rc<Programs>) -> Rc<Self> {
        let (root, programs) = (root.to_owned(), Rc::clone(programs));
        Rc::new(Watches { root, programs, by_package: RefCell::default() })
    }

    /// Returns true if there's such a step.
    pub(crate) fn knows(&self, package: &str) -> bool {
        is_part(&self.root, package)
    }

    /// Adds a page to a step's watch, and returns its events. They begin with how things stand.
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
        let so_far = watch.so_far.borrow();
        let SoFar { begin, settled, current } = &*so_far;
        let known: Vec<Bytes> = begin.iter().chain(settled).chain(current).cloned().collect();
        drop(so_far);
        Ok(watch.pages.add(known))
    }

    /// Returns the steps that are watched, and by how many pages.
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
    /// Passes on what the program prints, until it ends or no page is left.
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
        let mut so_far = self.so_far.borrow_mut();
        match read["event"].as_str() {
            Some("begin" | "list" | "note") => so_far.begin.push(told.clone()),
            Some("saved") => so_far.current = vec![told.clone()],
            Some("verdict" | "error" | "not_judged") => {
                so_far.settled = std::mem::take(&mut so_far.current);
                so_far.settled.push(told.clone());
            }
            _ => so_far.current.push(told.clone()),
        }
        drop(so_far);
        self.pages.tell(&told);
    }
}
