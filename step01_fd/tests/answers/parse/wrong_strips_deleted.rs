    if target.is_absolute() {
        let bytes = std::os::unix::ffi::OsStrExt::as_bytes(target.as_os_str());
        let bytes = bytes.strip_suffix(b" (deleted)").unwrap_or(bytes);
        let path: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(bytes);
        return Kind::Path(PathBuf::from(path));
    }
    let text = target.to_string_lossy();
    let inner = |prefix: &str| text.strip_prefix(prefix)?.strip_suffix(']');
    if let Some(inode) = inner("pipe:[").and_then(|inode| inode.parse().ok()) {
        Kind::Pipe { inode }
    } else if let Some(inode) = inner("socket:[").and_then(|inode| inode.parse().ok()) {
        Kind::Socket { inode }
    } else if let Some(name) = inner("anon_inode:[").or(text.strip_prefix("anon_inode:")) {
        Kind::AnonInode(name.to_owned())
    } else {
        Kind::Other(text.into_owned())
    }
