    let Some(text) = target.to_str() else {
        let is_path = target.is_absolute();
        let other = || Kind::Other(target.display().to_string());
        return if is_path { Kind::Path(target.to_owned()) } else { other() };
    };
    if text.starts_with('/') {
        return Kind::Path(PathBuf::from(text));
    }
    let parts = text.strip_suffix(']').and_then(|text| text.split_once(":["));
    let kind = parts.and_then(|(class, name)| match class {
        "pipe" => Some(Kind::Pipe { inode: name.parse().ok()? }),
        "socket" => Some(Kind::Socket { inode: name.parse().ok()? }),
        "anon_inode" => Some(Kind::AnonInode(name.to_owned())),
        _ => None,
    });
    kind.unwrap_or_else(|| Kind::Other(text.to_owned()))
