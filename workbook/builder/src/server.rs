//! `-- serve`: serves the cockpit and the built book on 127.0.0.1, using the loop of step 07.
//!
//! The script `theme/served_by.js` asks which server sent the page and names that server in the
//! page's footer.

use std::io::{Write, stdout};

use anyhow::Result;
use cockpit::{Bound, CockpitOptions};

/// Serves the pages until Ctrl-C. The book can be rebuilt while it's being served.
pub(crate) fn serve(options: CockpitOptions) -> Result<()> {
    let cockpit = Bound::bind(options)?;
    writeln!(stdout(), "The book is at {}  (Ctrl-C ends it)", cockpit.url())?;
    cockpit.run()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use cockpit::SERVER;

    use super::*;

    /// The pages' script recognizes the server by its name.
    #[test]
    fn the_foot_of_a_page_knows_who_has_sent_it() -> Result<()> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../theme/served_by.js");
        let script = std::fs::read_to_string(file)?;
        assert!(script.contains(&format!("\"{SERVER}\": ")), "{SERVER}");
        assert!(script.contains(&format!("\"{SERVER} (yours)\": ")), "{SERVER}");
        Ok(())
    }
}
