/// Why bytes are no entry.
public enum EntryError: Error, Hashable, Sendable {
  /// Fewer bytes than an entry has.
  case tooShort(Int)
  /// More bytes than an entry may have.
  case tooLong(Int)
  /// A later release has written it, in a format that this one does not know.
  case unknownFormat(UInt8)
  case unknownKind(UInt8)
  /// Flags that mean nothing, a name that is no text, versions that go back, rows where there are none.
  case malformed(offset: Int)
  /// The bytes are not those that were written: the hash at the end is another one.
  case damaged
}

extension EntryError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooShort(let count): "It ends after \(count) bytes."
    case .tooLong(let count): "It has \(count) bytes; \(Entry.sizeLimit) are the most."
    case .unknownFormat(let format): "Its format is \(format), and this release knows \(Entry.format)."
    case .unknownKind(let kind): "It is of kind \(kind), which this release does not know."
    case .malformed(let offset): "The bytes at \(offset) cannot be right."
    case .damaged: "Its bytes are not those that were written."
    }
  }
}
