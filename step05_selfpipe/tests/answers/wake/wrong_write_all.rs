        use std::io::Write;
        if let Ok(writer) = self.writer.try_clone() {
            let _ = std::fs::File::from(writer).write_all(&[0]);
        }
