//! The picture of a traced run, drawn from the transcript of the scene that traces the run.
//!
//! Each line such as `tick 3 at 500ms: timeout 1.5s (Timer), slept …` becomes a row with the
//! maximum time that the tick could sleep and the reason, the selector's events, the timers that
//! were due, and the callbacks that ran. A callback is drawn next to its cause. Any other line is a
//! heading for the ticks below it. So the picture can't differ from the scene's transcript.

use anyhow::{Context, Result, ensure};

const WIDTH: usize = 680;
/// The left edges of the columns: the tick, its sleep, descriptors, timers, callbacks.
const COLUMNS: [usize; 5] = [8, 92, 268, 376, 478];
const TITLES: [&str; 4] = ["1–2 sleep", "3 descriptors", "4 timers", "5 run"];
const LINE: usize = 30;

/// A line of the transcript.
#[derive(Debug, PartialEq)]
enum Row<'a> {
    Heading(&'a str),
    Tick(Tick<'a>),
}

#[derive(Debug, PartialEq)]
struct Tick<'a> {
    number: &'a str,
    began: &'a str,
    timeout: &'a str,
    why: &'a str,
    slept: &'a str,
    events: Vec<&'a str>,
    due: Vec<&'a str>,
    ran: Vec<&'a str>,
}

/// The reason why a callback ran.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cause {
    Descriptor,
    Timer,
    /// The callback was in the queue when the tick began.
    Queued,
}

/// Draws a transcript.
pub(crate) fn picture(transcript: &str) -> Result<String> {
    let mut rows = transcript.lines().map(row).collect::<Result<Vec<Row<'_>>>>()?;
    while rows.pop_if(|last| matches!(last, Row::Heading(_))).is_some() {}
    let mut body = String::new();
    for (x, title) in COLUMNS[1..].iter().zip(TITLES) {
        body += &text(*x, 18, title, " font-weight=\"600\" font-size=\"14\"");
    }
    let mut y = 30;
    let mut before = None;
    for row in &rows {
        match row {
            Row::Heading(words) => {
                before = None;
                body += &text(COLUMNS[0], y + 26, words, " font-style=\"italic\" font-size=\"13\"");
                y += LINE + 8;
            }
            Row::Tick(tick) => {
                body += &tick.drawn(y, before)?;
                y += tick.height();
                before = Some(tick.number);
            }
        }
    }
    let describes = rows.iter().map(Row::described).collect::<Vec<String>>().join(" ");
    Ok(format!(
        "<figure class=\"picture\">\n\
         <svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-labelledby=\"ticks-title ticks-desc\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n\
         <title id=\"ticks-title\">A traced run, tick by tick</title>\n\
         <desc id=\"ticks-desc\">{describes}</desc>\n\
         <defs><marker id=\"ticks-head\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"7\" \
         markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L10 5 L0 10 z\" fill=\"currentColor\"/>\
         </marker></defs>\n{body}</svg>\n</figure>",
        height = y + 8,
    ))
}

fn row(line: &str) -> Result<Row<'_>> {
    if !line.starts_with("tick ") {
        return Ok(Row::Heading(line));
    }
    let tick = tick(line).with_context(|| format!("a tick in other words: {line}"))?;
    Ok(Row::Tick(tick))
}

fn tick(line: &str) -> Option<Tick<'_>> {
    let (number, rest) = line.strip_prefix("tick ")?.split_once(" at ")?;
    let (began, rest) = rest.split_once(": ")?;
    let (timeout, rest) = rest.split_once(" (")?;
    let timeout = timeout.strip_prefix("timeout ").unwrap_or(timeout);
    let (why, rest) = rest.split_once("), slept ")?;
    let (slept, rest) = rest.split_once(", events [")?;
    let (events, rest) = rest.split_once("], due [")?;
    let (due, rest) = rest.split_once("], ran [")?;
    let (ran, _took) = rest.split_once("], took ")?;
    let (events, due, ran) = (list(events), list(due), list(ran));
    Some(Tick { number, began, timeout, why, slept, events, due, ran })
}

/// Parses a list such as `"one", "two"` and returns its strings.
fn list(items: &str) -> Vec<&str> {
    let inside = items.trim_matches('"');
    inside.split("\", \"").filter(|item| !item.is_empty()).collect()
}

impl Cause {
    fn of(ran: &str) -> Self {
        match ran {
            _ if ran.ends_with(" of the reader") => Cause::Descriptor,
            _ if ran.ends_with(" of the timer") || ran == "wake" => Cause::Timer,
            _ => Cause::Queued,
        }
    }
}

impl Tick<'_> {
    fn height(&self) -> usize {
        LINE * self.ran.len().max(2) + 14
    }

    /// Draws the tick. `before` is the number of the previous tick in the same run.
    fn drawn(&self, y: usize, before: Option<&str>) -> Result<String> {
        let rule = "<path stroke=\"currentColor\" stroke-opacity=\"0.25\" d=";
        let mut drawn = format!("{rule}\"M{} {y} H{}\"/>\n", COLUMNS[0], WIDTH - 8);
        let bold = " font-weight=\"600\" font-size=\"14\"";
        drawn += &text(COLUMNS[0], y + 24, &format!("tick {}", self.number), bold);
        drawn += &text(COLUMNS[0], y + 44, &format!("at {}", time(self.began)), SMALL);
        drawn += &text(COLUMNS[1], y + 24, &self.could_sleep()?, SMALL);
        if self.why != "Ready" && self.why != "Stopping" {
            drawn += &text(COLUMNS[1], y + 44, &format!("slept {}", time(self.slept)), SMALL);
        }
        let mut found = self.events.iter();
        let mut due = self.due.iter();
        for (line, ran) in self.ran.iter().enumerate() {
            let y = y + 8 + LINE * line;
            let (what, took) = ran.rsplit_once(", ").context("what ran has no time")?;
            let cause = Cause::of(what);
            let from = match cause {
                Cause::Descriptor => found.next().map(|name| (COLUMNS[2], *name)),
                Cause::Timer => due.next().map(|name| (COLUMNS[3], timer(name))),
                Cause::Queued => None,
            };
            ensure!(from.is_some() || cause == Cause::Queued, "tick {}: no cause", self.number);
            let what = what.split_once(" of the ").map_or(what, |(what, _)| what);
            drawn += &match from {
                Some((x, name)) => chip(x, y, name) + &arrow(x + chip_width(name), y),
                None => text(COLUMNS[2], y + 17, &queued_in(before), SMALL) + &arrow(424, y),
            };
            drawn += &chip(COLUMNS[4], y, what);
            drawn += &text(COLUMNS[4] + chip_width(what) + 8, y + 17, &time(took), SMALL);
        }
        ensure!(found.len() + due.len() == 0, "tick {}: a cause of nothing", self.number);
        if self.ran.is_empty() {
            drawn += &text(COLUMNS[4], y + 24, "nothing", SMALL);
        }
        Ok(drawn)
    }

    fn could_sleep(&self) -> Result<String> {
        let may = time(self.timeout);
        Ok(match self.why {
            "Ready" => format!("may sleep {may}: there's work"),
            "Timer" => format!("may sleep {may}: a timer"),
            "Stopping" => format!("may sleep {may}: stop()"),
            "Nothing" => "may sleep forever".to_owned(),
            other => anyhow::bail!("tick {}: unknown reason {other}", self.number),
        })
    }
}

/// Describes when a callback that a tick found in the queue was queued. Each tick runs the whole
/// queue, so the callback was queued after the previous tick had begun.
fn queued_in(before: Option<&str>) -> String {
    before.map_or("queued before the run".to_owned(), |number| format!("queued in tick {number}"))
}

/// Returns the timer's name, for the place next to its callback.
fn timer(due: &str) -> &str {
    if due == "callback" { "timer" } else { due }
}

impl Row<'_> {
    /// Returns a description of the picture, for readers who can't see it.
    fn described(&self) -> String {
        match self {
            Row::Heading(words) => format!("{}:", escaped(words)),
            Row::Tick(tick) => {
                let none_or = |items: &[&str]| match items {
                    [] => "nothing".to_owned(),
                    items => escaped(&items.join("; ")),
                };
                let Tick { number, began, timeout, why, slept, events, due, ran } = tick;
                format!(
                    "Tick {number} at {began}: timeout {timeout}, {why}; slept {slept}. Descriptors: {}. \
                     Timers: {}. Ran: {}.",
                    none_or(events),
                    none_or(due),
                    none_or(ran),
                )
            }
        }
    }
}

const SMALL: &str = " font-size=\"13\"";

fn text(x: usize, y: usize, words: &str, style: &str) -> String {
    format!("<text x=\"{x}\" y=\"{y}\"{style}>{}</text>\n", escaped(words))
}

fn chip(x: usize, y: usize, words: &str) -> String {
    let width = chip_width(words);
    format!("<rect class=\"box\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"24\" rx=\"5\"/>\n")
        + &text(x + 8, y + 17, words, SMALL)
}

/// Returns a box's width for words at a font size of 13 px.
fn chip_width(words: &str) -> usize {
    words.chars().count() * 7 + 18
}

/// Draws an arrow from `x` to a callback.
fn arrow(x: usize, y: usize) -> String {
    let (y, end) = (y + 12, COLUMNS[4] - 4);
    format!("<path class=\"arrow\" d=\"M{} {y} H{end}\" marker-end=\"url(#ticks-head)\"/>\n", x + 4)
}

/// Formats `1.5s` as `1.5 s`, and a zero duration as 0.
fn time(debug: &str) -> String {
    let unit = debug.find(|letter: char| letter.is_alphabetic()).unwrap_or(debug.len());
    match debug.split_at(unit) {
        ("0", _) => "0".to_owned(),
        (number, unit) if !number.is_empty() => format!("{number} {unit}"),
        _ => debug.to_owned(),
    }
}

fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: &str = "tick 2 at 500ms: timeout 0ns (Ready), slept 0ns, events [\"reader\"], due [], \
                        ran [\"step of a<b, 3ms\", \"callback of the reader, 0ns\"], took 3ms";

    #[test]
    fn what_ran_stands_beside_its_cause() {
        let two = TICK.replace("tick 2", "tick 1") + "\n" + TICK;
        let drawn = picture(&two).expect("two ticks");
        for shown in ["may sleep 0: there's work", "queued in tick 1", "step of a&lt;b", "3 ms"] {
            assert!(drawn.contains(&format!(">{shown}</text>")), "{shown}: {drawn}");
        }
        let height = |words: &str| {
            let (before, _) = drawn.split_once(&format!(">{words}</text>")).expect(words);
            before.rsplit_once(" y=\"").expect("a place").1.split('"').next().map(str::to_owned)
        };
        assert_eq!(height("reader"), height("callback"));
        assert_ne!(height("reader"), height("step of a&lt;b"));
    }

    #[test]
    fn a_line_in_other_words_or_without_a_cause_is_an_error() {
        let said = |line: String| picture(&line).expect_err("no picture").to_string();
        assert!(said(TICK.replace("slept", "was asleep for")).contains("in other words"));
        assert_eq!(said(TICK.replace("Ready", "Bored")), "tick 2: unknown reason Bored");
        assert_eq!(said(TICK.replace("[\"reader\"]", "[]")), "tick 2: no cause");
        assert_eq!(
            said(TICK.replace("due []", "due [\"callback\"]")),
            "tick 2: a cause of nothing"
        );
    }

    #[test]
    fn any_other_line_is_the_heading_of_the_ticks_below_it() {
        let drawn = picture(&format!("a run\n{TICK}\na run without ticks")).expect("a tick");
        assert!(drawn.contains(">a run</text>"), "{drawn}");
        assert!(drawn.contains(">queued before the run</text>"), "{drawn}");
        assert!(!drawn.contains("a run without ticks"), "{drawn}");
    }
}
