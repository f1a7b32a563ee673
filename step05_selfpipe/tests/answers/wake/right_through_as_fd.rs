        // Full or gone: in neither case is there anything left to do.
        step01_fd::write(self, b"\0").ok();
