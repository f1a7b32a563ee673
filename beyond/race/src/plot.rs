//! A line plot on logarithmic axes, as an SVG picture in the book's style.

use anyhow::{Result, anyhow};
use plotters::prelude::*;

/// The length of a dash and of a gap, in pixels; `None` for a solid line.
pub(crate) type Dashes = Option<(u32, u32)>;

/// A named line through points.
pub(crate) struct Line {
    pub(crate) name: &'static str,
    pub(crate) dashes: Dashes,
    pub(crate) points: Vec<(f64, f64)>,
}

/// A plot's content.
pub(crate) struct Plot {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) description: String,
    pub(crate) x_label: &'static str,
    pub(crate) y_label: &'static str,
    pub(crate) y_format: fn(f64) -> String,
    pub(crate) lines: Vec<Line>,
}

const SIZE: (u32, u32) = (680, 360);
const TEXT: (&str, u32) = ("sans-serif", 13);

/// The minimum distance between two rows of text.
const ROW: i32 = 15;

/// The extra room on the left for the label of the vertical axis.
const LEFT: u32 = 4;

impl Plot {
    pub(crate) fn to_svg(&self) -> Result<String> {
        let mut svg = String::new();
        // The errors borrow the string, so we return only their text.
        self.draw(&mut svg).map_err(|error| anyhow!("draw {}: {error}", self.id))?;
        Ok(self.in_the_books_style(&svg))
    }

    fn draw(&self, svg: &mut String) -> Result<(), String> {
        let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let x = decades(points().map(|point| point.0));
        let y = decades(points().map(|point| point.1));
        let mut chart = ChartBuilder::on(&area)
            .margin_top(16)
            .margin_right(90)
            .x_label_area_size(44)
            .y_label_area_size(76)
            .build_cartesian_2d(x.log_scale(), y.log_scale())
            .map_err(|error| error.to_string())?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .max_light_lines(0)
            .bold_line_style(BLACK.mix(0.25))
            .axis_style(BLACK)
            .label_style(TEXT)
            .x_label_formatter(&|&value| with_spaces(value))
            .y_label_formatter(&|&value| (self.y_format)(value))
            .x_desc(self.x_label)
            .y_desc(self.y_label)
            .draw()
            .map_err(|error| error.to_string())?;
        for line in &self.lines {
            let points = || line.points.iter().copied();
            match line.dashes {
                None => chart.draw_series(LineSeries::new(points(), BLACK)).map(drop),
                Some((dash, gap)) => chart
                    .draw_series(DashedLineSeries::new(points(), dash, gap, BLACK.into()))
                    .map(drop),
            }
            .map_err(|error| error.to_string())?;
            let dots = points().map(|point| Circle::new(point, 3, BLACK.filled()));
            chart.draw_series(dots).map_err(|error| error.to_string())?;
        }
        let lines = self.lines.iter().filter(|line| !line.name.is_empty());
        let ends = lines.filter_map(|line| Some((line.name, *line.points.last()?)));
        let names = ends.map(|(name, end)| (name, chart.backend_coord(&end))).collect();
        for (name, (x, y)) in apart(names) {
            let name = Text::new(name, (x + 10, y - 6), TEXT);
            area.draw(&name).map_err(|error| error.to_string())?;
        }
        area.present().map_err(|error| error.to_string())
    }

    /// Returns the picture in the colour of the surrounding text, with a title and a description
    /// for readers who can't see it.
    fn in_the_books_style(&self, svg: &str) -> String {
        let (id, title, description) = (self.id, self.title, &self.description);
        let (width, height) = (SIZE.0 + LEFT, SIZE.1);
        let content = svg.split_once('>').map_or("", |(_, content)| content);
        let content = content.replace("#000000", "currentColor").replace("\n\n", "\n");
        format!(
            "<svg viewBox=\"-{LEFT} 0 {width} {height}\" role=\"img\" \
             aria-labelledby=\"{id}-title {id}-desc\" xmlns=\"http://www.w3.org/2000/svg\">\n\
             <title id=\"{id}-title\">{title}</title>\n\
             <desc id=\"{id}-desc\">{description}</desc>{content}"
        )
    }
}

/// Returns the names with their positions. Moves a name down if it would overlap the name above it.
fn apart(mut names: Vec<(&str, (i32, i32))>) -> Vec<(&str, (i32, i32))> {
    names.sort_by_key(|(_, (_, y))| *y);
    for at in 1..names.len() {
        let above = names[at - 1].1.1;
        names[at].1.1 = names[at].1.1.max(above + ROW);
    }
    names
}

/// Returns the powers of ten that enclose all values.
fn decades(values: impl Iterator<Item = f64> + Clone) -> std::ops::Range<f64> {
    let low = values.clone().fold(f64::INFINITY, f64::min).log10().floor();
    let high = values.fold(0.0, f64::max).log10().ceil();
    10_f64.powf(low)..10_f64.powf(high.max(low + 1.0))
}

/// Formats a number of nanoseconds with a suitable unit: `17 µs`.
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
