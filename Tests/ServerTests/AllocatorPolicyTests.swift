import GatehouseServer
import Glibc
import Testing

struct AllocatorPolicyTests {
  /// Whether a block of that size is a mapping of its own: the second bit of the size in front of it (glibc, `IS_MMAPPED`).
  private static func isMapped(_ size: Int) -> Bool {
    guard let block = malloc(size) else { return false }
    defer { free(block) }
    return (block - 8).load(as: UInt.self) & 2 != 0
  }

  /// In a process of its own, whose allocator is changed.
  @Test func `large blocks are given back when they are freed, whatever was freed before`() async {
    await #expect(processExitsWith: .success) {
      #expect(AllocatorPolicy.apply())
      // Without it, no block that is smaller than one that was freed is a mapping any more.
      for size in [16 << 20, 9 << 20, AllocatorPolicy.mappedSize] {
        #expect(AllocatorPolicyTests.isMapped(size))
        #expect(AllocatorPolicyTests.isMapped(size))
      }
      #expect(!AllocatorPolicyTests.isMapped(1 << 20))
    }
  }
}
