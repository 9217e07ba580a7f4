import GatehouseBSON
import GatehouseCrypto

/// The name of an app, which is its place below `/v1/apps/`, its id for clients of App Services, and its folder.
struct AppName: Hashable, Sendable {
  let text: String

  /// The rule, in words.
  static let rule = "1 to 63 of A–Z, a–z, 0–9, - and _, a letter first, and no word that is reserved"
  /// Words that mean something else.
  static let reserved: Set<String> = ["apps", "auth", "console", "default", "functions"]

  private static let longest = 63

  /// Nil: it is no such name.
  init?(_ text: String) {
    guard (1...AppName.longest).contains(text.utf8.count), !AppName.reserved.contains(text.lowercased()),
      let first = text.utf8.first, AppName.isLetter(first),
      text.utf8.allSatisfy({ AppName.isLetter($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F })
    else { return nil }
    self.text = text
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

  /// The claim by which tokens of the app's users say whose they are, the same for each app of the name.
  var domain: ObjectID {
    let digest = Digest.sha256.hash(Array("gatehouse app \(text)".utf8))
    let high = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let low = digest[8..<12].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return ObjectID(high: high, low: low)
  }
}
