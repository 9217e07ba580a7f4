import GatehouseBSON
import GatehouseModel

/// The results of functions that stand in an event for the objects of a class whose schema names one: `"projections":
/// {"AuditEvent": "redacted"}`. Realm's `CustomEventRepresentable`.
struct Representations: Sendable {
  /// Calls the function with an object, given as a document by stored names, and returns the text to record.
  typealias Function = @Sendable (_ name: String, _ object: Value) async throws -> Value

  /// An object in one of its states.
  struct Subject: Hashable, Sendable {
    let objectType: String
    let image: Mixed
  }

  private var values: [Subject: Value] = [:]

  var isEmpty: Bool { values.isEmpty }

  subscript(subject: Subject) -> Value? {
    get { values[subject] }
    set { values[subject] = newValue }
  }

  /// Returns the text for an object; nil if the function was not asked about it.
  func text(of subject: Subject) -> [UInt8]? {
    guard let value = self[subject] else { return nil }
    var text = JSONText()
    text.value(value)
    return text.bytes
  }

  /// Returns the text of the members of `new` that differ from those of `old`, or all of `new` where one of them is
  /// no document; nil if a representation is missing.
  func difference(from old: Subject, to new: Subject) -> [UInt8]? {
    guard let before = self[old], let after = self[new] else { return nil }
    var text = JSONText()
    if case .document(let before) = before, case .document(let after) = after {
      text.value(.document(Document(after.elements.filter { before[$0.key] != $0.value })))
    } else {
      text.value(after)
    }
    return text.bytes
  }
}

extension ObjectType {
  /// The function that gives the representation of the class' objects; nil if there is none. An embedded object is
  /// part of its outer one.
  var representingFunction: String? {
    isEmbedded ? nil : projections.first { $0.name == StoredEvent.className }?.function
  }
}

extension JSONText {
  /// A value of any kind, members in bytewise order.
  mutating func value(_ value: Value) {
    switch value {
    case .document(let document):
      append("{")
      for (index, element) in document.elements.sorted(by: { $0.key.compareBytes($1.key) < 0 }).enumerated() {
        if index > 0 { append(",") }
        key(element.key)
        self.value(element.value)
      }
      append("}")
    case .array(let values):
      append("[")
      for (index, value) in values.enumerated() {
        if index > 0 { append(",") }
        self.value(value)
      }
      append("]")
    case .string(let text): string(text)
    case .double(let number): double(number)
    default: bytes += value.plainJSON
    }
  }
}
