//! How far a run over files has come, how fast it is, and how long it may still take.

use crate::text::{bytes, count, duration, thousands};

/// What a request is reckoned to cost besides the bytes of its file, in bytes; else a thousand tiny files would pass
/// for no work at all.
const REQUEST: f64 = 16.0 * 1024.0;

/// Before so many milliseconds a speed is chance.
const AT_LEAST_MS: u64 = 1_000;

/// Files of fewer bytes than this are counted, larger ones weighed.
const TINY: u64 = 4 * 1024;

/// How far a run over files has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    /// How many files are done.
    pub(crate) done: usize,
    /// How many there are.
    pub(crate) total: usize,
    /// How many bytes came.
    pub(crate) bytes: u64,
    /// How many bytes all files promise to have.
    promised: u64,
    /// When it began, on the clock for measuring.
    began: u64,
    /// When it was last told of, on the same clock.
    told: u64,
}

impl Run {
    /// A run that begins now, over so many files of so many bytes.
    pub(crate) const fn new(total: usize, promised: u64, now: u64) -> Self {
        Self { done: 0, total, bytes: 0, promised, began: now, told: now }
    }

    /// So many files more are done, of which so many bytes came.
    pub(crate) const fn advance(&mut self, files: usize, came: u64, now: u64) {
        self.done += files;
        self.bytes += came;
        self.told = now;
    }

    /// How far it is.
    pub(crate) fn so_far(&self) -> String {
        let (done, files) = (thousands(self.done as u64), count(self.total, "file"));
        format!("{done} of {files}, {}", bytes(self.bytes))
    }

    /// How fast it is and how long it may still take, once that can be known.
    pub(crate) fn pace(&self) -> Option<String> {
        let (speed, left) = self.speed().zip(self.left_ms())?;
        Some(format!("{speed}, {} left", whole_seconds(left)))
    }

    const fn took_ms(&self) -> u64 {
        self.told - self.began
    }

    /// Bytes by the second, or files where those are tiny.
    fn speed(&self) -> Option<String> {
        let ms = self.took_ms();
        if ms < AT_LEAST_MS || self.done == 0 {
            return None;
        }
        let by_second = |amount: u64| amount.saturating_mul(1_000) / ms;
        let files = self.done as u64;
        Some(if self.bytes / files >= TINY {
            format!("{}/s", bytes(by_second(self.bytes)))
        } else if by_second(files) < 10 {
            let tenths = by_second(files * 10);
            format!("{}.{} files/s", tenths / 10, tenths % 10)
        } else {
            format!("{} files/s", thousands(by_second(files)))
        })
    }

    /// How long it takes still, if it goes on like this.
    fn left_ms(&self) -> Option<u64> {
        let work = |files: usize, bytes: u64| files as f64 * REQUEST + bytes as f64;
        let done = work(self.done, self.bytes.min(self.promised));
        let left = work(self.total, self.promised) - done;
        (self.done < self.total).then_some((self.took_ms() as f64 * left / done) as u64)
    }
}

/// Parts of a second would only flicker.
fn whole_seconds(ms: u64) -> String {
    match ms.div_ceil(1_000) {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds => duration(seconds.saturating_mul(1_000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1024 * 1024;

    fn run(total: usize, promised: u64, (files, came, ms): (usize, u64, u64)) -> Run {
        let mut run = Run::new(total, promised, 500);
        run.advance(files, came, 500 + ms);
        run
    }

    fn pace(total: usize, promised: u64, told: (usize, u64, u64)) -> String {
        run(total, promised, told).pace().unwrap_or_default()
    }

    #[test]
    fn pace_is_told_once_it_can_be_known() {
        assert_eq!(pace(512, 16 * MIB, (0, 0, 5_000)), "");
        assert_eq!(pace(512, 16 * MIB, (128, 4 * MIB, 999)), "");
        assert_eq!(pace(512, 16 * MIB, (128, 4 * MIB, 2_000)), "2.1 MB/s, 6 s left");
        assert_eq!(pace(512, 16 * MIB, (512, 16 * MIB, 8_000)), "");
        let later = run(1_512, 16 * MIB, (1_128, 4 * MIB, 2_000));
        assert_eq!(later.so_far(), "1,128 of 1,512 files, 4.2 MB");
    }

    #[test]
    fn tiny_files_are_counted() {
        assert_eq!(pace(2_000, 20_000, (500, 5_000, 2_500)), "200 files/s, 8 s left");
        assert_eq!(pace(3, 30, (2, 20, 4_000)), "0.5 files/s, 2 s left");
    }

    #[test]
    fn what_is_left_weighs_bytes_and_requests() {
        // One of two files is done, and it was the small one.
        assert_eq!(pace(2, 10 * MIB, (1, MIB, 10_000)), "104.9 kB/s, 1 min left");
        // More came than was promised: that is no reason to be done.
        assert_eq!(pace(2, 10, (1, 10 * MIB, 2_000)), "5.2 MB/s, 2 s left");
        assert!(pace(usize::MAX, u64::MAX, (1, 1, u64::MAX - 500)).ends_with("left"));
    }
}
