        self.readiness.write.ready().await?;
        self.try_write(bytes)?;
        bytes = &[];
        drop(bytes);
        Ok(())
