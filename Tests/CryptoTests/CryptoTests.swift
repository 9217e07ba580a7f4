import GatehouseBSON
import GatehouseTestSupport
import Glibc
import Testing

@testable import GatehouseCrypto

struct CryptoTests {
  @Test(arguments: [
    (Digest.sha256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    // FIPS 180-4's example.
    (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      .sha512, "abc",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
    ),
  ])
  func `a message has the hash that the standard says`(digest: Digest, message: String, hash: String) {
    #expect(digest.hash(Array(message.utf8)).hex == hash)
  }

  @Test(arguments: Digest.allCases)
  func `a message in pieces has the hash of the whole`(digest: Digest) {
    let message = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    var running = RunningDigest(digest)
    for piece in [message[..<0], message[..<1], message[1..<700], message[700...]] {
      piece.withUnsafeBytes { running.update($0) }
    }
    #expect(running.finish() == digest.hash(message))
  }

  // RFC 4231 §4.3, test case 2.
  @Test func `a code is that of RFC 4231`() {
    let code = MessageCode.of(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
    #expect(code.hex == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
  }

  @Test func `a code is of one message and one key`() {
    let message = Array("message".utf8)
    let key = Array("key".utf8)
    let code = MessageCode.of(message, key: key)
    #expect(MessageCode.isValid(code, for: message, key: key))
    #expect(!MessageCode.isValid(code, for: message + [0], key: key))
    #expect(!MessageCode.isValid(code, for: message, key: key + [1]))
    #expect(!MessageCode.isValid(Array(code.dropLast()), for: message, key: key))
    #expect(!MessageCode.isValid([], for: message, key: key))
  }

  // RFC 7914 §12, the second and third vector.
  @Test func `a password has the hash of RFC 7914`() throws {
    let second = Scrypt.hash(
      Array("password".utf8), salt: Array("NaCl".utf8),
      cost: try ScryptCost(iterations: 1024, blockSize: 8, parallelism: 16), size: 64)
    #expect(
      second.hex
        == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
        + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640")
  }

  @Test(arguments: [
    (0, 8, 1), (1, 8, 1), (3, 8, 1), (1000, 8, 1), (1024, 0, 1), (1024, 8, 0), (1024, -8, 1),
    (-1024, 8, 1), (1 << 17, 8, 1), (1 << 14, 8, 17), (1 << 40, 8, 1), (2, 1 << 62, 1), (2, 1, 1 << 62),
    (.max, .max, .max),
  ])
  func `a cost beyond the bounds is refused`(iterations: Int, blockSize: Int, parallelism: Int) {
    #expect(throws: CryptoError.costOutOfBounds) {
      try ScryptCost(iterations: iterations, blockSize: blockSize, parallelism: parallelism)
    }
  }

  @Test func `the standard cost is within its own bounds`() throws {
    let standard = ScryptCost.standard
    let same = try ScryptCost(
      iterations: standard.iterations, blockSize: standard.blockSize, parallelism: standard.parallelism)
    #expect(same == standard)
  }

  @Test func `a signature that openssl made is valid for its message only`() throws {
    let message = Array("header.payload".utf8)
    let signature = Keys.signature
    let key = try PublicKey(pem: Keys.rsaPublic, for: .rs256)
    #expect(key.isValid(signature, for: message))
    #expect(!key.isValid(signature, for: message + [0]))
    #expect(!key.isValid(Array(signature.dropLast()), for: message))
    #expect(!key.isValid([], for: message))
    #expect(!key.isValid([UInt8](repeating: 0, count: 256), for: message))
  }

  @Test(arguments: [
    (Keys.weak, CryptoError.weakKey(bits: 1024)), (Keys.ed25519, .foreignKey), ("", .malformedKey),
    ("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", .malformedKey),
    (Keys.rsa, .malformedKey),
  ])
  func `what is no RSA key of RS256 is refused`(text: String, error: CryptoError) {
    #expect(throws: error) { try PublicKey(pem: text, for: .rs256) }
  }

  // RFC 7515 A.3.
  @Test func `the signature of RFC 7515 is valid for its message only`() throws {
    let key = try PublicKey(
      x: try #require(Base64.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", as: .urlSafe)),
      y: try #require(Base64.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0", as: .urlSafe)))
    let text =
      "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    let message = Array(text.utf8)
    let signature = try #require(
      Base64.decode(
        "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q", as: .urlSafe
      ))
    #expect(key.algorithm == .es256 && key.isValid(signature, for: message))
    #expect(!key.isValid(signature, for: message + [0]))
    #expect(!key.isValid(Array(signature.dropLast()), for: message))
    #expect(!key.isValid(signature + [0], for: message))
    #expect(!key.isValid([UInt8](repeating: 0, count: 64), for: message))
  }

  @Test(arguments: [
    (Keys.rsaPublic, CryptoError.foreignKey), (Keys.ed25519, .foreignKey), (Keys.p384, .foreignKey),
    ("", .malformedKey),
  ])
  func `what is no key on P-256 is refused`(text: String, error: CryptoError) {
    #expect(throws: error) { try PublicKey(pem: text, for: .es256) }
  }

  @Test func `a point that is not on the curve is no key`() {
    #expect(throws: CryptoError.malformedKey) {
      try PublicKey(x: [UInt8](repeating: 1, count: 32), y: [UInt8](repeating: 1, count: 32))
    }
    #expect(throws: CryptoError.malformedKey) { try PublicKey(x: [1], y: [1]) }
  }

  // The vectors of Openwall's `wrapper.c`, and one of Python's `bcrypt`.
  @Test(
    .enabled(if: Bcrypt.system != nil, "libcrypt.so.1 is not there"),
    arguments: [
      ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", true),
      ("U*U*", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK", true),
      ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK", false),
      ("", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy", true),
      ("U*U\0", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", false),
    ])
  func `a password has the hash that bcrypt gives`(password: String, text: String, isRight: Bool) throws {
    let hash = try #require(Bcrypt.Hash(text))
    #expect(Bcrypt.system?.matches(password, hash) == isRight)
  }

  @Test(arguments: [
    "", "$2a$05$CCCC", "$1$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
    "$2a$31$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
    "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyO$W",
    "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
  ])
  func `what is no hash of bcrypt, or costs too much, is refused`(text: String) {
    #expect(Bcrypt.Hash(text) == nil)
  }

  @Test(arguments: ["libz.so.1", "libgatehouse-none.so.1"])
  func `a library that is not there, or has no bcrypt, is none`(name: String) {
    #expect(Bcrypt(library: name) == nil)
  }

  @Test func `random bytes have the size asked for and do not repeat`() {
    #expect([0, 1, 33].map { SecureRandom.bytes($0).count } == [0, 1, 33])
    #expect(Set((0..<1_000).map { _ in SecureRandom.bytes(16) }).count == 1_000)
  }

  @Test(arguments: [([], [], true), ([1], [1], true), ([1, 2], [1, 3], false), ([1], [1, 2], false)])
  func `bytes are equal or not`(first: [UInt8], second: [UInt8], isEqual: Bool) {
    #expect(ConstantTime.isEqual(first, second) == isEqual)
  }
}
