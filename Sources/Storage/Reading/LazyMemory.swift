import Glibc

/// Zeros, which the system gives as they are first touched and takes back with the value.
///
/// Because whoever has the value is the only one to reach the memory, it is safe to send.
struct LazyMemory: ~Copyable, @unchecked Sendable {
  let start: UnsafeMutableRawPointer
  private let count: Int

  /// `count` is in bytes.
  init(count: Int) {
    let memory = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory, memory != MAP_FAILED else { fatalError("out of memory") }
    start = memory
    self.count = count
  }

  deinit {
    munmap(start, count)
  }
}
