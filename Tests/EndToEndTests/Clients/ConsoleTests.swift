import GatehouseTestSupport
import Testing

/// `Scripts/check-console`, which has Playwright drive Debian's Chromium.
private enum Visit {
  static let isThere = run("--check").status == 0

  static func run(_ arguments: String) -> (status: Int32, output: String) {
    Machine.run("'\(Machine.root)/Scripts/check-console' \(arguments) 2>&1")
  }
}

@Suite(
  .enabled(
    if: Visit.isThere,
    "needs python3 with Playwright and axe, Chromium and the Geonames; Scripts/check-console --install gets the former"
  )
)
struct ConsoleTests {
  @Test func `a browser goes through the console, as administrator and as a user with rules`() {
    let checks =
      "page-and-policy classes table filter edit-and-conflict hostile-texts live-and-restart keys-roles-users ordinary-user"
    let (status, output) = Visit.run("--program '\(Gatehouse.path)' \(checks)")
    #expect(status == 0, Comment(rawValue: output))
  }
}
