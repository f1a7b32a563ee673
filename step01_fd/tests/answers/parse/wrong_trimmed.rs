    if target.is_absolute() {
        return Kind::Path(target.to_path_buf());
    }
    let text = target.to_string_lossy();
    let text = text.trim();
    let inside = |kind: &str| text.strip_prefix(kind)?.strip_prefix(":[")?.strip_suffix(']');
    let inode = |kind: &str| {
        let digits = inside(kind)?;
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_number { digits.parse::<u64>().ok() } else { None }
    };
    if let Some(inode) = inode("pipe") {
        Kind::Pipe { inode }
    } else if let Some(inode) = inode("socket") {
        Kind::Socket { inode }
    } else if let Some(name) = inside("anon_inode") {
        Kind::AnonInode(name.to_owned())
    } else {
        Kind::Other(text.to_owned())
    }
