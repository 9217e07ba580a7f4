/// Something that the gateway keeps for itself beside the objects: no query, no event and no export shows it.
public struct Record: Hashable, Sendable {
  /// What names it: what kind of thing it is, and which.
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

/// What happens to one record.
public struct RecordChange: Hashable, Sendable {
  /// What a record must be for the change to take place.
  public enum Expectation: Hashable, Sendable {
    case anything
    case absent
    case value([UInt8])
  }

  public let name: Record.Name
  /// Nil: it is removed.
  public let value: [UInt8]?
  public let expectation: Expectation

  public init(_ name: Record.Name, _ value: [UInt8]?, expecting expectation: Expectation = .anything) {
    self.name = name
    self.value = value
    self.expectation = expectation
  }
}
