        let mut buffer = [0; 64];
        match step01_fd::read(&self.reader, &mut buffer)? {
            Read::Bytes(count) => Ok(count),
            Read::WouldBlock | Read::End => Ok(0),
        }
