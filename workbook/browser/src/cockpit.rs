//! The cockpit's server for a test. The server works on a copy of the workbook, which has a
//! separate notebook.

use std::fs;
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use serde_json::json;

use crate::{Tab, book, forget_cargo};

/// The time limit for a first run, which compiles the step's program and the notebook, perhaps on a
/// busy machine.
const COMPILES: Duration = Duration::from_secs(300);

/// The lock on the copy's only notebook, which only one test at a time can use.
static NOTEBOOK: Mutex<()> = Mutex::new(());

/// A server, which is stopped when this value is dropped.
pub struct Cockpit {
    child: Child,
    /// The workbook's directory.
    pub root: PathBuf,
    /// The server's origin, such as `http://127.0.0.1:7007`.
    pub origin: String,
    token: String,
    _notebook: Option<MutexGuard<'static, ()>>,
}

impl Cockpit {
    /// Starts the server for a reader who has just cloned the workbook.
    pub fn for_a_new_reader() -> Result<Self> {
        let notebook = NOTEBOOK.lock().unwrap_or_else(PoisonError::into_inner);
        let root = copy()?;
        for begun in ["work", "target/.notebook"] {
            let directory = root.join(begun);
            if directory.exists() {
                fs::remove_dir_all(&directory)?;
            }
        }
        let mut cockpit = Cockpit::start(&root, 0, None)?;
        cockpit._notebook = Some(notebook);
        Ok(cockpit)
    }

    /// Starts the server on the workbook in the directory `root`. If `cargo` is given, the server
    /// uses that program as its cargo.
    pub fn start(root: &Path, port: u16, cargo: Option<&Path>) -> Result<Self> {
        let pages = book()?;
        let program = pages.join("../debug/cockpit");
        ensure!(program.exists(), "build the cockpit first: cargo build -p cockpit");
        let token = format!("token-{}", fastrand());
        let mut command = Command::new(program);
        command.args([root, &pages]).args(["--port", &port.to_string()]);
        command.env("WORKBOOK_COCKPIT_TOKEN", &token).stdout(Stdio::piped());
        forget_cargo(&mut command);
        command.envs(cargo.map(|cargo| ("CARGO", cargo)));
        let mut child = command.spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("a pipe")?).read_line(&mut line)?;
        let (_, after) = line.split_once("http://").context(line.clone())?;
        let origin = format!("http://{}", after.split('/').next().unwrap_or_default());
        Ok(Cockpit { child, root: root.to_owned(), origin, token, _notebook: None })
    }

    /// Returns the address of a page, in the form that the terminal shows.
    pub fn url(&self, page: &str) -> String {
        format!("{}/{page}#cockpit={}", self.origin, self.token)
    }

    /// Returns the server's process ID.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Writes the reference's body of an exercise into the notebook, as a reader's editor would.
    pub fn write_right(&self, file: &str, function: &str) -> Result<()> {
        let reference = fs::read_to_string(self.root.join(file))?;
        self.write(file, function, &reference[body_of(&reference, function)?])
    }

    /// Replaces the body of `function` in the notebook's copy of `file`.
    pub fn write(&self, file: &str, function: &str, body: &str) -> Result<()> {
        let page = self.root.join("work").join(file);
        let mut text = fs::read_to_string(&page).with_context(|| page.display().to_string())?;
        let place = body_of(&text, function)?;
        text.replace_range(place, body);
        Ok(fs::write(&page, text)?)
    }
}

/// Returns the range of an exercise's body in `text`, without the body's braces.
fn body_of(text: &str, function: &str) -> Result<Range<usize>> {
    let anchor = format!("// ANCHOR: {function}\n");
    let region = text.find(&anchor).with_context(|| format!("no {anchor}"))?;
    let end = region + text[region..].find("// ANCHOR_END").context("an end")?;
    let begin = region + text[region..end].find(" {\n").context("a body")? + 2;
    let end = begin + text[begin..end].rfind('}').context("a brace")?;
    Ok(begin..end)
}

impl Drop for Cockpit {
    fn drop(&mut self) {
        // Stop the server as Ctrl-C would, so that the server stops its programs. We don't send
        // SIGINT, because a script's background programs ignore SIGINT.
        let _ = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        let _ = self.child.wait();
    }
}

/// Creates a copy of the workbook, or updates an existing copy and keeps its compiled files.
fn copy() -> Result<PathBuf> {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let to = from.join("target/tmp/cockpit");
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(&from).output()?;
    for file in String::from_utf8(listed.stdout)?.split_terminator('\0') {
        let (source, copy) = (from.join(file), to.join(file));
        let Ok(bytes) = fs::read(&source) else { continue };
        if fs::read(&copy).ok().as_ref() != Some(&bytes) {
            fs::create_dir_all(copy.parent().context("a directory")?)?;
            fs::write(&copy, bytes)?;
        }
    }
    Ok(to)
}

/// Returns the current time in nanoseconds, so each server gets a different token.
fn fastrand() -> u128 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.unwrap_or_default().as_nanos()
}

/// Opens a page as a reader does by clicking the address in the terminal.
pub fn open(tab: &mut Tab, cockpit: &Cockpit, page: &str) -> Result<()> {
    tab.go_to("about:blank")?;
    tab.call("Page.navigate", json!({ "url": cockpit.url(page) }))?;
    let here = format!("{}/{page}", cockpit.origin);
    wait(tab, &format!("document.readyState === 'complete' && location.href === {}", json!(here)))
}

/// Waits until an expression is true. Fails if that takes longer than `COMPILES`.
pub fn wait(tab: &mut Tab, expression: &str) -> Result<()> {
    let shown = "[...document.querySelectorAll('.cockpit-banner, .cockpit, .cockpit-progress, .predict, #loop')].map((it) => it.innerText).join('\\n')";
    tab.wait_within(COMPILES, expression, shown)
}

/// Returns the value of an expression, which has to be a string.
pub fn text(tab: &mut Tab, expression: &str) -> Result<String> {
    let value = tab.evaluate(expression)?;
    Ok(value.as_str().with_context(|| format!("{expression}: {value}"))?.to_owned())
}

/// Waits until an element that matches `place` contains a button with the text `name`, then clicks
/// the button.
pub fn click(tab: &mut Tab, place: &str, name: &str) -> Result<()> {
    let button = format!(
        "[...document.querySelectorAll('{place} button')].find((it) => it.textContent === {})",
        json!(name)
    );
    wait(tab, &format!("{button} !== undefined"))?;
    tab.evaluate(&format!("{button}.click()")).map(drop)
}
