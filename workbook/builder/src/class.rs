//! `-- class`: serves a class on an address that the teacher chooses.
//!
//! The program never chooses the address itself, because everyone who can reach the address can see
//! the class's page, and anyone with the code can join the class. So without `--address`, the
//! program lists the machine's addresses, says who can reach each of them and asks the teacher to
//! choose one.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, IsTerminal, Write, stdin, stdout};
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use class::{Bound, ClassOptions, File, PORT};
use cockpit::web::kind_of;
use lexopt::{Error, ValueExt};

use crate::polls;

/// The files of the built book that the class's pages use, apart from the fonts. The names are
/// listed without the hashes that mdBook adds to them.
const OF_THE_BOOK: [&str; 7] = [
    "highlight.js",
    "highlight.css",
    "tomorrow-night.css",
    "ayu-highlight.css",
    "css/general.css",
    "css/variables.css",
    "css/chrome.css",
];

/// The arguments of `class`.
#[derive(Default)]
pub(crate) struct Asked {
    address: Option<SocketAddr>,
    public_origin: Option<String>,
    keep: Option<PathBuf>,
    state: Option<PathBuf>,
}

impl Asked {
    /// Parses one of `class`'s options and its value.
    pub(crate) fn take(&mut self, option: &str, value: OsString) -> Result<(), Error> {
        match option {
            "address" => self.address = Some(value.parse_with(address)?),
            "public-origin" => self.public_origin = Some(value.parse()?),
            "keep" => self.keep = Some(value.into()),
            "state" => self.state = Some(value.into()),
            _ => return Err(Error::UnexpectedOption(format!("--{option}"))),
        }
        Ok(())
    }

    /// Fails if the user gave no address and standard input isn't a terminal on which we can ask
    /// for the address.
    pub(crate) fn check(&self) -> Result<()> {
        if self.address.is_none() && !stdin().is_terminal() {
            bail!(
                "which address should the class be on? --address IP[:PORT] says it:\n{}",
                listed()?
            );
        }
        Ok(())
    }
}

/// Parses an address, with or without a port.
fn address(text: &str) -> Result<SocketAddr, std::net::AddrParseError> {
    text.parse().or_else(|_| Ok(SocketAddr::new(text.parse()?, PORT)))
}

/// Serves a class until the teacher ends it, or until Ctrl-C.
pub(crate) fn serve(asked: &Asked, root: &Path, pages: &Path) -> Result<()> {
    let address = match asked.address {
        Some(address) => address,
        None => chosen()?,
    };
    let state = asked.state.clone().unwrap_or_else(|| root.join("target/class/class.jsonl"));
    let hosts = if address.ip().is_unspecified() { addresses()? } else { Vec::new() };
    let options = ClassOptions {
        root: root.to_owned(),
        address,
        hosts: hosts.into_iter().map(|(ip, _)| host(ip)).collect(),
        public_origin: asked.public_origin.clone(),
        state: state.clone(),
        keep: asked.keep.clone(),
        files: files(&root.join("workbook/theme"), pages)?,
        material: polls::material(root)?,
    };
    let class = Bound::bind(options)?;
    announce(&class, address)?;
    if class.run()? {
        let ended = match &asked.keep {
            Some(directory) => {
                format!("The class is over. Its file is in {}.", directory.display())
            }
            None => "The class is over, and its file is removed.".to_owned(),
        };
        writeln!(stdout(), "{ended}")?;
    } else {
        writeln!(
            stdout(),
            "\nThe class isn't over: the same command goes on with it. To forget it, remove {}.",
            state.display()
        )?;
    }
    Ok(())
}

fn announce(class: &Bound, address: SocketAddr) -> Result<()> {
    let mut out = stdout();
    if let Some(file) = class.set_aside() {
        writeln!(
            out,
            "This is a new class: nothing has happened in the one before for more than a day. Its names and \
             answers are in {}.\n",
            file.display()
        )?;
    }
    if !class.is_new() {
        let students = class.students();
        writeln!(out, "This goes on with the class that was interrupted ({students} in it).\n")?;
    }
    let (code, in_words) = class.code();
    writeln!(out, "Students open   {}", class.students_url())?;
    writeln!(out, "  the code is   {code}   ({in_words})")?;
    writeln!(out, "You open        {}", class.teacher_url())?;
    writeln!(out, "\nIt can be reached by {}.", who_reaches(address.ip()))?;
    let plain = "It's plain HTTP: those who can listen to this network can read names, answers and \
                 tokens, so let students take names that they'd write on the board.";
    writeln!(
        out,
        "{plain}\nCtrl-C stops the server; the class ends when you end it on your page."
    )?;
    Ok(())
}

/// Lists the machine's addresses, asks the teacher for one of them or for another address, and
/// returns the teacher's choice.
fn chosen() -> Result<SocketAddr> {
    let addresses = addresses()?;
    let mut out = stdout();
    writeln!(out, "Which address should the class be on?\n{}", listed()?)?;
    loop {
        write!(out, "A number, or an address: ")?;
        out.flush()?;
        let mut line = String::new();
        if stdin().lock().read_line(&mut line).context("read your choice")? == 0 {
            bail!("no address was chosen");
        }
        let line = line.trim();
        let numbered = line.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        if let Some((ip, _)) = numbered.and_then(|index| addresses.get(index)) {
            return Ok(SocketAddr::new(*ip, PORT));
        }
        match address(line) {
            Ok(address) => return Ok(address),
            Err(_) => writeln!(out, "{line:?} is neither.")?,
        }
    }
}

/// Returns a list of the machine's addresses that says who can reach each of them.
fn listed() -> Result<String> {
    let lines = addresses()?.into_iter().enumerate().map(|(index, (ip, interface))| {
        format!("  {}  {:<16} {interface}: {}\n", index + 1, ip.to_string(), who_reaches(ip))
    });
    Ok(lines.collect())
}

/// Returns the machine's addresses and their interfaces, except for IPv6's link-local addresses,
/// which work only together with an interface.
fn addresses() -> Result<Vec<(IpAddr, String)>> {
    let interfaces = if_addrs::get_if_addrs().context("list this machine's addresses")?;
    let mut addresses: Vec<(IpAddr, String)> = interfaces
        .into_iter()
        .filter(|it| !matches!(it.ip(), IpAddr::V6(ip) if ip.is_unicast_link_local()))
        .map(|it| (it.ip(), it.name))
        .collect();
    addresses.sort_by_key(|(ip, _)| (ip.is_loopback(), ip.is_ipv6()));
    Ok(addresses)
}

/// Formats an address as the host in a URL.
fn host(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

/// Returns a description of who can reach an address, as far as the address itself shows.
fn who_reaches(ip: IpAddr) -> &'static str {
    let is_shared = |ip: std::net::Ipv4Addr| ip.octets()[0] == 100 && ip.octets()[1] & 0xc0 == 64;
    match ip {
        _ if ip.is_loopback() => "programs on this machine only",
        _ if ip.is_unspecified() => "everyone who can reach any address of this machine",
        IpAddr::V4(ip) if ip.is_private() || ip.is_link_local() => {
            "the devices in this machine's network, which is as wide as its administrator made it"
        }
        IpAddr::V4(ip) if is_shared(ip) => "the devices in this provider's or private network",
        IpAddr::V6(ip) if ip.is_unique_local() => "the devices in this machine's network",
        _ => "everyone on the Internet, unless a firewall is in between",
    }
}

/// Reads the files for the class's pages.
fn files(theme: &Path, pages: &Path) -> Result<Vec<File>> {
    let mut files = Vec::new();
    let mut add = |path: String, file: &Path| -> Result<()> {
        let content = fs::read(file).with_context(|| format!("read {}", file.display()))?;
        files.push(File { path, kind: kind_of(file), content: content.into() });
        Ok(())
    };
    add("/".to_owned(), &theme.join("class_student.html"))?;
    add("/teacher".to_owned(), &theme.join("class_teacher.html"))?;
    for (name, file) in files_in(theme)? {
        if [".js", ".css", ".svg"].iter().any(|end| name.ends_with(end)) {
            add(format!("/class/{name}"), &file)?;
        }
    }
    for name in OF_THE_BOOK {
        let (directory, name) = name.rsplit_once('/').unwrap_or(("", name));
        add(format!("/class/{name}"), &hashed(&pages.join(directory), name)?)?;
    }
    for (name, file) in files_in(&pages.join("fonts"))? {
        add(format!("/fonts/{name}"), &file)?;
    }
    Ok(files)
}

/// Returns the path of a file in the built book. `name` is the file's name without the hash that
/// mdBook adds.
fn hashed(directory: &Path, name: &str) -> Result<PathBuf> {
    let (stem, end) = name.rsplit_once('.').context("a name with a type")?;
    let is_it = |it: &str| {
        let hash = it.strip_prefix(stem).and_then(|rest| rest.strip_suffix(end)?.strip_suffix('.'));
        hash.is_some_and(|hash| hash.is_empty() || hash.starts_with('-'))
    };
    let mut found = files_in(directory)?.into_iter().filter(|(it, _)| is_it(it));
    let (_, file) = found.next().with_context(|| format!("the built book has no {name}"))?;
    Ok(file)
}

fn files_in(directory: &Path) -> Result<Vec<(String, PathBuf)>> {
    let named = || format!("list {}", directory.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).with_context(named)? {
        let path = entry.with_context(named)?.path();
        if path.is_file() {
            files.push((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), path));
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_the_usual_port_unless_it_names_one() {
        assert_eq!(address("192.168.1.5").expect("an address").to_string(), "192.168.1.5:7008");
        assert_eq!(address("127.0.0.1:80").expect("an address").to_string(), "127.0.0.1:80");
        assert_eq!(address("[::1]:80").expect("an address").to_string(), "[::1]:80");
        assert_eq!(address("::1").expect("an address").to_string(), "[::1]:7008");
        assert!(address("teacher.local").is_err());
    }

    #[test]
    fn each_address_says_who_can_reach_it() {
        let reaches = |text: &str| who_reaches(text.parse().expect("an address"));
        assert!(reaches("127.0.0.1").contains("this machine only"));
        assert!(reaches("192.168.1.5").contains("this machine's network"));
        assert!(reaches("fd00::1").contains("this machine's network"));
        assert!(reaches("0.0.0.0").contains("any address"));
        assert!(reaches("100.100.1.1").contains("provider"));
        assert!(
            reaches("8.8.8.8").contains("Internet") && reaches("2001:db8::1").contains("Internet")
        );
    }
}
