//! Memory of this process.

/// Resident bytes of this process, on Linux.
pub fn resident_bytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    kibibytes(&status, "VmRSS:").map(|kib| kib << 10)
}

/// A line of `/proc/.../status` or `/proc/meminfo`, in KiB.
pub fn kibibytes(text: &str, name: &str) -> Option<usize> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_lines_are_parsed() {
        let text = "VmPeak:\t  20000 kB\nVmRSS:\t   12345 kB\n";
        assert_eq!(kibibytes(text, "VmRSS:"), Some(12_345));
        assert_eq!(kibibytes(text, "VmSwap:"), None);
        if cfg!(target_os = "linux") {
            assert!(resident_bytes().is_some_and(|bytes| bytes > 100_000));
        }
    }
}
