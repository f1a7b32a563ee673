//! Hidden code: the reader's page includes it, but no command shows it before the reader asks.

use std::fs;

use crate::copy::{STEP, Workbook};

/// Makes a copy whose step hides the function with this name, if there is one.
fn hiding(function: &str) -> Workbook {
    let workbook = Workbook::fresh();
    let change = |file: &str, change: &dyn Fn(String) -> String| {
        let file = workbook.root.join(STEP).join(file);
        let text = fs::read_to_string(&file).expect("read");
        fs::write(&file, change(text)).expect("write");
    };
    change("exercises.toml", &|text| {
        format!(
            "[[hidden]]\nfile = \"src/greeting.rs\"\nfunctions = [\"{function}\"]\n\
             because = \"it's half of 90.2\"\n\n{text}"
        )
    });
    change("src/greeting.rs", &|text| text.replace("fn polite", "pub(crate) fn polite"));
    change("src/lib.rs", &|text| {
        text + "\nfn _elsewhere() -> String {\n    crate::greeting::polite(\"\")\n}\n"
    });
    workbook
}

#[test]
fn a_page_does_not_show_what_it_hides_and_its_code_has_it() {
    let workbook = hiding("polite");
    workbook.run(&[]);
    let page = fs::read_to_string(workbook.page("src/greeting.rs")).expect("read");
    assert!(!page.contains("polite") && !page.contains("dear"), "{page}");
    let end = "}\n\n// Not shown here, because it's half of 90.2.\n\
               #[path = \"../../.hidden/step90_fixture/greeting.rs\"]\n\
               pub(crate) mod hidden;\nuse hidden::*;\n";
    assert!(page.ends_with(end), "{page}");

    workbook.solve_double();
    workbook.solve_greet();
    let ran = workbook.run(&[]);
    assert!(ran.out.contains("All green"), "{ran:?}");
    let page = fs::read_to_string(workbook.page("src/greeting.rs")).expect("read");
    let own = "fn polite(name: &str) -> std::borrow::Cow<'_, str> {\n    \
               format!(\"dear {name}\").into()\n}\n";
    fs::write(workbook.page("src/greeting.rs"), page + own).expect("write");
    let ran = workbook.run(&[]);
    assert!(ran.out.contains("All green"), "with a function of that name: {ran:?}");
}

#[test]
fn what_is_hidden_is_made_again_when_it_is_missing_or_out_of_date() {
    let workbook = hiding("polite");
    workbook.run(&[]);
    workbook.solve_double();
    workbook.solve_greet();
    let hidden = workbook.root.join("work/.hidden");
    let file = hidden.join(STEP).join("greeting.rs");
    let made = fs::read_to_string(&file).expect("read");
    fs::remove_dir_all(&hidden).expect("remove");
    let ran = workbook.run(&[]);
    assert!(ran.out.contains("All green"), "{ran:?}");
    assert!(!ran.out.contains("was missing"), "it's none of the reader's files: {ran:?}");
    fs::write(&file, "// Of an older workbook.\n").expect("write");
    let ran = workbook.run(&[]);
    assert!(ran.out.contains("All green"), "{ran:?}");
    assert_eq!(fs::read_to_string(&file).expect("read"), made);
}

#[test]
fn a_solution_comes_with_the_hidden_functions_that_it_calls() {
    let workbook = hiding("polite");
    workbook.run(&[]);
    let ran = workbook.run(&["reveal", "greet", "--yes"]);
    assert!(ran.out.contains("polite(name)"), "{ran:?}");
    assert!(
        ran.out.ends_with(
            "\n\npub(crate) fn polite(name: &str) -> String {\n    format!(\"dear {name}\")\n}\n"
        ),
        "{ran:?}"
    );
    let ran = workbook.run(&["reveal", "double", "--yes"]);
    assert!(!ran.out.contains("polite"), "{ran:?}");
}

#[test]
fn a_hidden_name_that_the_step_lacks_is_named() {
    let workbook = hiding("plite");
    let ran = workbook.run(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let why = "step90_fixture/exercises.toml: hidden: src/greeting.rs has no function plite";
    assert!(ran.err.contains(why), "{}", ran.err);
    assert!(!workbook.page("src").exists(), "no half of a page is made");
}
