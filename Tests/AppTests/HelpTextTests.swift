import Testing

@testable import GatehouseApp

@Suite struct HelpTextTests {
  private static let command = Synopsis(
    "dance", summary: "Dances.", operands: ["PARTNER", "FLOOR"], optionalOperands: 1,
    options: [
      .init(name: "--slow", value: nil, help: "Take your time."),
      .init(name: "--music-of-the-evening", value: "FILE", help: "What is played."),
    ],
    details: String(repeating: "Round and round. ", count: 7))

  @Test func `a page on a command has its usage, its summary, its details and its options`() {
    #expect(
      HelpText.page(on: Self.command) == """
        Usage: gatehouse dance PARTNER [FLOOR] [--slow] [--music-of-the-evening FILE]

        Dances.

        Round and round. Round and round. Round and round. Round and round. Round and round. Round and
        round. Round and round.

          --slow                  Take your time.
          --music-of-the-evening FILE
                                  What is played.

        """)
  }

  @Test func `the overview has a line for each command`() {
    #expect(
      HelpText.overview(of: [Self.command, Synopsis("rest", summary: "Rests.")]) == """
        Gatehouse keeps typed objects in a SQLite file and serves them over HTTP.

        Usage: gatehouse COMMAND …

          dance PARTNER [FLOOR]   Dances.
          rest                    Rests.

        gatehouse help COMMAND says more about one; gatehouse help settings lists what can be set.

        """)
  }
}
