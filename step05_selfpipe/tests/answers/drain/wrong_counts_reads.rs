        let mut buffer = [0; 4096];
        let mut count = 0;
        while let Read::Bytes(_) = step01_fd::read(&self.reader, &mut buffer)? {
            count += 1;
        }
        Ok(count)
