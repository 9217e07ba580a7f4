internal import GatehouseCrypto

/// The secret half of a NATS key pair, by which a client signs a server's nonce.
///
/// As text it is base 32 (RFC 4648 §6, without padding) of a prefix of two bytes, which say that it is a seed and of what kind of
/// key, the 32 bytes of an Ed25519 seed, and CRC-16 (XMODEM) of these, lowest byte first.
///
/// Source: <https://docs.nats.io/running-a-nats-service/configuration/securing_nats/auth_intro/nkey_auth>.
public struct NKey: Sendable {
  private let seed: Ed25519Seed
  private let kind: UInt8

  /// Nil: the text is no seed.
  public init?(seed text: some StringProtocol) {
    guard text.utf8.count == 58, let bytes = NKey.decode(text), bytes.count == 36 else { return nil }
    let check = UInt16(bytes[34]) | UInt16(bytes[35]) << 8
    guard NKey.check(bytes[..<34]) == check else { return nil }
    // `S` in the first five bits, the kind in the next eight.
    guard bytes[0] & 0xF8 == 18 << 3 else { return nil }
    kind = (bytes[0] & 7) << 5 | (bytes[1] & 0xF8) >> 3
    guard let seed = Ed25519Seed(Array(bytes[2..<34])) else { return nil }
    self.seed = seed
  }

  /// The public key as text, which begins with `U` where it is a user's.
  public var publicKey: String {
    var bytes = [kind] + seed.publicKey
    let check = NKey.check(bytes[...])
    bytes += [UInt8(truncatingIfNeeded: check), UInt8(truncatingIfNeeded: check >> 8)]
    return NKey.encode(bytes)
  }

  /// Returns the 64 bytes of a signature.
  func sign(_ message: [UInt8]) -> [UInt8] { seed.sign(message) }

  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  private static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var (bytes, word, bits): ([UInt8], UInt32, UInt32) = ([], 0, 0)
    for letter in text.utf8 {
      guard let value = letters.firstIndex(of: letter) else { return nil }
      word = (word << 5 | UInt32(value)) & 0xFFF
      bits += 5
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: word >> bits))
    }
    return word & (1 << bits - 1) == 0 ? bytes : nil
  }

  private static func encode(_ bytes: [UInt8]) -> String {
    var (text, word, bits): ([UInt8], UInt32, UInt32) = ([], 0, 0)
    for byte in bytes {
      word = (word << 8 | UInt32(byte)) & 0xFFFF
      bits += 8
      while bits >= 5 {
        bits -= 5
        text.append(letters[Int(word >> bits & 31)])
      }
    }
    if bits > 0 { text.append(letters[Int(word << (5 - bits) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }

  private static func check(_ bytes: ArraySlice<UInt8>) -> UInt16 {
    var sum: UInt16 = 0
    for byte in bytes {
      sum ^= UInt16(byte) << 8
      for _ in 0..<8 { sum = sum & 0x8000 != 0 ? sum << 1 ^ 0x1021 : sum << 1 }
    }
    return sum
  }
}
