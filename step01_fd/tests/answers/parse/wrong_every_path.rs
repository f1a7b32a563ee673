    // expect: pipe.r:          pipe:[
    Kind::Path(target.to_path_buf())
