//! A tab of headless Chromium, driven through the DevTools protocol
//! (<https://chromedevtools.github.io/devtools-protocol/>).
//!
//! This crate implements the part of the protocol that the book's tests need, such as opening a
//! page, running a script in the page, pressing keys, taking a screenshot, and collecting the
//! page's errors.

pub mod axe;
pub mod class;
pub mod cockpit;
pub mod cold;
pub mod predictions;
pub mod web;

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use base64::Engine;
use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket};

/// Chromium's names in Debian, in Fedora and in Chrome's own packages.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// The time limit for an answer. On a busy machine, axe needs half of this time for the longest
/// page.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser with one tab. The browser is killed when this value is dropped.
pub struct Tab {
    chromium: Child,
    socket: WebSocket<TcpStream>,
    session: String,
    last_id: u64,
    /// The errors that the page has written to its console, and its uncaught exceptions.
    pub complaints: Vec<String>,
    _profile: TempDir,
}

impl Tab {
    /// Starts a browser. Fails if no browser is installed.
    pub fn open() -> Result<Self> {
        let profile = TempDir::new()?;
        let chromium = start(profile.path())?;
        let address = address_in(&profile.path().join("DevToolsActivePort"))?;
        let (port, path) = address.split_once('\n').context("DevToolsActivePort has two lines")?;
        let stream = TcpStream::connect(format!("127.0.0.1:{port}"))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let url = format!("ws://127.0.0.1:{port}{}", path.trim());
        let (socket, _) = tungstenite::client(url, stream).context("connect to Chromium")?;
        let mut tab = Tab {
            chromium,
            socket,
            session: String::new(),
            last_id: 0,
            complaints: Vec::new(),
            _profile: profile,
        };
        let target = tab.call("Target.createTarget", json!({ "url": "about:blank" }))?;
        let attached = tab.call(
            "Target.attachToTarget",
            json!({ "targetId": target["targetId"], "flatten": true }),
        )?;
        attached["sessionId"].as_str().context("a session")?.clone_into(&mut tab.session);
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            tab.call(domain, json!({}))?;
        }
        Ok(tab)
    }

    /// Opens a page and waits until the page and its scripts are loaded.
    pub fn go_to(&mut self, url: &str) -> Result<()> {
        let answer = self.call("Page.navigate", json!({ "url": url }))?;
        ensure!(answer.get("errorText").is_none(), "{url}: {}", answer["errorText"]);
        self.wait_for(&format!(
            "document.readyState === 'complete' && location.href === {}",
            json!(url)
        ))
    }

    /// Runs a script in each page that's opened from now on, before the page's own scripts.
    pub fn before_each_page(&mut self, script: &str) -> Result<()> {
        let parameters = json!({ "source": script });
        self.call("Page.addScriptToEvaluateOnNewDocument", parameters).map(drop)
    }

    /// Returns the value of an expression in the page. If the value is a promise, awaits the
    /// promise and returns its result.
    pub fn evaluate(&mut self, expression: &str) -> Result<Value> {
        let parameters = json!({
            "expression": expression, "returnByValue": true, "awaitPromise": true
        });
        let answer = self.call("Runtime.evaluate", parameters)?;
        if let Some(exception) = answer.get("exceptionDetails") {
            bail!("{expression}: {exception}");
        }
        Ok(answer["result"]["value"].clone())
    }

    /// Waits until an expression is true, perhaps in a page to which the tab is still navigating.
    pub fn wait_for(&mut self, expression: &str) -> Result<()> {
        self.wait_within(PATIENCE, expression, "''")
    }

    /// Waits until an expression is true, within a time limit. If it isn't true by then, the error
    /// contains the value of `shown`, an expression for a part of the page.
    pub fn wait_within(&mut self, limit: Duration, expression: &str, shown: &str) -> Result<()> {
        let begin = Instant::now();
        while !self.is_true(expression)? {
            if begin.elapsed() > limit {
                let shown = self.evaluate(shown)?;
                bail!("it never became true: {expression}\n{}", shown.as_str().unwrap_or_default());
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Returns true if an expression is true. Returns false if the tab leaves the page during the
    /// evaluation.
    pub fn is_true(&mut self, expression: &str) -> Result<bool> {
        match self.evaluate(expression) {
            Err(error) if error.to_string().contains("Inspected target navigated") => Ok(false),
            value => Ok(value? == json!(true)),
        }
    }

    /// Sets the page's size, in CSS pixels.
    pub fn resize(&mut self, width: u32, height: u32) -> Result<()> {
        let size =
            json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size).map(drop)
    }

    /// Presses a key in the page. `key` is a character or the name of a key, such as `Tab`, `Enter`
    /// or `ArrowLeft`.
    pub fn press(&mut self, key: &str) -> Result<()> {
        let code = match key {
            "Tab" => 9,
            "Enter" => 13,
            " " => 32,
            "End" => 35,
            "Home" => 36,
            "ArrowLeft" => 37,
            "ArrowRight" => 39,
            "ArrowDown" => 40,
            _ => 0,
        };
        let text = match key {
            "Enter" => "\r",
            // No other named key produces text.
            named if named.len() > 1 => "",
            letter => letter,
        };
        let mut parameters = json!({ "key": key, "windowsVirtualKeyCode": code, "text": text });
        for kind in ["keyDown", "keyUp"] {
            parameters["type"] = json!(kind);
            self.call("Input.dispatchKeyEvent", parameters.clone())?;
        }
        Ok(())
    }

    /// Writes a screenshot of the window to a file.
    pub fn picture(&mut self, file: &Path) -> Result<()> {
        let answer = self.call("Page.captureScreenshot", json!({ "format": "png" }))?;
        let data = answer["data"].as_str().context("a picture")?;
        let bytes = base64::engine::general_purpose::STANDARD.decode(data)?;
        fs::write(file, bytes).with_context(|| file.display().to_string())
    }

    /// Calls one of the protocol's methods and returns its answer. Collects the page's errors from
    /// the events that arrive before the answer.
    pub fn call(&mut self, method: &str, parameters: Value) -> Result<Value> {
        self.last_id += 1;
        let mut message = json!({ "id": self.last_id, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(message.to_string()))?;
        loop {
            let Message::Text(text) = self.socket.read().context(method.to_owned())? else {
                continue;
            };
            let mut message: Value = serde_json::from_str(&text)?;
            if message["id"] == json!(self.last_id) {
                ensure!(message.get("error").is_none(), "{method}: {}", message["error"]);
                return Ok(message["result"].take());
            }
            self.note(&message);
        }
    }

    fn note(&mut self, event: &Value) {
        let parameters = &event["params"];
        match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => {
                self.complaints.push(parameters["exceptionDetails"].to_string());
            }
            Some("Runtime.consoleAPICalled") if parameters["type"] == "error" => {
                self.complaints.push(parameters["args"].to_string());
            }
            Some("Log.entryAdded") if parameters["entry"]["level"] == "error" => {
                self.complaints.push(parameters["entry"].to_string());
            }
            _ => {}
        }
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        // The browser may have exited by itself.
        let _ = self.chromium.kill();
        let _ = self.chromium.wait();
    }
}

fn start(profile: &Path) -> Result<Child> {
    for name in NAMES {
        let started = Command::new(name)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args(["--disable-quic", "--disable-background-networking"])
            .args(["--disable-component-update", "--disable-sync", "--remote-debugging-port=0"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        match started {
            Ok(chromium) => return Ok(chromium),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).context(format!("start {name}")),
        }
    }
    bail!("these tests need Chromium (Debian: apt-get install chromium)")
}

/// Waits until the browser has written its socket's address to this file, as a port and a path on
/// two lines, and returns the file's text.
fn address_in(file: &Path) -> Result<String> {
    let begin = Instant::now();
    loop {
        match fs::read_to_string(file) {
            Ok(text) if text.lines().count() == 2 => return Ok(text),
            _ => ensure!(begin.elapsed() < PATIENCE, "Chromium doesn't come up"),
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Removes the variables that the test's own cargo has set for the test.
fn forget_cargo(command: &mut Command) {
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CARGO")) {
        if !["CARGO_HOME", "CARGO_INCREMENTAL", "CARGO_PROFILE_DEV_DEBUG"].contains(&&*name) {
            command.env_remove(name);
        }
    }
}

/// Returns the directory of the built book. Fails if the book hasn't been built.
pub fn book() -> Result<PathBuf> {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/book");
    book.canonicalize().context("build the book first: cargo run -p book")
}

/// Returns the names of the built pages that are meant for readers.
pub fn pages() -> Result<Vec<String>> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(book()?)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        // index.html is another copy of the preface.
        if name.ends_with(".html")
            && !["index.html", "print.html", "toc.html", "404.html"].contains(&name.as_str())
        {
            pages.push(name);
        }
    }
    pages.sort();
    Ok(pages)
}

/// Returns the `file://` URL of a built page.
pub fn on_disk(page: &str) -> Result<String> {
    Ok(format!("file://{}/{page}", book()?.display()))
}
