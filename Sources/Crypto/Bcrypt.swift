internal import Glibc

/// The bcrypt hashes of other servers, by the system's `crypt_r`, whose library is loaded when it is first needed.
public struct Bcrypt: Sendable {
  /// The library, as Debian's package `libcrypt1` has it.
  public static let libraryName = "libcrypt.so.1"
  /// Nil where the system has none, or its own has no bcrypt.
  public static let system = Bcrypt(library: libraryName)

  private typealias Crypt =
    @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer) ->
    UnsafePointer<CChar>?

  private let crypt: Crypt
  /// More than `struct crypt_data` has in libxcrypt (32 KiB) and in glibc (128 KiB).
  private static let memory = 256 << 10

  init?(library: String) {
    guard let library = dlopen(library, RTLD_NOW | RTLD_LOCAL), let crypt = dlsym(library, "crypt_r") else {
      return nil
    }
    self.crypt = unsafeBitCast(crypt, to: Crypt.self)
    // OpenBSD's own test: the library must know the method.
    guard let hash = Bcrypt.Hash("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
      matches("U*U", hash)
    else { return nil }
  }

  /// A hash in the form of `crypt`: `$2b$`, the cost, `$`, a salt of 22 characters and a hash of 31.
  public struct Hash: Hashable, Sendable {
    /// The exponents of cost that are compared with: the greatest takes a second or more.
    public static let costs = 4...14

    public let text: String

    /// Nil where the text is none, or comparing with it would cost too much.
    public init?(_ text: String) {
      let bytes = Array(text.utf8)
      let prefixes = ["$2a$", "$2b$", "$2y$"]
      guard bytes.count == 60, prefixes.contains(where: text.hasPrefix), bytes[6] == UInt8(ascii: "$"),
        let cost = Int(String(decoding: bytes[4..<6], as: UTF8.self)), Hash.costs.contains(cost),
        bytes[7...].allSatisfy(Hash.isDigit)
      else { return nil }
      self.text = text
    }

    /// Whether a byte is a digit of bcrypt's own Base64.
    private static func isDigit(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
        true
      default: false
      }
    }
  }

  /// Whether the password has this hash, of which bcrypt takes 72 bytes. It takes as long as the hash says: not for an
  /// event loop.
  public func matches(_ password: String, _ hash: Hash) -> Bool {
    // A text of C ends there.
    if password.utf8.contains(0) { return false }
    let memory = UnsafeMutableRawPointer.allocate(byteCount: Bcrypt.memory, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: Bcrypt.memory)
    defer { memory.deallocate() }
    guard let result = crypt(password, hash.text, memory) else { return false }
    return ConstantTime.isEqual(Array(String(cString: result).utf8), Array(hash.text.utf8))
  }
}
