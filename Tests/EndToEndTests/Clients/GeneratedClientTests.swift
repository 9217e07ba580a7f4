import GatehouseTestSupport
import Testing

/// `Scripts/check-clients`, which has PyPI's openapi-python-client read the document.
private enum Clients {
  static let isThere = run("--check").status == 0

  static func run(_ arguments: String) -> (status: Int32, output: String) {
    Machine.run("'\(Machine.root)/Scripts/check-clients' \(arguments) 2>&1")
  }
}

@Suite(
  .enabled(
    if: Clients.isThere, "needs python3 with openapi-python-client; Scripts/check-clients --install gets it")
)
struct GeneratedClientTests {
  @Test func `a client generated from the document creates, reads, lists, changes and deletes`() {
    let (status, output) = Clients.run("--program '\(Gatehouse.path)'")
    #expect(status == 0 && output.hasSuffix("works: openapi-python-client\n"), Comment(rawValue: output))
  }
}
