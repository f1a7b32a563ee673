        let total = bytes.len();
        while !bytes.is_empty() {
            self.socket.writable().await?;
            let written = total - bytes.len();
            let count = self.try_write(bytes).map_err(|error| match error {
                step06_tasks::Error::Io(error) => {
                    let context = format!("{error} (after {written} of {total} bytes)");
                    std::io::Error::new(error.kind(), context).into()
                }
                other => other,
            })?;
            bytes = &bytes[count..];
        }
        Ok(())
