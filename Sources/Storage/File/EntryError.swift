/// The rule that the bytes of a part of a transaction break.
public enum EntryError: Error, Hashable, Sendable {
  /// The format is one of a later version of the program.
  case unknownFormat(UInt8)
  /// The bytes end before what they began is complete.
  case truncated
  /// Byte number `offset`, from 0, is none that can stand there.
  case malformed(offset: Int)
  /// A row of a table that the transaction has not named.
  case unknownTable(Int)
  /// A statement that changes no schema.
  case foreignStatement
  /// A part that does not follow the one before it.
  case unexpectedPart(Int)
}
