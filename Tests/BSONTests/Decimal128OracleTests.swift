import FoundationEssentials
import GatehouseBSON
import GatehouseSeeded
import GatehouseTestSupport
import Testing

/// Python's `decimal`, set up as IEEE 754-2008 has decimal128.
private enum Oracle {
  static let isThere = Machine.run("python3 -c 'import decimal'").status == 0

  /// Each line is an operation and its operands.
  static func results(of lines: [String]) throws -> [String] {
    let program = """
      import sys
      from decimal import *
      c = Context(prec=34, rounding=ROUND_HALF_EVEN, Emin=-6143, Emax=6144, clamp=1, traps=[])
      for line in open(sys.argv[1]):
        o, *t = line.split()
        d = [c.create_decimal(x) for x in t]
        r = {'r': lambda: d[0], '+': lambda: c.add(*d), '-': lambda: c.subtract(*d),
             '*': lambda: c.multiply(*d), '/': lambda: c.divide(*d)}[o]()
        print('NaN' if r.is_nan() else r)
      """
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "decimal-\(FoundationEssentials.UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (script, input) = (folder.appending(path: "oracle.py"), folder.appending(path: "lines"))
    try Data(program.utf8).write(to: script)
    try Data(lines.joined(separator: "\n").utf8).write(to: input)
    let (status, output) = Machine.run("python3 '\(script.path)' '\(input.path)' 2>&1")
    #expect(status == 0, Comment(rawValue: output))
    return output.split(separator: "\n").map { $0.trimmingPrefix(" ").description }
  }
}

@Suite(.enabled(if: Oracle.isThere, "needs python3"))
struct Decimal128OracleTests {
  @Test(arguments: [1, 2] as [UInt64])
  func `texts round, and numbers are computed with, as Python does`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var lines = [
      "r 0.00000000000000000000000000000000000000000000000001", "r 1E-6177", "r 5E-6177", "r 15E-6177",
      "r 1E+6145", "r 9.9999999999999999999999999999999995E+6144", "r -0E+9999", "r 1E-99999999999",
      "r 12345678901234567890123456789012345", "r 12345678901234567890123456789012350",
      "r 12345678901234567890123456789012345.0000000000000001", "r 1234567890123456789012345678901234.5",
    ]
    for _ in 0..<2000 {
      let operation = "r+-*/".randomElement(using: &generator) ?? "r"
      lines.append(
        "\(operation) \(text(&generator))" + (operation == "r" ? "" : " \(text(&generator))"))
    }
    let expected = try Oracle.results(of: lines)
    try #require(expected.count == lines.count)
    for (line, result) in zip(lines, expected) {
      let parts = line.split(separator: " ").map(String.init)
      let values = try parts.dropFirst().map { try #require(Decimal128(nearest: $0)) }
      let value =
        switch parts[0] {
        case "r": values[0]
        case "+": values[0] + values[1]
        case "-": values[0] - values[1]
        case "*": values[0] * values[1]
        default: values[0] / values[1]
        }
      #expect(value.description == result, "\(line)")
    }
  }

  private func text(_ generator: inout SeededGenerator) -> String {
    let sign = Bool.random(using: &generator) ? "-" : ""
    let digits = (0..<Int.random(in: 1...80, using: &generator)).map { _ in
      String("00123456789955".randomElement(using: &generator) ?? "0")
    }
    var text = digits.joined()
    if Bool.random(using: &generator) {
      text.insert(
        ".", at: text.index(text.startIndex, offsetBy: Int.random(in: 0...text.count, using: &generator)))
    }
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: return sign + text
    case 1: return sign + text + "E\(Int.random(in: -40...40, using: &generator))"
    case 2: return sign + text + "e\(Int.random(in: -6300...6300, using: &generator))"
    default: return sign + String(text.prefix(5))
    }
  }
}

@Test(arguments: ["", ".", "e5", "1e", "1 ", "1.2.3", "--1", "0x1", "12345678901234567890123456789012345x"])
func `a text that is no number rounds to none`(text: String) {
  #expect(Decimal128(nearest: text) == nil)
}
