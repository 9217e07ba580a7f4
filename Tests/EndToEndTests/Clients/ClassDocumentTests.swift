import GatehouseTestSupport
import Testing

/// `Scripts/check-classes`, which has Python's validators read the documents of classes.
private enum Validators {
  static let areThere = run("--check").status == 0

  static func run(_ arguments: String) -> (status: Int32, output: String) {
    Machine.run("'\(Machine.root)/Scripts/check-classes' \(arguments) 2>&1")
  }
}

@Suite(
  .enabled(
    if: Validators.areThere,
    "needs python3 with openapi-spec-validator; Scripts/check-classes --install gets it")
)
struct ClassDocumentTests {
  @Test func `what the documents describe is what the server takes and answers`() {
    let (status, output) = Validators.run("--program '\(Gatehouse.path)'")
    #expect(status == 0 && output == "valid: the documents of classes\n", Comment(rawValue: output))
  }
}
