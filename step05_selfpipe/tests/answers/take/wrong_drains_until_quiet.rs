        values.clear();
        loop {
            values.append(&mut lock(&self.queue));
            if self.pipe.drain()? == 0 {
                return Ok(());
            }
        }
