    let text = target.to_string_lossy();
    let (class, name) = text.split_once(':').unwrap_or_default();
    let in_brackets = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let number = in_brackets.and_then(|digits| digits.parse::<u64>().ok());
    match (class, number) {
        _ if target.has_root() => Kind::Path(target.into()),
        ("pipe", Some(inode)) => Kind::Pipe { inode },
        ("socket", Some(inode)) => Kind::Socket { inode },
        ("anon_inode", _) => Kind::AnonInode(in_brackets.unwrap_or(name).to_string()),
        _ => Kind::Other(text.to_string()),
    }
