//! Applies patches, both to the broken servers and to the loops of *From scratch*.

/// Returns a text after applying a patch in the format of `diff -u`. Every line that the patch
/// keeps or removes has to be in the text, at the place that the patch names. So if the text
/// changes, its patches have to change too.
pub(crate) fn patched(text: &str, patch: &str) -> Result<String, String> {
    let mut old = text.lines().enumerate().peekable();
    let mut new = String::new();
    for line in patch.lines().skip_while(|line| !line.starts_with("@@")) {
        if let Some(hunk) = line.strip_prefix("@@ -") {
            let first: usize = hunk
                .split(',')
                .next()
                .and_then(|number| number.parse().ok())
                .ok_or_else(|| format!("`{line}` isn't the head of a hunk"))?;
            while let Some((_, line)) = old.next_if(|(index, _)| index + 1 < first) {
                new.extend([line, "\n"]);
            }
            continue;
        }
        let (sign, rest) = line.split_at_checked(1).unwrap_or((" ", ""));
        if sign != "+" && old.next().map(|(_, line)| line) != Some(rest) {
            return Err(format!("there's another line in the place of `{rest}`"));
        }
        if sign != "-" {
            new.extend([rest, "\n"]);
        }
    }
    new.extend(old.flat_map(|(_, line)| [line, "\n"]));
    Ok(new)
}
