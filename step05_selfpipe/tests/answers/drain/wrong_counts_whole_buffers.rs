        let mut buffer = [0; 4096];
        let mut total = 0;
        while let Read::Bytes(_) = step01_fd::read(&self.reader, &mut buffer)? {
            total += buffer.len();
        }
        Ok(total)
