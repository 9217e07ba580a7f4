import GatehouseTestSupport
import Testing

/// `Scripts/check-openapi`, an independent reader of the document.
private enum Checker {
  static let isThere = run("--check").status == 0

  static func run(_ arguments: String = "") -> (status: Int32, output: String) {
    Machine.run("'\(Machine.root)/Scripts/check-openapi' \(arguments) 2>&1")
  }
}

@Suite(
  .enabled(
    if: Checker.isThere, "needs python3 with openapi-spec-validator; Scripts/check-openapi --install gets it")
)
struct OpenAPIValidityTests {
  @Test func `the document is valid OpenAPI 3.1`() {
    let (status, output) = Checker.run()
    #expect(status == 0 && output == "valid: openapi/openapi.yaml\n", Comment(rawValue: output))
  }
}
