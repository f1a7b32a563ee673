// hangs
        let mut count = 0;
        let mut byte = [0];
        while step01_fd::read(&self.reader, &mut byte)? == Read::Bytes(1) {
            count += 1;
        }
        Ok(count)
