//! The constants in a step's source, read without compiling it: lists of struct literals, and the
//! text, number or list in each of their fields.

use std::path::Path;

use anyhow::{Context, Result, bail};
use syn::{Expr, ExprStruct, Item, Lit};

use crate::steps::read;

/// Returns the struct literals in a constant list. In its place, an element can be the path of a
/// constant in a module of the file: `&[futures::POLL]` in `exercises.rs` is `POLL` in
/// `exercises/futures.rs`.
pub(crate) fn structs(path: &Path, constant: &str) -> Result<Vec<ExprStruct>> {
    let list = value_of(path, constant)?;
    let elements = elements(&list).with_context(|| format!("{constant} isn't a list"))?;
    let structs = elements.map(|element| match element {
        Expr::Struct(literal) => Ok(literal.clone()),
        Expr::Path(of_a_module) => in_module(path, &of_a_module.path),
        _ => bail!("{constant} has an element that isn't a struct literal"),
    });
    structs.collect()
}

/// Returns the struct literal that's a constant in a module of a file.
fn in_module(path: &Path, constant: &syn::Path) -> Result<ExprStruct> {
    let names: Vec<String> = constant.segments.iter().map(|it| it.ident.to_string()).collect();
    let [module, name] = names.as_slice() else { bail!("{names:?} isn't MODULE::NAME") };
    match value_of(&path.with_extension("").join(format!("{module}.rs")), name)? {
        Expr::Struct(literal) => Ok(literal),
        _ => bail!("{module}::{name} isn't a struct literal"),
    }
}

/// Returns the value of a constant in a file.
fn value_of(path: &Path, constant: &str) -> Result<Expr> {
    let syntax = syn::parse_file(&read(path)?).with_context(|| path.display().to_string())?;
    let value = syntax.items.into_iter().find_map(|item| match item {
        Item::Const(item) if item.ident == constant => Some(*item.expr),
        _ => None,
    });
    value.with_context(|| format!("{} has no {constant}", path.display()))
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

pub(crate) fn text_field(literal: &ExprStruct, name: &str) -> Result<String> {
    text(field(literal, name)?).with_context(|| format!("`{name}` is neither text nor number"))
}

/// Returns the text of a field that's `None` or `Some` text.
pub(crate) fn optional_field(literal: &ExprStruct, name: &str) -> Result<Option<String>> {
    match field(literal, name)? {
        Expr::Call(some) => {
            let inner = some.args.first().and_then(text);
            Ok(Some(inner.with_context(|| format!("no text in `{name}`"))?))
        }
        _ => Ok(None),
    }
}

/// Returns the texts of a list. A list that isn't there is empty: an exercise can be judged by
/// scenes, by random programs or by both.
pub(crate) fn list_field(literal: &ExprStruct, name: &str) -> Result<Vec<String>> {
    let Ok(list) = field(literal, name) else { return Ok(Vec::new()) };
    let elements = elements(list).with_context(|| format!("no list `{name}`"))?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_is_not_there_is_empty() {
        let literal: ExprStruct =
            syn::parse_str("Exercise { scenes: &[\"a\", \"b\"] }").expect("a literal");
        assert_eq!(list_field(&literal, "scenes").expect("a list"), ["a", "b"]);
        assert!(list_field(&literal, "trials").expect("no list").is_empty());
    }
}
