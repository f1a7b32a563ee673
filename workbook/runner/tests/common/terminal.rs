//! A terminal for tests.

use std::fs::File;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// Makes a terminal and returns its two ends: the keyboard's and the program's.
pub(crate) fn pseudo_terminal() -> (File, File) {
    let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)
        .expect("make a terminal");
    grantpt(&keyboard).expect("grant it");
    unlockpt(&keyboard).expect("unlock it");
    let name = ptsname(&keyboard, Vec::new()).expect("its name");
    let name = name.to_str().expect("a name in UTF-8");
    let terminal = File::options().read(true).write(true).open(name).expect("open its other end");
    (File::from(keyboard), terminal)
}
