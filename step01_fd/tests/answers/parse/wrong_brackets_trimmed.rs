    if target.is_absolute() {
        return Kind::Path(target.to_path_buf());
    }
    let text = target.to_string_lossy();
    let inside = |prefix: &str| text.strip_prefix(prefix).map(|rest| rest.trim_end_matches(']'));
    if let Some(inode) = inside("pipe:[").and_then(|inode| inode.parse().ok()) {
        return Kind::Pipe { inode };
    }
    if let Some(inode) = inside("socket:[").and_then(|inode| inode.parse().ok()) {
        return Kind::Socket { inode };
    }
    if let Some(name) = inside("anon_inode:[") {
        return Kind::AnonInode(name.to_owned());
    }
    Kind::Other(text.into_owned())
