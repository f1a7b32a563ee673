//! A scene's source: the code that a reader sees before predicting. We find where a function begins
//! and ends by its indentation: rustfmt indents neither the first line of a top-level function nor
//! its closing brace, and no line in between begins with a `}` that isn't indented.

use anyhow::{Context, bail};

use judging::workbook::{Workbook, file_names, read};

/// A scene's source.
#[derive(Debug)]
pub struct SceneSource {
    /// The scene's function and the helpers. The function's doc comment is left out, because it can
    /// reveal too much.
    pub code: String,
    /// The same code with the helpers' doc comments. A chapter shows the code in this form.
    pub code_with_docs: String,
    /// The text of the doc comment.
    pub notes: String,
    /// The scene's question.
    pub question: String,
    /// True if the reader also predicts the order of the scene's lines.
    pub asks_for_order: bool,
}

/// A function at the top level of a file.
#[derive(Debug)]
struct Function<'a> {
    name: &'a str,
    code: String,
    /// The lines of the function's doc comment and attributes.
    docs: String,
    /// The text of the doc comment.
    notes: String,
}

impl SceneSource {
    /// Finds a scene in the step's source. Without a list of helpers, the code includes the helpers
    /// that the scene's function mentions.
    ///
    /// Fails if no file of the step declares the scene.
    pub fn find(
        workbook: &Workbook,
        package: &str,
        scene: &str,
        helpers: Option<&[String]>,
    ) -> anyhow::Result<SceneSource> {
        let dir = workbook.step(package).join("experiments/scenes");
        for name in file_names(&dir)? {
            let text = read(&dir.join(&name))?;
            let declared = text.split("\nscene!(").skip(1).find_map(|it| {
                it.trim_start().strip_prefix(scene).filter(|rest| rest.starts_with([':', ',']))
            });
            if let Some(rest) = declared {
                let question = literal(rest).context("the scene has no question")?;
                let asks_for_order = rest.starts_with(':');
                return in_file(&text, scene, helpers, asks_for_order)
                    .map(|it| SceneSource { question, ..it });
            }
        }
        bail!("no file in {package} declares the scene {scene}")
    }
}

fn in_file(
    text: &str,
    scene: &str,
    helpers: Option<&[String]>,
    asks_for_order: bool,
) -> anyhow::Result<SceneSource> {
    let mut functions = functions(text);
    let own = functions.iter().position(|it| it.name == scene);
    let own = functions.swap_remove(own.with_context(|| format!("no function plays {scene}"))?);
    let helpers: Vec<&str> = match helpers {
        Some(helpers) => helpers.iter().map(String::as_str).collect(),
        // Skip text between quotes, which isn't code.
        None => own.code.split('"').step_by(2).flat_map(words).collect(),
    };
    let mut shown = vec![own.code.clone()];
    let mut with_docs = shown.clone();
    for helper in helpers {
        // Each helper is shown only once.
        if let Some(at) = functions.iter().position(|it| it.name == helper) {
            let Function { code, docs, .. } = functions.swap_remove(at);
            with_docs.push(docs + &code);
            shown.push(code);
        }
    }
    Ok(SceneSource {
        code: shown.join("\n\n"),
        code_with_docs: with_docs.join("\n\n"),
        notes: own.notes,
        question: String::new(),
        asks_for_order,
    })
}

/// Returns the first string between quotes. A line that ends with a backslash continues on the next
/// line.
fn literal(code: &str) -> Option<String> {
    let (mut text, mut rest) = (String::new(), code.split_once('"')?.1);
    loop {
        let at = rest.find(['"', '\\'])?;
        text += &rest[..at];
        if rest[at..].starts_with('"') {
            return Some(text);
        }
        rest = &rest[at + 1..];
        let escaped = rest.chars().next()?;
        rest = &rest[escaped.len_utf8()..];
        if escaped == '\n' {
            rest = rest.trim_start();
        } else {
            text.push(escaped);
        }
    }
}

fn functions(text: &str) -> Vec<Function<'_>> {
    let lines: Vec<&str> = text.lines().collect();
    let found = lines.iter().enumerate().filter_map(|(at, line)| {
        let name = name(line)?;
        let length = 1 + lines[at..].iter().position(|line| line.starts_with('}'))?;
        let above = lines[..at].iter().rev();
        let above = above.take_while(|line| line.starts_with("///") || line.starts_with("#["));
        let docs = &lines[at - above.count()..at];
        let notes: Vec<&str> = docs.iter().filter_map(|line| line.strip_prefix("///")).collect();
        Some(Function {
            name,
            code: lines[at..at + length].join("\n"),
            docs: docs.iter().flat_map(|line| [line, "\n"]).collect(),
            notes: notes.into_iter().map(str::trim).collect::<Vec<&str>>().join("\n"),
        })
    });
    found.collect()
}

/// Returns a function's name if `line` is the unindented first line of that function.
fn name(line: &str) -> Option<&str> {
    let (before, after) = line.split_once("fn ")?;
    let is_its_beginning = |it: &str| matches!(it, "" | "async" | "const") || it.starts_with("pub");
    let begins = !line.starts_with(' ') && before.split(' ').all(is_its_beginning);
    words(after).next().filter(|_| begins)
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric() && char != '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_every_scene_is_found_without_its_doc_comment() {
        let workbook = Workbook::of(env!("CARGO_MANIFEST_DIR")).unwrap();
        for step in workbook.steps().unwrap() {
            let snapshots = file_names(&workbook.snapshots(&step)).unwrap();
            let scenes: Vec<&str> =
                snapshots.iter().filter_map(|name| name.strip_suffix(".snap")).collect();
            assert!(!scenes.is_empty(), "{step}");
            for scene in scenes {
                let source = SceneSource::find(&workbook, &step, scene, None).unwrap();
                assert!(source.code.contains(&format!("fn {scene}(")), "{}", source.code);
                assert!(!source.code.lines().any(|line| line.starts_with("///")), "{scene}");
                assert!(source.code.ends_with('}'), "{}", source.code);
            }
        }
    }
}
