    // Only a file's name can be something else than UTF-8.
    let Some(text) = target.to_str() else {
        return Kind::Path(target.to_path_buf());
    };
    if target.is_absolute() {
        return Kind::Path(target.to_path_buf());
    }
    let parts = text.strip_suffix(']').and_then(|text| text.split_once(":["));
    match parts {
        Some(("anon_inode", name)) => Kind::AnonInode(name.to_string()),
        Some((kind @ ("pipe" | "socket"), inode)) => match inode.parse::<u64>() {
            Ok(inode) if kind == "pipe" => Kind::Pipe { inode },
            Ok(inode) => Kind::Socket { inode },
            Err(_) => Kind::Other(text.to_string()),
        },
        _ => Kind::Other(text.to_string()),
    }
