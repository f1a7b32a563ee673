    let text = target.to_string_lossy();
    let inode = |prefix: &str| -> Option<u64> {
        text.strip_prefix(prefix)?.strip_suffix(']')?.parse().ok()
    };
    if text.starts_with('/') {
        return Kind::Path(PathBuf::from(text.as_ref()));
    }
    if let Some(inode) = inode("pipe:[") {
        return Kind::Pipe { inode };
    }
    if let Some(inode) = inode("socket:[") {
        return Kind::Socket { inode };
    }
    if let Some(name) = text.strip_prefix("anon_inode:") {
        let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        return Kind::AnonInode(name.to_owned());
    }
    Kind::Other(text.into_owned())
