//! A scene's source: the code that a reader sees before predicting.

use anyhow::{Context, bail};

use judging::notebook::source::functions;
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
    functions.retain(|it| it.header.is_none());
    let own = functions.iter().position(|it| it.name() == scene);
    let own = functions.swap_remove(own.with_context(|| format!("no function plays {scene}"))?);
    let (docs, code) = own.docs_and_code();
    let helpers: Vec<&str> = match helpers {
        Some(helpers) => helpers.iter().map(String::as_str).collect(),
        // Skip text between quotes, which isn't code.
        None => code.split('"').step_by(2).flat_map(words).collect(),
    };
    let mut shown = vec![code.trim_end()];
    let mut with_docs = shown.clone();
    for helper in helpers {
        // Each helper is shown only once.
        if let Some(at) = functions.iter().position(|it| it.name() == helper) {
            let helper = functions.swap_remove(at);
            with_docs.push(helper.whole().trim_end());
            shown.push(helper.docs_and_code().1.trim_end());
        }
    }
    let notes = docs.lines().filter_map(|line| line.strip_prefix("///"));
    Ok(SceneSource {
        code: shown.join("\n\n"),
        code_with_docs: with_docs.join("\n\n"),
        notes: notes.map(str::trim).collect::<Vec<&str>>().join("\n"),
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
