        let mut buffer = [0; 4096];
        let mut total = 0;
        while let Ok(Read::Bytes(count)) = step01_fd::read(&self.reader, &mut buffer) {
            total += count;
        }
        Ok(total)
