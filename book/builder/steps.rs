//! The scenes, exercises and listings of the steps, read from their source.
//!
//! Nothing of this is typed into the book by hand. If a chapter wants something that doesn't exist,
//! the book doesn't build.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use syn::spanned::Spanned;
use syn::{Expr, ExprStruct, Item, Lit};

/// The source of one of the seven steps.
pub(crate) struct StepSource {
    package: String,
    dir: PathBuf,
}

/// A scene, from its file in `scenes/`.
pub(crate) struct SceneSource {
    /// The question it answers.
    pub(crate) question: String,
    /// The scene's function, with its doc comment.
    pub(crate) code: String,
    /// Its expected transcript.
    pub(crate) transcript: String,
}

/// An exercise, from `exercises.rs`.
pub(crate) struct ExerciseSource {
    pub(crate) number: String,
    pub(crate) name: String,
    pub(crate) task: String,
    pub(crate) minutes: String,
    pub(crate) scenes: Vec<String>,
    /// The reason why no later step runs it; `None` if one does.
    pub(crate) only_here: Option<String>,
}

/// Returns the names of the steps' packages, first to last.
pub(crate) fn packages(root: &Path) -> Result<Vec<String>> {
    let mut packages = Vec::new();
    for entry in fs::read_dir(root).with_context(|| root.display().to_string())? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with("step")
            && entry.path().join("Cargo.toml").exists()
        {
            packages.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    packages.sort();
    Ok(packages)
}

impl StepSource {
    pub(crate) fn open(root: &Path, package: &str) -> Result<Self> {
        let dir = root.join(package);
        if !package.starts_with("step") || !dir.join("Cargo.toml").exists() {
            bail!("there's no step `{package}`");
        }
        Ok(StepSource { package: package.to_owned(), dir })
    }

    /// Returns a scene; `helpers` are functions next to it that a reader needs to see too.
    pub(crate) fn scene(&self, name: &str, helpers: &[&str]) -> Result<SceneSource> {
        let (question, code) = self.scene_code(name, helpers)?;
        let key = self.dir.join(format!("tests/snapshots/{name}.snap"));
        let key = read(&key)?;
        let (_header, transcript) =
            key.split_once("\n---\n").context("the snapshot has no header")?;
        Ok(SceneSource { question, code, transcript: transcript.trim_end().to_owned() })
    }

    pub(crate) fn exercises(&self) -> Result<Vec<ExerciseSource>> {
        let declared = structs(&self.dir.join("src/exercises.rs"), "EXERCISES")?;
        let exercises = declared.iter().map(|exercise| {
            Ok(ExerciseSource {
                number: text_field(exercise, "number")?,
                name: text_field(exercise, "name")?,
                task: text_field(exercise, "task")?,
                minutes: text_field(exercise, "minutes")?,
                scenes: list_field(exercise, "scenes")?,
                only_here: optional_field(exercise, "only_here")?,
            })
        });
        exercises.collect()
    }

    /// Returns the lines between `// ANCHOR: name` and `// ANCHOR_END: name` in a file of `src/`.
    pub(crate) fn listing(&self, file: &str, anchor: &str) -> Result<String> {
        let text = self.file(file)?;
        let (begin, end) = (format!("// ANCHOR: {anchor}"), format!("// ANCHOR_END: {anchor}"));
        let mut after = text.lines().skip_while(|line| line.trim() != begin).skip(1).peekable();
        if after.peek().is_none() || !text.lines().any(|line| line.trim() == end) {
            bail!("{}/src/{file} has no anchor `{anchor}`", self.package);
        }
        let inside = after.take_while(|line| line.trim() != end);
        let lines: Vec<&str> = inside.filter(|line| !is_mark(line)).collect();
        Ok(outdented(&lines))
    }

    /// Returns the text of a file of `src/`, with its anchors.
    pub(crate) fn file(&self, file: &str) -> Result<String> {
        read(&self.dir.join("src").join(file))
    }

    /// Returns a scene's question, and the code of its function and its helpers, all in one file.
    fn scene_code(&self, name: &str, helpers: &[&str]) -> Result<(String, String)> {
        let scenes = self.dir.join("src/scenes");
        for entry in fs::read_dir(&scenes).with_context(|| scenes.display().to_string())? {
            let path = entry?.path();
            let text = read(&path)?;
            let syntax = syn::parse_file(&text).with_context(|| path.display().to_string())?;
            if let Some(question) = question(&syntax, name) {
                let mut code = function(&syntax, &text, name)
                    .with_context(|| format!("no function plays the scene `{name}`"))?;
                for helper in helpers {
                    let helper = function(&syntax, &text, helper);
                    code += "\n\n";
                    code += &helper.with_context(|| format!("no such helper of `{name}`"))?;
                }
                return Ok((question, code));
            }
        }
        bail!("{} has no scene `{name}`", self.package)
    }
}

/// Returns the question of `scene!(name, "question")`.
fn question(syntax: &syn::File, name: &str) -> Option<String> {
    let declared = syntax.items.iter().filter_map(|item| match item {
        Item::Macro(item) if item.mac.path.is_ident("scene") => {
            item.mac.parse_body::<Declaration>().ok()
        }
        _ => None,
    });
    let found = declared.into_iter().find(|it| it.name == name)?;
    Some(found.question.value())
}

/// The arguments of `scene!`.
struct Declaration {
    name: syn::Ident,
    question: syn::LitStr,
}

impl syn::parse::Parse for Declaration {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<syn::Token![,]>()?;
        let question = input.parse()?;
        input.parse::<Option<syn::Token![,]>>()?;
        Ok(Declaration { name, question })
    }
}

/// Returns the lines of a function, with its doc comment.
fn function(syntax: &syn::File, text: &str, name: &str) -> Option<String> {
    let is_it = |item: &&Item| matches!(item, Item::Fn(item) if item.sig.ident == name);
    let span = syntax.items.iter().find(is_it)?.span();
    let lines: Vec<&str> = text.lines().collect();
    Some(lines[span.start().line - 1..span.end().line].join("\n"))
}

/// Removes the anchors, for a listing or a comparison.
pub(crate) fn without_marks(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !is_mark(line)).collect();
    lines.join("\n") + "\n"
}

fn is_mark(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("// ANCHOR: ") || line.starts_with("// ANCHOR_END: ")
}

fn outdented(lines: &[&str]) -> String {
    let written = lines.iter().filter(|line| !line.trim().is_empty());
    let indent = written.map(|line| line.len() - line.trim_start().len()).min().unwrap_or(0);
    let shifted: Vec<&str> = lines.iter().map(|line| line.get(indent..).unwrap_or("")).collect();
    shifted.join("\n")
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("read {}", path.display()))
}

/// Returns the struct literals in a constant list.
fn structs(path: &Path, constant: &str) -> Result<Vec<ExprStruct>> {
    let syntax = syn::parse_file(&read(path)?).with_context(|| path.display().to_string())?;
    let list = syntax.items.into_iter().find_map(|item| match item {
        Item::Const(item) if item.ident == constant => Some(*item.expr),
        _ => None,
    });
    let list = list.with_context(|| format!("{} has no {constant}", path.display()))?;
    let elements = elements(&list).with_context(|| format!("{constant} isn't a list"))?;
    let structs = elements.map(|element| match element {
        Expr::Struct(literal) => Ok(literal.clone()),
        _ => bail!("{constant} has an element that isn't a struct literal"),
    });
    structs.collect()
}

/// Returns the elements of `&[…]`.
fn elements(list: &Expr) -> Option<impl Iterator<Item = &Expr>> {
    let Expr::Reference(reference) = list else { return None };
    let Expr::Array(array) = &*reference.expr else { return None };
    Some(array.elems.iter())
}

fn field<'a>(literal: &'a ExprStruct, name: &str) -> Result<&'a Expr> {
    let is_it = |member: &syn::Member| matches!(member, syn::Member::Named(it) if it == name);
    let field = literal.fields.iter().find(|field| is_it(&field.member));
    Ok(&field.with_context(|| format!("no field `{name}`"))?.expr)
}

fn text_field(literal: &ExprStruct, name: &str) -> Result<String> {
    text(field(literal, name)?).with_context(|| format!("`{name}` is neither text nor number"))
}

/// Returns the text of a field that's `None` or `Some` text.
fn optional_field(literal: &ExprStruct, name: &str) -> Result<Option<String>> {
    match field(literal, name)? {
        Expr::Call(some) => {
            let inner = some.args.first().and_then(text);
            Ok(Some(inner.with_context(|| format!("no text in `{name}`"))?))
        }
        _ => Ok(None),
    }
}

fn list_field(literal: &ExprStruct, name: &str) -> Result<Vec<String>> {
    let elements = elements(field(literal, name)?).with_context(|| format!("no list `{name}`"))?;
    elements.map(|element| text(element).with_context(|| format!("no text in `{name}`"))).collect()
}

fn text(expression: &Expr) -> Option<String> {
    let Expr::Lit(literal) = expression else { return None };
    match &literal.lit {
        Lit::Str(text) => Some(text.value()),
        Lit::Int(number) => Some(number.base10_digits().to_owned()),
        _ => None,
    }
}
