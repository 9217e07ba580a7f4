import GatehouseBSON
import GatehouseModel

/// A change of an object as MongoDB's change streams tell it, made of the gateway's own event.
struct DocumentEvent {
  let value: Document

  /// Nil: the event tells of no change of a document, such as that the stream is open.
  init?(_ name: String, _ event: Document, of documents: DocumentClass, in namespace: Namespace) {
    let types = PlainTypes(schema: documents.schema)
    guard let id = event["id"], let version = event["version"]?.wholeNumber else { return nil }
    // Without values it is another object, to which this one has a link, that has changed.
    if name == "update", event["after"] == nil { return nil }
    let key = types.identifier(id, of: documents.type)
    var object: Document?
    if case .document(let document)? = event["object"] {
      object = documents.document(of: types.document(document, of: documents.type))
    }
    let operation: String
    switch name {
    case "insert": operation = "insert"
    case "delete": operation = "delete"
    case "update": operation = event["replaced"] == .bool(true) ? "replace" : "update"
    default: return nil
    }
    let seconds = DocumentEvent.time(of: event)
    var value: Document = [
      "_id": ["_data": .string(DocumentEvent.token(version, key))], "operationType": .string(operation),
      "clusterTime": .timestamp(
        Timestamp(
          time: UInt32(truncatingIfNeeded: seconds), increment: UInt32(truncatingIfNeeded: version))),
      "ns": ["db": .string(namespace.database), "coll": .string(namespace.collection)],
      "documentKey": ["_id": key],
    ]
    if let object { value.append("fullDocument", .document(object)) }
    if operation == "update" {
      value.append(
        "updateDescription",
        [
          "updatedFields": .document(DocumentEvent.updated(event, object)),
          "removedFields": .array(documents.type.isSchemaless ? DocumentEvent.removed(event, object) : []),
        ])
    }
    self.value = value
  }

  private static func time(of event: Document) -> Int64 {
    guard case .string(let text)? = event["time"] else { return 0 }
    return Date(text)?.seconds ?? 0
  }

  /// Opaque to clients, none of which sends it back.
  private static func token(_ version: Int64, _ key: Value) -> String {
    Hexadecimal.text(of: Value.document(["version": .int64(version), "key": key]).extendedJSON)
  }

  /// The fields that have changed, as they are.
  private static func updated(_ event: Document, _ object: Document?) -> Document {
    var fields = Document()
    guard case .array(let names)? = event["changed"] else { return fields }
    for case .string(let name) in names {
      if let value = object?[name] { fields.append(name, value) }
    }
    return fields
  }
}

extension DocumentEvent {
  /// The names of the fields that are gone.
  fileprivate static func removed(_ event: Document, _ object: Document?) -> [Value] {
    guard case .array(let names)? = event["changed"] else { return [] }
    return names.filter { name in if case .string(let text) = name { object?[text] == nil } else { false } }
  }
}

extension Value {
  /// An integer of either width.
  fileprivate var wholeNumber: Int64? {
    switch self {
    case .int32(let int): Int64(int)
    case .int64(let int): int
    default: nil
    }
  }
}

/// Gives values of plain JSON the types that the schema knows them to have.
struct PlainTypes {
  let schema: Schema

  func document(_ document: Document, of type: ObjectType) -> Document {
    Document(
      document.elements.map { element in
        guard let property = type[element.key] else {
          return Document.Element(key: element.key, value: value(element.value, of: .mixed))
        }
        return Document.Element(key: element.key, value: value(element.value, of: property.type))
      })
  }

  func identifier(_ value: Value, of type: ObjectType) -> Value {
    type.primaryKey.map { self.value(value, of: $0.type) } ?? value
  }

  private func value(_ value: Value, of type: PropertyType) -> Value {
    switch (type, value) {
    case (.list(let element, _), .array(let values)), (.set(let element, _), .array(let values)):
      return .array(values.map { self.value($0, of: element) })
    case (.map(let element, _), .document(let document)):
      return .document(
        Document(
          document.elements.map { entry in
            Document.Element(key: entry.key, value: self.value(entry.value, of: element))
          }))
    case (.one(let element, _), _): return self.value(value, of: element)
    default: return value
    }
  }

  private func value(_ value: Value, of element: ElementType) -> Value {
    switch (element, value) {
    case (.double, .int64(let int)), (.float, .int64(let int)): return .double(Double(int))
    case (.double, .int32(let int)), (.float, .int32(let int)): return .double(Double(int))
    case (.int, .int32(let int)), (.mixed, .int32(let int)): return .int64(Int64(int))
    case (.mixed, .array(let values)): return .array(values.map { self.value($0, of: .mixed) })
    case (.mixed, .document(let document)):
      return .document(
        Document(
          document.elements.map {
            Document.Element(key: $0.key, value: self.value($0.value, of: .mixed))
          }))
    case (.decimal128, .string(let text)): return Decimal128(text).map { .decimal128($0) } ?? value
    case (.date, .string(let text)): return Date(text).map { .date($0) } ?? value
    case (.objectID, .string(let text)): return ObjectID(text).map { .objectID($0) } ?? value
    case (.uuid, .string(let text)): return UUID(text).map { .uuid($0) } ?? value
    case (.data, .string(let text)): return Base64.decode(text).map { .binary(Binary(bytes: $0)) } ?? value
    case (.object(let name), _):
      guard let target = schema[name] else { return value }
      if target.isEmbedded, case .document(let document) = value {
        return .document(self.document(document, of: target))
      }
      return identifier(value, of: target)
    default: return value
    }
  }
}
