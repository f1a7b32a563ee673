// hangs
        while !can_go_on() {
            self.check_not_shut_down()?;
            step06_tasks::yield_now().await?;
        }
        Ok(())
