    if target.is_absolute() {
        return Kind::Path(target.to_path_buf());
    }
    let text = target.to_string_lossy();
    let Some((kind, rest)) = text.split_once(':') else {
        return Kind::Other(text.into_owned());
    };
    let number = || rest.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    match kind {
        // The kernel writes both brackets or none.
        "anon_inode" => Kind::AnonInode(rest.trim_matches('[').trim_matches(']').to_string()),
        "pipe" => number().map_or_else(|| Kind::Other(text.to_string()), |inode| Kind::Pipe { inode }),
        "socket" => {
            number().map_or_else(|| Kind::Other(text.to_string()), |inode| Kind::Socket { inode })
        }
        _ => Kind::Other(text.into_owned()),
    }
