//! Tests that count the memory, threads and descriptors of the whole process.

/// Defines the `main` of a test without a harness. The tests run one after another in the program's
/// only thread, so each test may count the memory, threads and descriptors of the process.
#[macro_export]
macro_rules! one_by_one {
    ($($test:path),* $(,)?) => {
        fn main() -> std::process::ExitCode {
            let trials = vec![$(
                libtest_mimic::Trial::test(stringify!($test), || {
                    $test();
                    Ok(())
                })
            ),*];
            let mut arguments = libtest_mimic::Arguments::from_args();
            arguments.test_threads = Some(1);
            libtest_mimic::run(&arguments, trials).exit_code()
        }
    };
}
