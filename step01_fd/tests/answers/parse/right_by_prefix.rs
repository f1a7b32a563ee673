    let text = target.to_string_lossy().into_owned();
    let inode = |kind: &str| {
        let inside = text.strip_prefix(kind)?.strip_prefix(":[")?.strip_suffix(']')?;
        inside.parse::<u64>().ok()
    };
    if target.is_absolute() {
        Kind::Path(target.to_path_buf())
    } else if let Some(inode) = inode("pipe") {
        Kind::Pipe { inode }
    } else if let Some(inode) = inode("socket") {
        Kind::Socket { inode }
    } else if let Some(name) = text.strip_prefix("anon_inode:") {
        Kind::AnonInode(name.replace(['[', ']'], ""))
    } else {
        Kind::Other(text)
    }
