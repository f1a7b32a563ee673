//! Hostile pages, which attack other pages or themselves. Each attack is in a separate notebook,
//! among thirty good notebooks.

use super::*;

/// The declarations in bodies that call the kernel directly.
pub(crate) const DECLARED: &str = "unsafe extern \"C\" { fn kill(p: i32, s: i32) -> i32; fn getppid() -> i32; \
     fn setsid() -> i32; fn getsid(p: i32) -> i32; fn fork() -> i32; fn getuid() -> u32; \
     fn shmget(k: i32, s: usize, f: i32) -> i32; fn syscall(n: i64, ...) -> i64; \
     fn setpriority(w: i32, p: u32, n: i32) -> i32; \
     fn ptrace(r: i32, p: i32, a: usize, d: usize) -> i64; \
     fn prlimit(p: i32, r: i32, n: *const [u64; 2], o: *mut [u64; 2]) -> i32; \
     fn write(fd: i32, b: *const u8, n: usize) -> isize; }";

/// Starts twenty processes that leave the group and the session and forget their environment, and
/// waits until they have left.
pub(crate) const LEAVES: &str = "{ let (mut left, leaving) = std::io::pipe().unwrap(); \
     for _ in 0..20 { if unsafe { fork() } == 0 { unsafe { setsid(); } \
     std::io::Write::write_all(&mut &leaving, b\".\").unwrap(); \
     let e = std::os::unix::process::CommandExt::exec(std::process::Command::new(\"sleep\")\
     .env_clear().arg(\"SECONDS\")); panic!(\"{e}\") } } \
     std::io::Read::read_exact(&mut left, &mut [0; 20]).unwrap(); }";

/// The attacks that a notebook mustn't succeed with. Each panics if it succeeds.
const ATTEMPTS: [(&str, &str); 19] = [
    ("writes", "if std::fs::write(\"CANARY/written\", \"\").is_ok() { panic!() }"),
    ("deletes", "if std::fs::remove_dir_all(\"CANARY\").is_ok() { panic!() }"),
    ("reads", "if std::fs::read(\"CANARY/secret\").is_ok() { panic!() }"),
    (
        "forges",
        "if std::fs::write(\"ROOT/step90_fixture/tests/snapshots/small_numbers.snap\", \"\").is_ok() \
         { panic!() }",
    ),
    (
        "forges_the_reference",
        "if std::fs::write(\"ROOT/target/debug/step90_fixture.runs/any_number\", \"\").is_ok() \
         { panic!() }",
    ),
    (
        "changes_itself",
        "let me = std::env::current_exe().unwrap(); \
         if std::fs::File::options().write(true).open(&me).is_ok() { panic!() } \
         if std::fs::write(\"/x\", \"\").is_ok() || std::fs::write(\"/page/x\", \"\").is_ok() { panic!() }",
    ),
    (
        "types",
        "assert!(std::fs::File::open(\"/dev/tty\").is_err()); \
         for it in std::fs::read_dir(\"/dev/pts\").unwrap() { \
         assert_eq!(it.unwrap().file_name(), \"ptmx\") }",
    ),
    (
        "connects",
        "if std::os::unix::net::UnixStream::connect(\"CANARY/socket\").is_ok() { panic!() } \
         let name = <std::os::unix::net::SocketAddr as std::os::linux::net::SocketAddrExt>\
         ::from_abstract_name(\"CANARY\").unwrap(); \
         if std::os::unix::net::UnixStream::connect_addr(&name).is_ok() { panic!() }",
    ),
    (
        "calls",
        "let t = std::time::Duration::from_secs(1); let to = \"127.0.0.1:PORT\".parse().unwrap(); \
         if std::net::TcpStream::connect_timeout(&to, t).is_ok() { panic!() } \
         let far = \"192.0.2.1:53\"; let udp = std::net::UdpSocket::bind(\"0.0.0.0:0\").unwrap(); \
         if udp.send_to(b\"x\", far).is_ok() { panic!() }",
    ),
    (
        "changes_modes",
        "use std::os::unix::fs::PermissionsExt; \
         let mode = std::fs::Permissions::from_mode(0o777); \
         if std::fs::set_permissions(\"CANARY/secret\", mode).is_ok() { panic!() } \
         if std::fs::hard_link(\"CANARY/secret\", \"/tmp/secret\").is_ok() { panic!() }",
    ),
    (
        "kills",
        "DECLARED unsafe { assert!(kill(BYSTANDER, 9) == -1); kill(getppid(), 9); kill(getppid(), 19); \
         kill(1, 9); kill(1, 19); \
         assert!(setpriority(0, BYSTANDER, 19) == -1); \
         assert!(prlimit(BYSTANDER, 0, &[1, 1], std::ptr::null_mut()) == -1) }",
    ),
    (
        "looks_around",
        "let mut seen = 0; for it in std::fs::read_dir(\"/proc\").unwrap() { let it = it.unwrap().path(); \
         if it.join(\"exe\").symlink_metadata().is_ok() { seen += 1; } \
         let words = std::fs::read(it.join(\"cmdline\")).unwrap_or_default(); \
         assert!(!String::from_utf8_lossy(&words).contains(\"grade-page\")); } assert!(seen < 5);",
    ),
    (
        "traces",
        "DECLARED for pid in [1, unsafe { getppid() }] { \
         unsafe { assert!(ptrace(16, pid, 0, 0) == -1 && ptrace(0x4206, pid, 0, 0) == -1); } \
         let of = |name: &str| format!(\"/proc/{pid}/{name}\"); \
         if std::fs::File::options().write(true).open(of(\"mem\")).is_ok() { panic!() } \
         if std::fs::read(of(\"environ\")).is_ok() || std::fs::read_dir(of(\"fd\")).is_ok() { panic!() } \
         for fd in 0..9 { if std::fs::File::options().write(true).open(of(&format!(\"fd/{fd}\"))).is_ok() \
         { panic!() } } }",
    ),
    (
        "is_somebody",
        "DECLARED assert!(unsafe { getuid() } != 0); \
         for path in [\"/etc/shadow\", \"/etc/passwd\", \"/root\", \"/home\", \"/proc/1/root\", \"/run\"] { \
         if std::fs::read(path).is_ok() || std::fs::read_dir(path).is_ok() { panic!() } } \
         if std::fs::write(\"/proc/sys/kernel/domainname\", \"x\").is_ok() { panic!() }",
    ),
    (
        "has_a_strangers_descriptor",
        "DECLARED for fd in 3..64 { if unsafe { write(fd, b\"forged\".as_ptr(), 6) } > 0 { panic!() } }",
    ),
    ("shares", "DECLARED unsafe { shmget(4711, 1 << 20, 0o1666); }"),
    (
        "nests",
        "std::env::set_current_dir(\"/tmp\").unwrap(); for _ in 0..30_000 { \
         std::fs::create_dir(\"d\").unwrap(); std::env::set_current_dir(\"d\").unwrap(); } \
         std::env::set_current_dir(\"/\").unwrap();",
    ),
    (
        "fills",
        "for n in 0..20 { let _ = std::fs::write(format!(\"/tmp/{n}\"), vec![0; 40 << 20]); } \
         for n in 0..20 { let _ = std::fs::remove_file(format!(\"/tmp/{n}\")); }",
    ),
    (
        "writes_to_its_home",
        "std::fs::write(std::env::var(\"HOME\").unwrap() + \"/x\", \"\").unwrap();",
    ),
];

/// The harm that a notebook can do to itself and to the machine, with a part of the message.
const MISDEEDS: [(&str, &str, &str); 9] = [
    ("includes", "println!(include_str!(\"CANARY/secret\"));", "couldn't read"),
    ("includes_a_token", "println!(include_str!(\"CARGO/credentials.toml\"));", "couldn't read"),
    ("includes_above", "println!(include_str!(\"ABOVE/.cargo/config.toml\"));", "couldn't read"),
    ("floods", "loop { println!(\"and again\") }", "printed more than 8 MiB"),
    (
        "floods_with_records",
        "DECLARED let mut record = vec![b'E']; record.extend((1_u32 << 20).to_le_bytes()); \
         record.extend(vec![b'x'; 1 << 20]); loop { for fd in 900..1100 { \
         let mut left = &record[..]; while !left.is_empty() { \
         let n = unsafe { write(fd, left.as_ptr(), left.len()) }; if n <= 0 { break } \
         left = &left[n as usize..]; } } }",
        "printed more than 8 MiB",
    ),
    (
        "remembers",
        "let mut all = vec![]; for _ in 0..3000 { all.push(Vec::<u8>::with_capacity(1 << 26)); }",
        "more memory",
    ),
    (
        "remembers_in_many",
        // Memory that the processes share counts for each. If each process wrote its own memory, a
        // slow machine would need more time for that than a scene has.
        "DECLARED let all = vec![1_u8; 200 << 20]; for _ in 0..7 { if unsafe { fork() } == 0 { break } } \
         loop { std::hint::black_box(&all); std::thread::park() }",
        "more memory",
    ),
    ("forks", "DECLARED loop { unsafe { fork(); } }", ""),
    (
        "ends_its_launcher",
        "DECLARED unsafe { kill(getppid(), 15); } loop {}",
        "that reports on the run",
    ),
];

impl Class {
    /// Fills in the values that only this test knows.
    fn filled(&self, act: &str, bystander: &Bystander, port: u16, home: &Path) -> String {
        let above = self.workbook.root.parent().expect("a directory above").display().to_string();
        act.replace("DECLARED", DECLARED)
            .replace("BYSTANDER", &bystander.0.id().to_string())
            .replace("PORT", &port.to_string())
            .replace("CARGO", &home.display().to_string())
            .replace("ABOVE", &above)
    }

    /// Makes a directory for cargo that contains a password and the crates of the usual directory.
    fn home_with_a_token(&self) -> PathBuf {
        let usual = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let usual = usual.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).expect("a home");
        let home = self.canary.with_extension("home");
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(&home).expect("make it");
        fs::write(home.join("credentials.toml"), "token = \"secret-4711\"").expect("write");
        std::os::unix::fs::symlink(usual.join("registry"), home.join("registry")).expect("link");
        home
    }
}

#[test]
fn a_hostile_notebook_harms_nothing_and_thirty_good_ones_beside_it_get_their_verdicts() {
    let class = Class::new();
    let snapshots = class.workbook.root.join(STEP).join("tests/snapshots");
    let snapshot = snapshots.join("small_numbers.snap");
    let key = fs::read_to_string(&snapshot).expect("read");
    class.workbook.solve_double();
    class.workbook.run(&[]);
    let kept = class.workbook.root.join("target/debug/step90_fixture.runs/any_number");
    let reference_did = without_identity(&kept);
    let bystander = Bystander::new();
    let network = TcpListener::bind("127.0.0.1:0").expect("listen");
    let port = network.local_addr().expect("its address").port();
    let socket = UnixListener::bind(class.canary.join("socket")).expect("listen");
    let name = SocketAddr::from_abstract_name(class.canary.display().to_string()).expect("a name");
    let unnamed = UnixListener::bind_addr(&name).expect("listen");
    let home = class.home_with_a_token();
    let above = class.workbook.root.parent().expect("a directory above").join(".cargo");
    fs::create_dir_all(&above).expect("make it");
    fs::write(above.join("config.toml"), "# secret-4711").expect("write");
    let shared = fs::read_to_string("/proc/sysvipc/shm").expect("read");

    let filled = |act: &str| class.filled(act, &bystander, port, &home);
    for (name, act) in ATTEMPTS {
        class.hands_in_hostile(name, &filled(act));
    }
    for (name, act, _) in MISDEEDS {
        class.hands_in_hostile(name, &filled(act));
    }
    let seconds = format!("471100.{}", std::process::id());
    let leaves = LEAVES.replace("SECONDS", &seconds);
    class.hands_in_hostile("leaves", &format!("{DECLARED} {leaves}"));
    for number in 0..30 {
        class.hands_in(&format!("good_{number}"), &format!("{RIGHT} ^ {number} ^ {number}"));
    }

    let rows = class.rows_with(&[("CARGO_HOME", &home.display().to_string())]);
    fs::remove_dir_all(above).expect("remove it");
    // Nothing has changed, no secret was read, and no server was asked.
    let canary: Vec<_> = fs::read_dir(&class.canary).expect("list").collect();
    assert_eq!(canary.len(), 2);
    let mode = fs::metadata(class.canary.join("secret")).expect("its mode").permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
    assert_eq!(fs::read_to_string(&snapshot).expect("read"), key);
    assert!(without_identity(&kept) == reference_did, "{} has changed", kept.display());
    assert!(!format!("{rows:?}").contains("secret-4711"));
    assert_eq!(fs::read_to_string("/proc/sysvipc/shm").expect("read"), shared);
    assert_eq!(fs::read(class.inherited()).expect("read"), b"");
    assert!(is_alive(&bystander.0.id().to_string()));
    network.set_nonblocking(true).expect("non-blocking");
    assert!(network.accept().is_err());
    for listener in [socket, unnamed] {
        listener.set_nonblocking(true).expect("non-blocking");
        assert!(listener.accept().is_err());
    }
    class.has_left_nothing(&format!("sleep {seconds}"));
    // An attempt that failed costs nothing, and the report says what went wrong.
    let good = (0..30).map(|number| format!("good_{number}"));
    for name in ATTEMPTS.iter().map(|(name, _)| (*name).to_owned()).chain(good) {
        assert_eq!(outcome(&rows, &name), (1, "not written".into(), String::new()), "{name}");
    }
    for (name, _, why) in MISDEEDS {
        let (passed, state, said) = outcome(&rows, name);
        let is_red = passed == 0 && (state == "red" || state == "does not compile");
        assert!(is_red && said.contains(why), "{name}: {passed} {state}: {said}");
    }
    let (passed, _, said) = outcome(&rows, "leaves");
    assert!(passed == 0 && said.contains("left a process behind"), "{passed} {said}");
}
