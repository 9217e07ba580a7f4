import GatehouseBSON
import GatehouseModel

/// Writes changes in one representation.
///
/// The log knows each value's type, and keeps the stored names of the schema of its time: a property that today's
/// schema lacks keeps that name.
struct ChangeWriter<Output: ValueWriter> {
  private(set) var output: Output
  private let schema: Schema

  init(_ output: consuming Output, schema: Schema) {
    self.output = output
    self.schema = schema
  }

  mutating func write(_ change: LoggedChange) {
    let type = schema[change.objectType]
    let change = type?.isSchemaless == true ? change.withMembers : change
    output.beginDocument()
    output.key("version")
    output.int64(change.position.version)
    output.key("n")
    output.int64(change.position.ordinal)
    output.key("time")
    output.date(change.time)
    if change.operation != .schema {
      output.key("class")
      output.string(change.objectType)
      output.key("id")
      if type?.isSchemaless == true { write(change.id, .mixed) } else { write(change.id) }
    }
    output.key("operation")
    output.string("\(change.operation)")
    if change.operation == .update {
      output.key("changed")
      output.beginArray()
      for name in change.changedNames(in: schema) { output.string(name) }
      output.endArray()
      if change.isReplacement {
        output.key("replaced")
        output.bool(true)
      }
    }
    write(change.before, named: "before", type)
    write(change.after, named: "after", type)
    if !change.elements.isEmpty, change.operation != .schema { write(change.elements, of: type) }
    output.endDocument()
  }

  private mutating func write(_ changes: [CollectionChange], of type: ObjectType?) {
    output.key("elements")
    output.beginDocument()
    for change in changes {
      let property = type?.property(storedAs: change.property)
      output.key(property?.name ?? change.property)
      output.beginArray()
      for element in change.elements { write(element, of: property) }
      output.endArray()
    }
    output.endDocument()
  }

  private mutating func write(_ change: ElementChange, of property: Property?) {
    output.beginDocument()
    switch change.place {
    case .key(let key): write(.string(key), named: "key")
    case .index(let index): write(.int(Int64(index)), named: "index")
    case .move(let from, let to):
      write(.int(Int64(from)), named: "from")
      write(.int(Int64(to)), named: "to")
    case .member: break
    }
    for (name, value) in [("before", change.before), ("after", change.after)] {
      guard let value else { continue }
      output.key(name)
      if let element = property?.type.stored?.element { write(value, element) } else { write(value) }
    }
    output.endDocument()
  }

  private mutating func write(_ value: Mixed, named name: String) {
    output.key(name)
    write(value)
  }

  private mutating func write(_ image: Mixed?, named name: String, _ type: ObjectType?) {
    switch image {
    case nil: return
    case .dictionary(let entries)?:
      output.key(name)
      write(entries, of: type)
    case .string(let notation)?:
      output.key(name)
      output.value((try? Value(json: notation)) ?? .null)
    case let other?:
      output.key(name)
      write(other)
    }
  }

  private mutating func write(_ entries: [Mixed.Entry], of type: ObjectType?) {
    output.beginDocument()
    for entry in entries {
      if let type, type.isSchemaless {
        output.key(entry.key)
        write(entry.value, .mixed)
        continue
      }
      let property = type?.property(storedAs: entry.key)
      output.key(property?.name ?? entry.key)
      write(entry.value, of: property)
    }
    output.endDocument()
  }

  private mutating func write(_ value: Mixed, of property: Property?) {
    switch (property?.type, value) {
    case (.list(let element, _), .list(let values)), (.set(let element, _), .list(let values)):
      output.beginArray()
      for value in values { write(value, element) }
      output.endArray()
    case (.map(let element, _), .dictionary(let entries)):
      output.beginDocument()
      for entry in entries {
        output.key(entry.key)
        write(entry.value, element)
      }
      output.endDocument()
    case (.one(let element, _), _): write(value, element)
    default: write(value)
    }
  }

  private mutating func write(_ value: Mixed, _ element: ElementType) {
    switch (element, value) {
    // Mixed values say their types where JSON has no such type, as in objects.
    case (.mixed, _): output.value(value.value { _ in .null }.withOrderedReferences)
    case (.object(let target), .dictionary(let entries)): write(entries, of: schema[target])
    default: write(value)
    }
  }

  /// A value of a type that the schema tells, or told.
  private mutating func write(_ value: Mixed) {
    switch value {
    case .list(let values):
      output.beginArray()
      for value in values { write(value) }
      output.endArray()
    case .dictionary(let entries): write(entries, of: nil)
    default: output.scalar(value)
    }
  }
}

extension Value {
  /// With references to objects as reads write them, `{"$ref": class, "$id": primary key}`: images have keys in
  /// bytewise order.
  fileprivate var withOrderedReferences: Value {
    switch self {
    case .array(let values): return .array(values.map(\.withOrderedReferences))
    case .document(let document):
      if document.elements.count == 2, let objectType = document["$ref"], let id = document["$id"] {
        return .document(["$ref": objectType, "$id": id])
      }
      return .document(
        Document(
          document.elements.map { Document.Element(key: $0.key, value: $0.value.withOrderedReferences) }))
    default: return self
    }
  }
}
