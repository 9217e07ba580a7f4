import GatehouseCrypto
import GatehouseTestSupport
import Testing

/// The lines that `oracle.py` prints; none where there is no Python.
private func oracle(seed: Int, count: Int) -> [[Substring]] {
  let script = "\(Machine.root)/Tests/CryptoTests/oracle.py"
  return Machine.run("python3 '\(script)' \(seed) \(count) 2>/dev/null").output.split(separator: "\n")
    .map { $0.split(separator: " ") }
}

@Suite(.enabled(if: !oracle(seed: 0, count: 1).isEmpty, "needs python3"))
struct OracleTests {
  @Test(arguments: [1, 2])
  func `Python computes the same`(seed: Int) throws {
    let lines = oracle(seed: seed, count: 200)
    #expect(lines.count == 200 * 6 + 20)
    for line in lines { #expect(try OracleTests.found(line) == String(line[line.count - 1]), "seed \(seed)") }
  }

  /// The same as the last word of the line, computed here.
  private static func found(_ line: [Substring]) throws -> String {
    switch line[0] {
    case "digest":
      return try #require(Digest(rawValue: String(line[1]))).hash(bytes(line[2])).hex
    case "hmac":
      let digest = try #require(Digest(rawValue: String(line[1])))
      return MessageCode.of(bytes(line[3]), key: bytes(line[2]), digest).hex
    default:
      let numbers = try line[1...3].map { try #require(Int($0)) }
      let cost = try ScryptCost(iterations: numbers[0], blockSize: numbers[1], parallelism: numbers[2])
      return Scrypt.hash(bytes(line[4]), salt: bytes(line[5]), cost: cost).hex
    }
  }

  private static func bytes(_ word: Substring) -> [UInt8] {
    let digits = Array(word.utf8.dropFirst()).map { $0 < 0x3A ? $0 - 0x30 : $0 - 0x57 }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}

extension [UInt8] {
  /// Lower-case hexadecimal digits.
  var hex: String {
    map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }
}
