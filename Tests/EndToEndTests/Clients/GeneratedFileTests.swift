import GatehouseTestSupport
import Testing

/// `Scripts/check-generated`, which compiles what `gatehouse generate` writes, and uses it.
private enum Generated {
  static let hasTypeScript = run("typescript --check").status == 0
  static let hasSwift = run("swift --check").status == 0
  static let hasPython = run("python --check").status == 0

  static func run(_ arguments: String) -> (status: Int32, output: String) {
    Machine.run("'\(Machine.root)/Scripts/check-generated' \(arguments) 2>&1")
  }

  static func expectWorks(_ language: String) {
    let (status, output) = run("\(language) --program '\(Gatehouse.path)'")
    #expect(status == 0 && output.hasSuffix("works: \(language)\n"), Comment(rawValue: output))
  }
}

@Suite struct GeneratedFileTests {
  @Test(.enabled(if: Generated.hasTypeScript, "needs python3, node and tsc (Debian's node-typescript)"))
  func `a client in TypeScript creates, reads, lists, changes, deletes and watches`() {
    Generated.expectWorks("typescript")
  }

  @Test(.enabled(if: Generated.hasSwift, "needs python3 and swiftc"))
  func `a client in Swift creates, reads, lists, changes, deletes and watches`() {
    Generated.expectWorks("swift")
  }

  @Test(.enabled(if: Generated.hasPython, "needs python3"))
  func `a client in Python creates, reads, lists, changes, deletes and watches`() {
    Generated.expectWorks("python")
  }
}
