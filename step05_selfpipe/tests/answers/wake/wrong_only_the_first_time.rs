        static WOKEN: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
        if !WOKEN.swap(true, std::sync::atomic::Ordering::SeqCst) {
            let _ = step01_fd::write(&*self.writer, &[0]);
        }
