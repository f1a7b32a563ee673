    if target.is_absolute() {
        return Kind::Path(target.to_path_buf());
    }
    let text = target.to_string_lossy();
    let Some((kind, name)) = text.split_once(':') else { return Kind::Other(text.into_owned()) };
    let inside = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let inode = inside.and_then(|inside| inside.parse().ok());
    match (kind, inode) {
        ("pipe", Some(inode)) => Kind::Pipe { inode },
        ("socket", Some(inode)) => Kind::Socket { inode },
        ("anon_inode", _) => Kind::AnonInode(inside.unwrap_or(name).to_string()),
        _ => Kind::Other(text.into_owned()),
    }
