        let mut buffer = [0; 4096];
        let mut last = 0;
        while let Read::Bytes(count) = step01_fd::read(&self.reader, &mut buffer)? {
            last = count;
        }
        Ok(last)
