        // hangs
        match read(&self.stream, scratch)? {
            Read::End => Ok(Progress::Finished),
            Read::WouldBlock => Ok(Progress::Waiting),
            Read::Bytes(count) => {
                step01_fd::write(&self.stream, &scratch[..count])?;
                Ok(Progress::Echoed)
            }
        }
