    // expect: the same N: true
    let text = target.to_string_lossy();
    let Some((kind, rest)) = text.split_once(':').filter(|_| !target.is_absolute()) else {
        return Kind::Path(target.to_path_buf());
    };
    match kind {
        "pipe" => Kind::Pipe { inode: 0 },
        "socket" => Kind::Socket { inode: 0 },
        "anon_inode" => {
            Kind::AnonInode(rest.trim_matches(|c| c == '[' || c == ']').to_string())
        }
        _ => Kind::Other(text.into_owned()),
    }
