internal import Foundation
internal import GatehouseBSON

extension Decimal128 {
  /// The integer that has the same value; nil where there is none.
  var exactInt64: Int64? { Int64(exactly: stored) }
}

extension AnyBSON {
  /// The value as the store has it. Members of documents are in the order of their names, since a ``Document`` has none.
  var stored: GatehouseBSON.Value {
    switch self {
    case .double(let value): .double(value)
    case .string(let value): .string(value)
    case .document(let value):
      .document(
        GatehouseBSON.Document(
          value.sorted { $0.key < $1.key }.map { .init(key: $0.key, value: ($0.value ?? .null).stored) }))
    case .array(let value): .array(value.map { ($0 ?? .null).stored })
    case .binary(let value): .binary(Binary(bytes: [UInt8](value)))
    case .objectId(let value): .objectID(value.stored)
    case .bool(let value): .bool(value)
    case .datetime(let value): .date(value.stored)
    case .regex(let value):
      .regularExpression(
        GatehouseBSON.RegularExpression(pattern: value.pattern, options: value.optionLetters))
    case .int32(let value): .int32(value)
    case .timestamp(let value):
      .timestamp(Timestamp(time: UInt32(clamping: value.stored.seconds), increment: 0))
    case .int64(let value): .int64(value)
    case .decimal128(let value): .decimal128(value.stored)
    case .uuid(let value): .uuid(value.stored)
    case .minKey: .minKey
    case .maxKey: .maxKey
    case .null: .null
    }
  }

  /// The value that the store has. Code and pointers, which BSON has given up, are their texts and identifiers; the
  /// subtype of other bytes than UUIDs is left out.
  init(_ stored: GatehouseBSON.Value) {
    switch stored {
    case .null, .undefined: self = .null
    case .bool(let value): self = .bool(value)
    case .int32(let value): self = .int32(value)
    case .int64(let value): self = .int64(value)
    case .double(let value): self = .double(value)
    case .decimal128(let value): self = .decimal128(Decimal128(value))
    case .string(let value), .symbol(let value), .javaScript(let value), .javaScriptWithScope(let value, _):
      self = .string(value)
    case .binary(let value): self = .binary(FoundationData(value.bytes))
    case .uuid(let value): self = .uuid(FoundationUUID(value))
    case .objectID(let value), .dbPointer(_, let value): self = .objectId(ObjectId(value))
    case .date(let value): self = .datetime(FoundationDate(value))
    case .document(let value):
      let members = value.elements.map { ($0.key, AnyBSON?.some(AnyBSON($0.value))) }
      self = .document(Document(members, uniquingKeysWith: { first, _ in first }))
    case .array(let value): self = .array(value.map { AnyBSON($0) })
    case .timestamp(let value):
      self = .timestamp(FoundationDate(timeIntervalSince1970: Double(value.time)))
    case .regularExpression(let value):
      self = .regex(.stored(pattern: value.pattern, options: value.options))
    case .minKey: self = .minKey
    case .maxKey: self = .maxKey
    }
  }
}
