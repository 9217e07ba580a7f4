import GatehouseBSON
import GatehouseModel

/// Writes single values of the log.
struct ValueEncoder {
  /// A value of a type that the schema tells.
  func write<Writer: ValueWriter>(_ value: Mixed, to writer: inout Writer) {
    switch value {
    case .list, .dictionary: write(mixed: value, to: &writer)
    default: writer.scalar(value)
    }
  }

  /// A value that says its type where JSON has no such type.
  func write<Writer: ValueWriter>(mixed value: Mixed, to writer: inout Writer) {
    writer.value(document(of: value))
  }

  private func document(of value: Mixed) -> Value {
    switch value {
    case .list(let values): return .array(values.map(document))
    case .dictionary(let entries):
      if let value = entries.wrappedValue { return value }
      if let reference = value.reference {
        return Mixed.reference(to: reference.objectType, id: document(of: reference.id))
      }
      return .document(
        Document(entries.map { Document.Element(key: $0.key, value: document(of: $0.value)) }))
    default: return value.value { _ in .null }
    }
  }
}
