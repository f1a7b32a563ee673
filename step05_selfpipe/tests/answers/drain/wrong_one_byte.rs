        // expect: the loop woke up 10 time
        match step01_fd::read(&self.reader, &mut [0])? {
            Read::Bytes(count) => Ok(count),
            Read::WouldBlock | Read::End => Ok(0),
        }
