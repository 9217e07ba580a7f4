/// Something that the gateway keeps for itself beside the objects: no query, no event and no export shows it.
public struct Record: Hashable, Sendable {
  /// The name of a record: the kind of thing that it is, and a key that is unique among them.
  public struct Name: Hashable, Sendable {
    public let kind: String
    public let key: String

    public init(_ kind: String, _ key: String) {
      self.kind = kind
      self.key = key
    }
  }

  public let name: Name
  public let value: [UInt8]
}

extension Record.Name {
  /// The kind of records that keep classes from being made in a store.
  public static let reservations = "reservedClass"

  /// The record that, as long as it is there, keeps the class of a name from being made in the store, since another store has it.
  public static func reservation(ofClass name: String) -> Record.Name { Record.Name(reservations, name) }

  /// The record of the keys that tokens are signed with, which every server makes.
  public static let signingKeys = Record.Name("signing", "")

  /// The first key, in bytewise order, behind all that begin with this one, which ends with an ASCII character.
  var end: String {
    var bytes = Array(key.utf8)
    guard let last = bytes.last, last < 0x7F else { preconditionFailure("no prefix of keys") }
    bytes[bytes.count - 1] = last + 1
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A change of one record, or of all that begin with a prefix.
public struct RecordChange: Hashable, Sendable {
  /// The state that a record must have for the change to take place.
  public enum Expectation: Hashable, Sendable {
    case anything
    case absent
    case value([UInt8])
  }

  public let name: Record.Name
  /// Nil: it is removed.
  public let value: [UInt8]?
  public let expectation: Expectation
  /// Whether all records are meant whose keys begin with the name's.
  let isOfPrefix: Bool

  public init(_ name: Record.Name, _ value: [UInt8]?, expecting expectation: Expectation = .anything) {
    self.name = name
    self.value = value
    self.expectation = expectation
    isOfPrefix = false
  }

  /// All records of a kind are removed whose keys begin with `prefix`, however many there are by then; that ends with an
  /// ASCII character.
  public init(removingAll kind: String, withPrefix prefix: String) {
    name = Record.Name(kind, prefix)
    value = nil
    expectation = .anything
    isOfPrefix = true
  }
}
