        // expect: selects that return, each with a drain: 10
        match step01_fd::read(&self.reader, &mut [0])? {
            Read::Bytes(count) => Ok(count),
            Read::WouldBlock | Read::End => Ok(0),
        }
