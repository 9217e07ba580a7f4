import Glibc
import Testing

/// `Scripts/check-openapi`, an independent reader of the document.
private enum Checker {
  static let isThere = run("--check").status == 0

  static func run(_ arguments: String = "") -> (status: Int32, output: String) {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined()
    let command = "'\(root)/Scripts/check-openapi' \(arguments) 2>&1"
    guard let pipe = popen(command, "r") else { return (-1, "cannot start \(command)") }
    var output: [UInt8] = []
    var byte = fgetc(pipe)
    while byte != EOF {
      output.append(UInt8(truncatingIfNeeded: byte))
      byte = fgetc(pipe)
    }
    return (pclose(pipe), String(decoding: output, as: UTF8.self))
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
