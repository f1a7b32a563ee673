//! The prediction sheets on their page: the questions, with blanks, and the answers after the last
//! sheet.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;

use crate::ledger_page::scene_id;
use crate::markdown::{escaped, rust};
use crate::predictions::{Prediction, Sheet, sheets};
use crate::steps::chapter_of;

/// Returns the sheets as Markdown.
pub(crate) fn printed(root: &Path) -> Result<String> {
    let mut text = String::new();
    for Sheet { package, title, predictions } in sheets(root)? {
        let chapter = chapter_of(&package);
        write!(
            text,
            "<section class=\"sheet\">\n\n## {title} {{#sheet-{chapter}}}\n\n\
             <p class=\"who\">Name:</p>\n\n"
        )?;
        text.extend(predictions.iter().map(Prediction::shown));
        text += "</section>\n\n";
    }
    Ok(text)
}

/// Returns all answers as Markdown.
pub(crate) fn answers(root: &Path) -> Result<String> {
    let mut text = String::from("<section class=\"answers\">\n\n## Answers\n\n");
    for Sheet { package, title, predictions } in sheets(root)? {
        let answers = predictions.iter().map(|prediction| prediction.answered(&package, &title));
        text.extend(answers);
    }
    Ok(text + "</section>\n")
}

impl Prediction {
    /// Returns the prediction's part of a sheet.
    fn shown(&self) -> String {
        let Prediction { label, context, question, .. } = self;
        let code = self.code.as_deref().map(rust).unwrap_or_default();
        let blanks = self.blanks.iter().map(|begins| match begins.as_str() {
            "" => "<li></li>\n".to_owned(),
            begins => format!("<li><code>{}</code></li>\n", escaped(begins)),
        });
        let blanks: String = blanks.collect();
        format!(
            "<div class=\"prediction\" id=\"{id}\">\n\n### {label}\n\n{context}\n\n**{question}**\n\n\
             {code}\n\n<ol class=\"blanks\">\n{blanks}</ol>\n\n</div>\n\n",
            id = self.id(),
        )
    }

    /// Returns the prediction's part of the page with the answers.
    fn answered(&self, package: &str, title: &str) -> String {
        let Prediction { label, page, answer, .. } = self;
        let place = self.scene().map(|scene| format!("#{}", scene_id(package, scene)));
        let place = place.unwrap_or_default();
        format!(
            "<div class=\"answer\">\n\n**{label}** ([why: {title}]({page}{place}))\n\n{answer}\n\n\
             </div>\n\n"
        )
    }
}
