//! A plot of lines on logarithmic axes, as an SVG picture in the style of the book.

use std::fmt::Write;

/// A named line through points.
pub(crate) struct Line {
    pub(crate) name: &'static str,
    /// The dash pattern of the stroke; empty for a solid line.
    pub(crate) dashes: &'static str,
    pub(crate) points: Vec<(f64, f64)>,
}

/// The content of the picture.
pub(crate) struct Plot {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: String,
    pub(crate) x_label: &'static str,
    pub(crate) y_label: &'static str,
    pub(crate) lines: Vec<Line>,
}

const WIDTH: f64 = 680.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 600.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 300.0;

/// A logarithmic axis, on which powers of ten are evenly spaced.
struct Axis {
    first: i32,
    last: i32,
    from: f64,
    to: f64,
}

impl Axis {
    /// Makes an axis that covers all values.
    fn over(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for value in values {
            (low, high) = (low.min(value), high.max(value));
        }
        let (first, last) = (power_of(low.log10().floor()), power_of(high.log10().ceil()));
        Axis { first, last: last.max(first + 1), from, to }
    }

    fn place(&self, value: f64) -> f64 {
        let part = (value.log10() - f64::from(self.first)) / f64::from(self.last - self.first);
        self.from + part * (self.to - self.from)
    }

    fn powers(&self) -> impl Iterator<Item = (f64, i32)> + use<> {
        (self.first..=self.last).map(|power| (10_f64.powi(power), power))
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a power of ten of a measured figure is small")]
fn power_of(rounded: f64) -> i32 {
    rounded as i32
}

impl Plot {
    pub(crate) fn to_svg(&self) -> String {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let x = Axis::over(points().map(|point| point.0), LEFT, RIGHT);
        let y = Axis::over(points().map(|point| point.1), BOTTOM, TOP);
        let mut svg = self.head();
        for (value, _) in x.powers() {
            let at = x.place(value);
            svg += &path(&format!("M{at:.0} {BOTTOM} v6"));
            let label = with_spaces(value);
            svg += &text(at, BOTTOM + 22.0, "middle", &label);
        }
        for (value, _) in y.powers() {
            let at = y.place(value);
            svg += &grid_line(at);
            svg += &text(LEFT - 8.0, at + 5.0, "end", &time(value));
        }
        svg += &path(&format!("M{LEFT} {TOP} V{BOTTOM} H{RIGHT}"));
        svg += &text(f64::midpoint(LEFT, RIGHT), HEIGHT - 14.0, "middle", self.x_label);
        svg += &text(12.0, 20.0, "start", self.y_label);
        for line in &self.lines {
            svg += &draw(line, &x, &y);
        }
        svg + "</svg>\n"
    }

    fn head(&self) -> String {
        let (id, title, description) = (self.id, self.title, &self.description);
        format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             aria-labelledby=\"{id}-title {id}-desc\" xmlns=\"http://www.w3.org/2000/svg\">\n\
             <title id=\"{id}-title\">{title}</title>\n\
             <desc id=\"{id}-desc\">{description}</desc>\n"
        )
    }
}

fn path(d: &str) -> String {
    format!("<path class=\"arrow\" d=\"{d}\"/>\n")
}

fn grid_line(y: f64) -> String {
    let stroke = "stroke=\"currentColor\" stroke-opacity=\"0.25\"";
    format!("<path {stroke} d=\"M{LEFT} {y:.0} H{RIGHT}\"/>\n")
}

/// Draws a line, with a dot for each figure and its name at its end.
fn draw(line: &Line, x: &Axis, y: &Axis) -> String {
    let mut path = String::new();
    let mut dots = String::new();
    let mut end = (0.0, 0.0);
    for &(across, up) in &line.points {
        end = (x.place(across), y.place(up));
        let (x, y) = end;
        let verb = if path.is_empty() { 'M' } else { 'L' };
        let _ = write!(path, "{verb}{x:.1} {y:.1} ");
        let _ =
            writeln!(dots, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"currentColor\"/>");
    }
    let (dashes, path) = (line.dashes, path.trim_end());
    format!("<path class=\"arrow\" stroke-dasharray=\"{dashes}\" d=\"{path}\"/>\n")
        + &dots
        + &name_at(end, line.name)
}

/// Writes a line's name: beside its end if that's at the picture's edge, otherwise above its end.
fn name_at(end: (f64, f64), name: &str) -> String {
    if end.0 >= RIGHT {
        text(end.0 + 10.0, end.1 + 5.0, "start", name)
    } else {
        text(end.0, end.1 - 12.0, "end", name)
    }
}

fn text(x: f64, y: f64, anchor: &str, words: &str) -> String {
    format!(
        "<text x=\"{x:.0}\" y=\"{y:.0}\" text-anchor=\"{anchor}\" font-size=\"13\">{words}</text>\n"
    )
}

/// Formats nanoseconds with a suitable unit: `17 µs`.
pub(crate) fn time(nanos: f64) -> String {
    let (value, unit) = match nanos {
        ..1e3 => (nanos, "ns"),
        ..1e6 => (nanos / 1e3, "µs"),
        _ => (nanos / 1e6, "ms"),
    };
    if value >= 10.0 || value.fract() == 0.0 {
        format!("{value:.0} {unit}")
    } else {
        format!("{value:.1} {unit}")
    }
}

/// Formats a whole number with spaces between groups of three digits: `10 000`.
pub(crate) fn with_spaces(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut spaced = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            spaced.push(' ');
        }
        spaced.push(digit);
    }
    spaced
}
