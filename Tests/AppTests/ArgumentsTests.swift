import Testing

@testable import GatehouseApp

struct ArgumentsTests {
  static let synopsis = Synopsis(
    "import", summary: "", operands: ["CLASS", "FILE"], optionalOperands: 1,
    options: [
      Synopsis.Option(name: "--batch", value: "N", help: ""),
      Synopsis.Option(name: "--quiet", value: nil, help: ""),
    ], settings: .some(["data"]))

  @Test(arguments: [
    ["City", "-", "--batch", "7", "--data", "d"], ["--data=d", "City", "--batch=7", "-"],
    ["--batch", "7", "--data", "d", "--", "City", "-"],
  ])
  func `options may stand anywhere and be written in two ways`(words: [String]) throws {
    let arguments = try Arguments(words, synopsis: Self.synopsis)
    #expect(arguments.operands == ["City", "-"])
    #expect(try arguments.count("--batch") == 7)
    #expect(arguments.settings.map(\.flag) == ["--data"])
    #expect(arguments.settings.map(\.text) == ["d"])
  }

  @Test func `what follows two hyphens is an operand`() throws {
    let arguments = try Arguments(["--", "--batch"], synopsis: Self.synopsis)
    #expect(arguments.operands == ["--batch"])
  }

  @Test func `an option without value is set or not`() throws {
    #expect(try Arguments(["C", "--quiet"], synopsis: Self.synopsis).isSet("--quiet"))
    #expect(try !Arguments(["C", "--quiet=false"], synopsis: Self.synopsis).isSet("--quiet"))
    #expect(try !Arguments(["C"], synopsis: Self.synopsis).isSet("--quiet"))
  }

  @Test(arguments: [
    (["C", "--bacth", "7"], CommandError.unknownOption("--bacth", nearest: "--batch")),
    (["C", "--bat", "x"], .unknownOption("--bat", nearest: "--batch")),
    (["C", "--d"], .unknownOption("--d", nearest: nil)),
    (["C", "--confg", "x"], .unknownOption("--confg", nearest: "--config")),
    (["C", "--batch"], .missingValue(option: "--batch", value: "N")),
    ([], .missingOperand("CLASS", command: "import")),
    (["C", "F", "G"], .surplusOperand("G", command: "import")),
  ])
  func `what the command does not take is refused`(words: [String], error: CommandError) {
    #expect(throws: error) { try Arguments(words, synopsis: Self.synopsis) }
    #expect(error.isUsage)
  }

  @Test(arguments: ["0", "-1", "x", ""])
  func `a count is a whole number from 1`(text: String) throws {
    let arguments = try Arguments(["C", "--batch", text], synopsis: Self.synopsis)
    #expect(
      throws: CommandError.invalidValue(name: "--batch", text: text, expected: "a whole number from 1")
    ) { try arguments.count("--batch") }
  }
}
