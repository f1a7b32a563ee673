//! Trials of `new`, which makes the pair.

use std::os::fd::{AsFd, AsRawFd};

use kit::{Observer, Refusal, cost, without_free_descriptors};
use scene::{Program, Transcript, say, trial};
use step01_fd::{Read, Written, errno, read, write};
use step05_selfpipe::SelfPipe;

use super::pipes::{empty, fill, outcome, readable};

/// A question to ask about pairs.
#[derive(Debug, Clone, Copy)]
enum Verb {
    Descriptors,
    Stream,
    Apart,
    Full,
    NoDescriptors,
    NoRoomForFlags,
    /// The kernel refuses the flag that's set after this many others.
    NoRoomForOneFlag {
        spared: usize,
    },
    FlagsFromTheStart,
    LoopIsGone,
}

trial!(
    a_pair_from_the_start,
    1,
    "Neither end of a new pair blocks or is inherited; a dropped pair leaves no descriptor open."
);
fn a_pair_from_the_start(program: &Program, t: Transcript) -> anyhow::Result<()> {
    use Verb::{
        Apart, Descriptors, FlagsFromTheStart, Full, LoopIsGone, NoDescriptors, NoRoomForFlags,
        NoRoomForOneFlag, Stream,
    };
    for verb in program.verbs([
        Descriptors,
        Stream,
        Apart,
        Full,
        LoopIsGone,
        NoDescriptors,
        NoRoomForFlags,
        NoRoomForOneFlag { spared: 0 },
        NoRoomForOneFlag { spared: 1 },
        FlagsFromTheStart,
    ]) {
        say!(t, "{}", said(verb)?);
    }
    Ok(())
}

fn said(verb: Verb) -> anyhow::Result<String> {
    Ok(match verb {
        Verb::Descriptors => {
            let before = cost::open_descriptors()?;
            let pipes = [SelfPipe::new()?, SelfPipe::new()?];
            let two = cost::open_descriptors()? - before;
            drop(pipes);
            let left = cost::open_descriptors()? - before;
            format!("two pairs open {two} descriptors and leave {left} open when they're dropped")
        }
        Verb::Stream => {
            let pipe = SelfPipe::new()?;
            write(pipe.waker(), b"ab")?;
            write(pipe.waker(), b"c")?;
            let mut buffer = [0; 8];
            let got = read(&pipe, &mut buffer)?;
            let length = if let Read::Bytes(count) = got { count } else { 0 };
            format!(
                "write ab, write c, read once: {:?}",
                String::from_utf8_lossy(&buffer[..length])
            )
        }
        Verb::Apart => {
            let (one, other) = (SelfPipe::new()?, SelfPipe::new()?);
            write(one.waker(), b"!")?;
            let (first, second) = (readable(&one)?, readable(&other)?);
            format!("two pairs, and a write to one: that one is {first}, the other is {second}")
        }
        Verb::Full => {
            let pipe = SelfPipe::new()?;
            let accepted = fill(pipe.waker())?;
            let full = write(pipe.waker(), b"!")? == Written::WouldBlock;
            let kept = empty(&pipe)? == accepted;
            format!("a full pair: another write would block: {full}; all bytes can be read: {kept}")
        }
        Verb::LoopIsGone => {
            let pipe = SelfPipe::new()?;
            let waker = pipe.waker();
            drop(pipe);
            let error = write(&waker, b"!").map_err(|error| error.kind());
            format!("the loop's end is dropped; a write returns {error:?}")
        }
        Verb::NoDescriptors => {
            let refused = without_free_descriptors(SelfPipe::new)?;
            format!("new without a free descriptor: {}", outcome(refused.map(drop)))
        }
        Verb::NoRoomForFlags => {
            // Some answers set a flag after the pair is made, and some don't need to.
            let refuse = |call, argument| Refusal { call, argument, errno: libc::EIO };
            let set_flags = Some((1, u32::try_from(libc::F_SETFL)?));
            let set_by_ioctl = Some((1, u32::try_from(libc::FIONBIO)?));
            let made = refuse(libc::SYS_fcntl, set_flags)
                .during(|| refuse(libc::SYS_ioctl, set_by_ioctl).during(SelfPipe::new))??;
            let blocks = made.is_ok_and(|pipe| blocks(&pipe) || blocks(pipe.waker()));
            format!("new, when no flag can be set later: an end blocks: {blocks}")
        }
        Verb::NoRoomForOneFlag { spared } => {
            let refuse = |call, argument| Refusal { call, argument, errno: libc::EIO };
            let refusals = [
                refuse(libc::SYS_fcntl, Some((1, u32::try_from(libc::F_SETFL)?))),
                refuse(libc::SYS_ioctl, Some((1, u32::try_from(libc::FIONBIO)?))),
            ];
            let (made, _) = Observer::new()?.refusing(&refusals, spared, SelfPipe::new);
            let did = match made {
                Ok(pipe) if blocks(&pipe) || blocks(pipe.waker()) => "an end blocks".to_owned(),
                Err(error) if errno(&error) != Some(libc::EIO) => outcome::<()>(Err(error)),
                _ => "neither end blocks, or new fails with EIO".to_owned(),
            };
            let which = ["first", "second"][spared];
            format!("new, when the {which} flag can't be set later: {did}")
        }
        Verb::FlagsFromTheStart => {
            let set_later = Some((1, u32::try_from(libc::F_SETFD)?));
            let refusal = Refusal { call: libc::SYS_fcntl, argument: set_later, errno: libc::EIO };
            let made = refusal.during(SelfPipe::new)?;
            format!("new, when close-on-exec can't be set later: {}", outcome(made.map(drop)))
        }
    })
}

fn blocks(fd: impl AsFd) -> bool {
    // SAFETY: F_GETFL takes no argument and touches no memory of ours.
    let flags = unsafe { libc::fcntl(fd.as_fd().as_raw_fd(), libc::F_GETFL) };
    flags & libc::O_NONBLOCK == 0
}
