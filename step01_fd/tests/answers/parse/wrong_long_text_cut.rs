    if target.is_absolute() {
        return Kind::Path(target.to_path_buf());
    }
    let text = target.to_string_lossy();
    let (kind, rest) = text.split_once(':').unwrap_or_default();
    let name = rest.trim_start_matches('[').trim_end_matches(']');
    match (kind, name.parse()) {
        ("pipe", Ok(inode)) => Kind::Pipe { inode },
        ("socket", Ok(inode)) => Kind::Socket { inode },
        ("anon_inode", _) => Kind::AnonInode(name.to_string()),
        _ => Kind::Other(text.chars().take(255).collect()),
    }
