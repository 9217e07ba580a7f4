import CGatehouseMemory
import Glibc

/// Zeros, which the system gives as they are first touched and takes back with the value.
///
/// Because whoever has the value is the only one to reach the memory, it is safe to send.
struct AnonymousMapping: ~Copyable, @unchecked Sendable {
  /// The bytes of a large page.
  private static let largePage = 2 << 20

  let start: UnsafeMutableRawPointer
  private let count: Int
  private let mapping: UnsafeMutableRawBufferPointer

  /// `count` is in bytes. What large pages fit into begins where one can.
  init(count: Int) {
    let slack = count < Self.largePage ? 0 : Self.largePage
    let memory = mmap(nil, count + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory, memory != MAP_FAILED else { fatalError("out of memory") }
    start = slack == 0 ? memory : memory.alignedUp(toMultipleOf: Self.largePage)
    mapping = UnsafeMutableRawBufferPointer(start: memory, count: count + slack)
    self.count = count
  }

  deinit {
    munmap(mapping.baseAddress, mapping.count)
  }

  /// Puts everything into large pages, touched or not, so that the processor finds its way to it sooner; a system
  /// that has none leaves it as it is.
  func useLargePages() {
    _ = memory_collapse(start, count / Self.largePage * Self.largePage)
  }
}
