// hangs
        step01_fd::set_nonblocking(&self.reader, false)?;
        let mut buffer = [0; 4096];
        let mut total = 0;
        while let Read::Bytes(count) = step01_fd::read(&self.reader, &mut buffer)? {
            total += count;
            step01_fd::set_nonblocking(&self.reader, true)?;
        }
        Ok(total)
