//! Step 03's selector for Python's `selectors`: it stores Python's keys, and Python sleeps in the
//! selector's `select`.

use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use step03_selector::{EpollSelector, Interest, ReadyEvent, Selector};

use crate::errors::{calling, calling_at, raise};
use crate::gil::borrow_fd;
use crate::watchdog::{self, Place};

/// The values of `selectors.EVENT_READ` and `EVENT_WRITE`.
const EVENT_READ: u8 = 1;
const EVENT_WRITE: u8 = 2;

/// A registration's data: Python's `SelectorKey`. The layer clones it for each event and may do so
/// while another thread holds the GIL, which Python's own reference count wouldn't allow.
type Key = Arc<Py<PyAny>>;

/// The half of `workbook.Selector` that's written in Rust. It takes the place of `select.epoll`.
#[pyclass(name = "Selector", module = "workbook._loop")]
pub(crate) struct SelectorOfStep03 {
    /// `None` once the selector is closed.
    selector: Option<EpollSelector<Key>>,
    /// The list that each call to `select` fills. We keep it so that its memory can be reused.
    ready: Vec<ReadyEvent<Key>>,
}

#[pymethods]
impl SelectorOfStep03 {
    #[new]
    fn new() -> PyResult<Self> {
        let selector = calling(|| EpollSelector::new().map_err(raise))?;
        Ok(SelectorOfStep03 { selector: Some(selector), ready: Vec::new() })
    }

    fn register(&mut self, fd: RawFd, events: u8, key: Py<PyAny>) -> PyResult<()> {
        let (selector, fd) = (self.open()?, borrow_fd(fd)?);
        calling(|| selector.register(fd, interest(events), Arc::new(key)).map_err(raise))
    }

    fn modify(&mut self, fd: RawFd, events: u8, key: Py<PyAny>) -> PyResult<()> {
        let (selector, fd) = (self.open()?, borrow_fd(fd)?);
        calling(|| selector.modify(fd, interest(events), Arc::new(key)).map_err(raise)).map(drop)
    }

    fn unregister(&mut self, fd: RawFd) -> PyResult<()> {
        let (selector, fd) = (self.open()?, borrow_fd(fd)?);
        calling(|| selector.unregister(fd).map_err(raise)).map(drop)
    }

    /// Sleeps until a descriptor is ready, or for `timeout` seconds. During the sleep, other
    /// threads can hold the GIL. Returns what `select` returns in Python's `selectors`: a list with
    /// a pair for each ready descriptor, its key and its events.
    ///
    /// A signal ends the layer's wait early. In that case Python's handler runs, and unless it
    /// raises an exception, the selector sleeps for the rest of the time, as PEP 475 requires.
    #[pyo3(signature = (timeout=None))]
    fn select(&mut self, py: Python<'_>, timeout: Option<f64>) -> PyResult<Vec<(Py<PyAny>, u8)>> {
        let timeout = timeout.map(duration);
        // If the time is too far ahead for the clock, there's no deadline.
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut left = timeout;
        watchdog::expect_in(timeout);
        let mut ready = std::mem::take(&mut self.ready);
        loop {
            let selector = self.open()?;
            watchdog::turn();
            calling_at(Place::Select, || {
                py.detach(|| selector.select(left, &mut ready)).map_err(raise)
            })?;
            if !ready.is_empty() {
                break;
            }
            py.check_signals()?;
            left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if timeout.is_some_and(|timeout| timeout.is_zero()) || left == Some(Duration::ZERO) {
                break;
            }
        }
        watchdog::done();
        let found = ready.drain(..);
        let found = found.map(|event| (event.data.clone_ref(py), events(event.interest))).collect();
        self.ready = ready;
        Ok(found)
    }

    /// Returns the epoll object's own descriptor.
    fn fileno(&mut self) -> PyResult<RawFd> {
        Ok(self.open()?.as_fd().as_raw_fd())
    }

    fn close(&mut self) {
        let selector = self.selector.take();
        drop(selector);
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let keys = self.selector.iter().flat_map(EpollSelector::keys);
        keys.into_iter().try_for_each(|key| visit.call(&*key.data))
    }

    fn __clear__(&mut self) {
        self.close();
    }
}

impl SelectorOfStep03 {
    fn open(&mut self) -> PyResult<&mut EpollSelector<Key>> {
        // Python's own epoll object gives this message.
        self.selector
            .as_mut()
            .ok_or_else(|| PyValueError::new_err("I/O operation on closed epoll object"))
    }
}

fn interest(events: u8) -> Interest {
    let mut interest = Interest::NONE;
    if events & EVENT_READ != 0 {
        interest |= Interest::READABLE;
    }
    if events & EVENT_WRITE != 0 {
        interest |= Interest::WRITABLE;
    }
    interest
}

fn events(interest: Interest) -> u8 {
    let readable = u8::from(interest.contains(Interest::READABLE)) * EVENT_READ;
    let writable = u8::from(interest.contains(Interest::WRITABLE)) * EVENT_WRITE;
    readable | writable
}

/// Converts Python's seconds to a duration. A negative time becomes zero, and a time that's too
/// long becomes the maximum.
fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)
}
