//! A person in the class, with their actions on a page and what they see there.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use base64::Engine;
use book_in_a_browser::class::Class;
use book_in_a_browser::predictions::ANSWER;
use book_in_a_browser::{Tab, axe};
use serde_json::json;

use crate::class_forms::{Asks, How};

/// The time limit for playing a scene, which is compiled first, perhaps on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// A person in the class with an open page.
pub(super) struct Person {
    pub(super) name: &'static str,
    pub(super) tab: Tab,
}

impl Person {
    pub(super) fn open(name: &'static str, url: &str, width: u32) -> Result<Self> {
        let mut tab = Tab::open()?;
        tab.resize(width, 800)?;
        tab.call("Page.navigate", json!({ "url": url }))?;
        let mut person = Person { name, tab };
        person.wait(
            "document.readyState === 'complete' && document.querySelector('h1, nav') !== null",
        )?;
        Ok(person)
    }

    /// Opens the page of a student, who joins through the address with the code.
    pub(super) fn join(name: &'static str, class: &Class) -> Result<Self> {
        let mut student = Person::open(name, &class.students, 360)?;
        student.fill(name)?;
        student.wait("document.querySelector('.connection')?.textContent === 'Connected.'")?;
        Ok(student)
    }

    pub(super) fn fill(&mut self, name: &str) -> Result<()> {
        self.wait("document.querySelector('form.join') !== null")?;
        self.tab.evaluate(&format!(
            "document.querySelectorAll('form.join input')[1].value = {}",
            json!(name)
        ))?;
        self.click("Join")
    }

    pub(super) fn wait(&mut self, expression: &str) -> Result<()> {
        let waited = self.tab.wait_within(PATIENCE, expression, "document.body.innerText");
        waited.context(self.name)
    }

    pub(super) fn sees(&mut self, words: &str) -> Result<()> {
        self.wait(&format!("document.body.innerText.includes({})", json!(words)))
    }

    pub(super) fn shows_no_name(&mut self) -> Result<()> {
        let wall = self.text("body")?;
        ensure!(
            !["Ann", "Bob", "Cy"].iter().any(|name| wall.contains(name)),
            "a name is on the wall: {wall}"
        );
        Ok(())
    }

    pub(super) fn text(&mut self, selector: &str) -> Result<String> {
        let value = self.tab.evaluate(&format!(
            "[...document.querySelectorAll({})].map((it) => it.innerText).join('\\n')",
            json!(selector)
        ))?;
        Ok(value.as_str().with_context(|| format!("{selector}: {value}"))?.to_owned())
    }

    /// Clicks a button whose text begins with these words, once it exists.
    pub(super) fn click(&mut self, words: &str) -> Result<()> {
        let button = format!(
            "[...document.querySelectorAll('button')].find((it) => it.textContent.startsWith({}) && !it.disabled)",
            json!(words)
        );
        self.wait(&format!("{button} !== undefined"))?;
        self.tab.evaluate(&format!("{button}.click()")).map(drop)
    }

    /// Makes a prediction by filling in a scene's blanks or by choosing an answer.
    pub(super) fn predict(&mut self, asks: &Asks, how: &How) -> Result<()> {
        self.fill_in(asks, how)?;
        self.click("Send")?;
        self.sees("Your answer has been sent.")
    }

    pub(super) fn fill_in(&mut self, asks: &Asks, how: &How) -> Result<()> {
        self.wait("document.querySelector('.predict button') !== null")?;
        let fill = match (asks, how) {
            (Asks::One(answers), _) => format!("({CHOOSE})({})", json!(answers.of(how))),
            (Asks::Lines(_), How::First | How::Last) => {
                format!("({OFFERED})({})", matches!(how, How::First))
            }
            (Asks::Lines(asks), _) => {
                let lines = json!(asks.lines(how));
                format!("({ANSWER})(document.querySelector('.predict'), {lines})")
            }
        };
        self.tab.evaluate(&fill).map(drop)
    }

    /// Predicts a scene with only the keyboard, with the same answer in each blank.
    pub(super) fn predict_by_keyboard(&mut self) -> Result<()> {
        let is_at = |what: &str| format!("document.activeElement.matches({})", json!(what));
        const FIELD: &str = ".predict ol.lines :is(input, select)";
        self.wait(&format!("document.querySelector('{FIELD}') !== null"))?;
        for _ in 0..50 {
            self.tab.press("Tab")?;
            if self.tab.evaluate(&is_at(FIELD))? == json!(true) {
                break;
            }
        }
        while self.tab.evaluate(&is_at(FIELD))? == json!(true) {
            let is_list = self.tab.evaluate(&is_at("select"))? == json!(true);
            self.tab.press(if is_list { "ArrowDown" } else { "7" })?;
            self.tab.press("Enter")?;
        }
        let focused = self.tab.evaluate("document.activeElement.textContent")?;
        ensure!(focused == "Send", "{focused}");
        self.tab.press("Enter")?;
        self.sees("Your answer has been sent.")
    }

    /// Leaves a picture in each theme, if pictures were requested.
    pub(super) fn picture(&mut self, name: &str, width: u32) -> Result<()> {
        let Some(directory) = std::env::var_os("CLASS_PICTURES").map(PathBuf::from) else {
            return Ok(());
        };
        fs::create_dir_all(&directory)?;
        self.tab.resize(width, 800)?;
        let height = self.tab.evaluate("document.documentElement.scrollHeight")?;
        let height = u32::try_from(height.as_u64().context("a height")?.clamp(600, 2400))?;
        self.tab.resize(width, height)?;
        for theme in ["light", "dark"] {
            self.theme(theme)?;
            self.tab.picture(&directory.join(format!("{name}-{width}-{theme}.png")))?;
        }
        Ok(())
    }

    pub(super) fn pages_on_paper(&mut self) -> Result<usize> {
        let printed =
            self.tab.call("Page.printToPDF", json!({ "paperWidth": 8.27, "paperHeight": 11.7 }))?;
        let data = printed["data"].as_str().context("a PDF")?;
        let bytes = base64::engine::general_purpose::STANDARD.decode(data)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.matches("/Type /Page").count() - text.matches("/Type /Pages").count())
    }

    pub(super) fn theme(&mut self, theme: &str) -> Result<()> {
        let feature = json!({ "name": "prefers-color-scheme", "value": theme });
        self.tab.call("Emulation.setEmulatedMedia", json!({ "features": [feature] })).map(drop)
    }

    /// Examines the page with axe, in both themes and at two widths.
    pub(super) fn is_accessible(&mut self) -> Result<()> {
        for (width, theme) in [(1280, "light"), (360, "dark")] {
            self.tab.resize(width, 800)?;
            self.theme(theme)?;
            let found = axe::violations(&mut self.tab, ":root")?;
            ensure!(found.is_empty(), "{}, {theme}: {found:#?}", self.name);
            let wide = self.tab.evaluate("document.documentElement.scrollWidth - innerWidth")?;
            ensure!(
                wide.as_f64().unwrap_or(1.0) <= 0.0,
                "{} at {width}: too wide by {wide}",
                self.name
            );
        }
        Ok(())
    }
}

/// Chooses an answer.
const CHOOSE: &str = r"(text) => [...document.querySelectorAll('.predict input[type=radio]')]
    .find((it) => it.parentElement.textContent.trim() === text).click()";

/// Answers each line with the first or the last value on offer.
const OFFERED: &str = r"(isFirst) => {
    // A line that's chosen has further fields.
    for (const fields of ['.chosen > select', '.line :is(input, select)']) {
        document.querySelectorAll(`.predict ol.lines ${fields}`).forEach((field) => {
            field.value = field.options ? [...field.options].at(isFirst ? 1 : -1).value : isFirst ? '7' : '77';
            field.dispatchEvent(new Event('change'));
        });
    }
}";
