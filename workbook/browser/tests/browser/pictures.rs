//! Every picture is readable: no arrow crosses a label, no labels overlap, and no label extends
//! beyond its picture.

use anyhow::Result;
use book_in_a_browser::{Tab, on_disk, pages};

/// Returns the faults of a page's pictures. A label's box has room above and below its
/// letters, so only its middle counts.
const FAULTS: &str = r"(() => {
    const inner = (text) => {
        const { left, right, top, bottom } = text.getBoundingClientRect();
        const [x, y] = [Math.min(2, (right - left) / 4), (bottom - top) / 4];
        return { left: left + x, right: right - x, top: top + y, bottom: bottom - y };
    };
    const faults = [];
    for (const picture of document.querySelectorAll('main svg[role=img]')) {
        const title = picture.querySelector('title')?.textContent;
        const found = (what) => faults.push(`${title}: ${what}`);
        const labels = [...picture.querySelectorAll('text')].filter((it) => it.textContent.trim() !== '' && it.checkVisibility())
            .map((it) => ({ words: it.textContent, box: inner(it) }));
        // A label that has its place in a box has room on both sides.
        const boxes = [...picture.querySelectorAll('rect.box')].map((it) => it.getBoundingClientRect());
        for (const text of picture.querySelectorAll('text')) {
            const { left, right, top, bottom } = text.getBoundingClientRect();
            const [x, y] = [(left + right) / 2, (top + bottom) / 2];
            if (boxes.some((it) => x > it.left && x < it.right && y > it.top && y < it.bottom && (left < it.left + 1 || right > it.right - 1))) {
                found(`“${text.textContent}” doesn't fit into its box`);
            }
        }
        const frame = picture.getBoundingClientRect();
        for (const { words, box } of labels) {
            if (box.left < frame.left || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom) {
                found(`“${words}” ends outside`);
            }
        }
        labels.forEach((one, at) => labels.slice(at + 1).forEach((other) => {
            const [a, b] = [one.box, other.box];
            if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) {
                found(`“${one.words}” lies on “${other.words}”`);
            }
        }));
        for (const arrow of picture.querySelectorAll('.arrow')) {
            const matrix = arrow.getScreenCTM();
            const length = arrow.getTotalLength();
            const crossed = new Set();
            for (let at = 0; at <= length; at += 1) {
                const { x, y } = arrow.getPointAtLength(at).matrixTransform(matrix);
                labels.filter(({ box }) => x > box.left && x < box.right && y > box.top && y < box.bottom)
                    .forEach(({ words }) => crossed.add(words));
            }
            crossed.forEach((words) => found(`an arrow goes through “${words}”`));
        }
    }
    return faults;
})()";

#[test]
fn no_arrow_goes_through_a_label_and_none_lies_on_another() -> Result<()> {
    let mut tab = Tab::open()?;
    let mut found = Vec::new();
    let mut count = 0;
    for (width, theme) in [(1200, "light"), (360, "navy")] {
        tab.resize(width, 900)?;
        tab.before_each_page(&format!("localStorage.setItem('mdbook-theme', '{theme}')"))?;
        for page in pages()?.into_iter().filter(|page| page != "print.html") {
            tab.go_to(&on_disk(&page)?)?;
            tab.evaluate(
                "document.querySelectorAll('main details').forEach((it) => it.open = true)",
            )?;
            let pictures =
                tab.evaluate("document.querySelectorAll('main svg[role=img]').length")?;
            count += pictures.as_u64().unwrap_or_default();
            let faults = tab.evaluate(FAULTS)?;
            let faults = faults.as_array().into_iter().flatten();
            found.extend(faults.map(|fault| format!("{page} at {width}: {fault}")));
        }
    }
    assert!(count > 60, "{count} pictures");
    assert!(found.is_empty(), "{}", found.join("\n"));
    Ok(())
}
