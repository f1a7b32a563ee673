        let mut buffer = [0; 1024];
        let mut total = 0;
        let mut outcome = step01_fd::read(&self.reader, &mut buffer)?;
        while let Read::Bytes(count) = outcome {
            total += count;
            outcome = step01_fd::read(&self.reader, &mut buffer).unwrap_or(Read::WouldBlock);
        }
        Ok(total)
