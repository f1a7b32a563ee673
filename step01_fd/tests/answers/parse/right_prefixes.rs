    if target.is_absolute() {
        return Kind::Path(target.to_path_buf());
    }
    let text = target.to_string_lossy();
    let inode = |prefix: &str| -> Option<u64> {
        text.strip_prefix(prefix)?.strip_suffix(']')?.parse().ok()
    };
    if let Some(inode) = inode("pipe:[") {
        return Kind::Pipe { inode };
    }
    if let Some(inode) = inode("socket:[") {
        return Kind::Socket { inode };
    }
    if let Some(name) = text.strip_prefix("anon_inode:") {
        // Nearly all names are in brackets, but inotify's isn't.
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
        return Kind::AnonInode(bare.unwrap_or(name).to_owned());
    }
    Kind::Other(text.into_owned())
