//! The names of the kernel's error numbers, for messages and transcripts.

/// Makes a table of the numbers and names.
macro_rules! numbers_of {
    ($($name:ident),* $(,)?) => { &[$((libc::$name, stringify!($name))),*] };
}

#[rustfmt::skip]
const NAMES: &[(i32, &str)] = numbers_of![
    EPERM, ENOENT, ESRCH, EINTR, EIO, ENXIO, E2BIG, ENOEXEC, EBADF, ECHILD, EAGAIN, ENOMEM,
    EACCES, EFAULT, ENOTBLK, EBUSY, EEXIST, EXDEV, ENODEV, ENOTDIR, EISDIR, EINVAL, ENFILE,
    EMFILE, ENOTTY, ETXTBSY, EFBIG, ENOSPC, ESPIPE, EROFS, EMLINK, EPIPE, EDOM, ERANGE, EDEADLK,
    ENAMETOOLONG, ENOLCK, ENOSYS, ENOTEMPTY, ELOOP, ENOMSG, EIDRM, ECHRNG, EL2NSYNC, EL3HLT,
    EL3RST, ELNRNG, EUNATCH, ENOCSI, EL2HLT, EBADE, EBADR, EXFULL, ENOANO, EBADRQC, EBADSLT,
    EBFONT, ENOSTR, ENODATA, ETIME, ENOSR, ENONET, ENOPKG, EREMOTE, ENOLINK, EADV, ESRMNT,
    ECOMM, EPROTO, EMULTIHOP, EDOTDOT, EBADMSG, EOVERFLOW, ENOTUNIQ, EBADFD, EREMCHG, ELIBACC,
    ELIBBAD, ELIBSCN, ELIBMAX, ELIBEXEC, EILSEQ, ERESTART, ESTRPIPE, EUSERS, ENOTSOCK,
    EDESTADDRREQ, EMSGSIZE, EPROTOTYPE, ENOPROTOOPT, EPROTONOSUPPORT, ESOCKTNOSUPPORT,
    EOPNOTSUPP, EPFNOSUPPORT, EAFNOSUPPORT, EADDRINUSE, EADDRNOTAVAIL, ENETDOWN, ENETUNREACH,
    ENETRESET, ECONNABORTED, ECONNRESET, ENOBUFS, EISCONN, ENOTCONN, ESHUTDOWN, ETOOMANYREFS,
    ETIMEDOUT, ECONNREFUSED, EHOSTDOWN, EHOSTUNREACH, EALREADY, EINPROGRESS, ESTALE, EUCLEAN,
    ENOTNAM, ENAVAIL, EISNAM, EREMOTEIO, EDQUOT, ENOMEDIUM, EMEDIUMTYPE, ECANCELED, ENOKEY,
    EKEYEXPIRED, EKEYREVOKED, EKEYREJECTED, EOWNERDEAD, ENOTRECOVERABLE, ERFKILL, EHWPOISON,
];

/// Returns the name of an error number, such as `EPIPE`. For a number without a name, such as 524,
/// returns `errno 524`, and for `None`, `no errno`.
pub fn errno_name(errno: impl Into<Option<i32>>) -> String {
    let Some(number) = errno.into() else { return "no errno".to_owned() };
    let named = NAMES.iter().find(|(known, _)| *known == number);
    named.map_or_else(|| format!("errno {number}"), |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_number_up_to_133_but_the_two_unused_ones_has_a_name() {
        let nameless = (1..=133).filter(|number| errno_name(*number).starts_with("errno"));
        assert_eq!(nameless.collect::<Vec<_>>(), [41, 58]);
        assert_eq!(errno_name(libc::EPIPE), "EPIPE");
        assert_eq!(errno_name(524), "errno 524");
        assert_eq!(errno_name(None), "no errno");
    }
}
