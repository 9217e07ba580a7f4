import GatehouseBSON
import GatehouseModel

/// Writes objects of one class as JSON: every stored property by its stored name, in bytewise order.
///
/// Decimals and binary data have no JSON in Realm's recorder: a property that holds one is left out, an element is
/// null. So is a list or dictionary inside a mixed value.
///
/// A class with a projection named `AuditEvent` is recorded as that instead (Realm's `CustomEventRepresentable`):
/// its fields by their names, as far as the object itself has them. Where a path leads through a link or a collection,
/// there is nothing of the field: other objects are recorded only where they are read. What a function makes of objects
/// is in ``Representations``.
struct ObjectWriter: Sendable {
  /// One member of the text. A class, so that to look at one counts one reference, not one for each of its parts.
  fileprivate final class Field: Sendable {
    /// The property's name in the text.
    let name: String
    /// The name and the colon, as the text has them.
    let key: [UInt8]
    /// The stored name of the object's property.
    let storedName: String
    /// The index of that value in most images.
    let place: Int
    /// The stored names of the path from that value into embedded objects.
    let way: [String]
    let type: PropertyType
    let element: ElementType
    /// Whether the value is a link to an object of a class, or a collection of such.
    let isLink: Bool

    /// Makes a field of a path of properties; nil if the last one is computed.
    init?(_ properties: [Property], named name: String, of type: ObjectType, in schema: Schema) {
      guard let first = properties.first, let last = properties.last, let element = last.type.storedElement
      else { return nil }
      self.name = name
      var key = JSONText()
      key.key(name)
      self.key = key.bytes
      storedName = first.storedName
      let stored = type.properties.filter { $0.type.storedElement != nil }
      place = stored.firstIndex { $0.name == first.name } ?? 0
      way = properties.dropFirst().map(\.storedName)
      self.type = last.type
      self.element = element
      isLink = properties.count == 1 && element.isLink(in: schema)
    }
  }

  private let fields: [Field]
  private let schema: Schema
  /// Whether the objects are documents, of which everything is written.
  private let isSchemaless: Bool

  init(_ type: ObjectType, in schema: Schema) {
    self.schema = schema
    isSchemaless = type.isSchemaless
    let projection = type.projections.first { $0.name == StoredEvent.className && $0.function == nil }
    let fields =
      projection?.fields.compactMap { Field($0, of: type, in: schema) }
      ?? type.properties.compactMap { Field([$0], named: $0.storedName, of: type, in: schema) }
    self.fields = fields.sorted { $0.name.compareBytes($1.name) < 0 }
  }

  /// Returns the text of an object.
  func text(of image: Mixed) -> ObjectText {
    var text = JSONText()
    var links: [ObjectText.Link] = []
    write(image, only: nil, to: &text, &links)
    return ObjectText(bytes: text.bytes, links: links)
  }

  /// Appends the text of an object; with `names`, of those properties only.
  func append(_ image: Mixed, only names: Set<String>? = nil, to text: inout JSONText) {
    var links: [ObjectText.Link] = []
    write(image, only: names, to: &text, &links)
  }

  /// Appends the text of what an object has become: of the properties with those stored names, of a document those fields of
  /// them that have another value than before, null for those that are gone.
  func append(_ image: Mixed, since before: Mixed, only names: Set<String>, to text: inout JSONText) {
    guard isSchemaless else { return append(image, only: names, to: &text) }
    guard !names.isEmpty else { return append(.dictionary([]), to: &text) }
    let (old, new) = (before.memberEntries, image.memberEntries)
    let (known, keys) = (Set(old), Set(new.map(\.key)))
    let removed = old.filter { !keys.contains($0.key) }.map { Mixed.Entry(key: $0.key, value: .null) }
    append(.dictionary(new.filter { !known.contains($0) } + removed), to: &text)
  }

  private func write(
    _ image: Mixed, only names: Set<String>?, to text: inout JSONText, _ links: inout [ObjectText.Link]
  ) {
    if isSchemaless { return text.value(image.withMembers.value { _ in .null }) }
    guard case .dictionary(let entries) = image else { return text.null() }
    text.append("{")
    var isFirst = true
    for field in fields where names?.contains(field.storedName) != false {
      guard let value = field.value(in: entries), field.hasText(for: value) else { continue }
      if !isFirst { text.append(",") }
      isFirst = false
      text.verbatim(field.key)
      let start = text.bytes.count
      write(value, field, to: &text)
      guard field.isLink else { continue }
      links.append(ObjectText.Link(property: field.storedName, range: start..<text.bytes.count))
    }
    text.append("}")
  }

  private func write(_ value: Mixed, _ field: Field, to text: inout JSONText) {
    switch (field.type, value) {
    case (.list, .list(let values)), (.set, .list(let values)):
      text.append("[")
      for (index, value) in values.enumerated() {
        if index > 0 { text.append(",") }
        write(value, as: field.element, to: &text)
      }
      text.append("]")
    case (.map, .dictionary(let entries)):
      text.append("{")
      for (index, entry) in entries.enumerated() {
        if index > 0 { text.append(",") }
        text.key(entry.key)
        write(entry.value, as: field.element, to: &text)
      }
      text.append("}")
    default: write(value, as: field.element, to: &text)
    }
  }

  private func write(_ value: Mixed, as element: ElementType, to text: inout JSONText) {
    guard case .object(let name) = element, let type = schema[name] else { return text.scalar(value) }
    if type.isEmbedded {
      ObjectWriter(type, in: schema).append(value, to: &text)
    } else if type.primaryKey == nil {
      // Realm writes the primary key of the target, and there is none.
      text.null()
    } else {
      text.scalar(value)
    }
  }
}

extension ObjectWriter.Field {
  /// The field of a projection; nil where its path leaves the object.
  fileprivate convenience init?(_ field: NamedProjection.Field, of type: ObjectType, in schema: Schema) {
    var properties: [Property] = []
    var holder: ObjectType? = type
    for name in field.names {
      guard let property = holder?[name] else { return nil }
      properties.append(property)
      holder = nil
      if case .one(.object(let target), _) = property.type, schema[target]?.isEmbedded == true {
        holder = schema[target]
      }
    }
    self.init(properties, named: field.name, of: type, in: schema)
  }

  fileprivate func value(in entries: [Mixed.Entry]) -> Mixed? {
    var value =
      entries.indices.contains(place) && entries[place].key == storedName
      ? entries[place].value : entries.first { $0.key == storedName }?.value
    for name in way {
      guard case .dictionary(let inner)? = value else { return value == nil ? nil : .null }
      value = inner.first { $0.key == name }?.value
    }
    return value
  }

  /// Whether the property is written at all.
  fileprivate func hasText(for value: Mixed) -> Bool {
    switch value {
    case .data, .decimal128: return false
    case .list: return element != .mixed || !isSingle
    case .dictionary(let entries): return element != .mixed || !isSingle || entries.isTypedLink
    default: return true
    }
  }

  private var isSingle: Bool {
    if case .one = type { true } else { false }
  }
}

extension PropertyType {
  /// The type of a value or an element of the property; nil if the property is computed.
  fileprivate var storedElement: ElementType? {
    switch self {
    case .one(let element, _), .list(let element, _), .set(let element, _), .map(let element, _): element
    case .linkingObjects: nil
    }
  }
}

extension ElementType {
  fileprivate func isLink(in schema: Schema) -> Bool {
    guard case .object(let name) = self else { return false }
    return schema[name]?.isEmbedded == false
  }
}

extension Mixed {
  /// The members of the image of a document.
  fileprivate var memberEntries: [Entry] {
    if case .dictionary(let entries) = withMembers { entries } else { [] }
  }
}

extension [Mixed.Entry] {
  /// Whether this is a typed link, as images have it.
  fileprivate var isTypedLink: Bool {
    count == 2 && contains { $0.key == "$id" } && contains { $0.key == "$ref" }
  }
}

extension JSONText {
  /// A value that is no object, nor a collection of a property; null where there is no text for it.
  fileprivate mutating func scalar(_ value: Mixed) {
    switch value {
    case .null, .decimal128, .data, .link, .list: null()
    case .bool(let value): bool(value)
    case .int(let value): int(value)
    case .float(let value): double(Double(value))
    case .double(let value): double(value)
    case .string(let value): string(value)
    case .date(let value): date(value)
    case .objectID(let value): quoted(value)
    case .uuid(let value): quoted(value)
    case .dictionary(let entries):
      guard entries.isTypedLink, let id = entries.first(where: { $0.key == "$id" }) else { return null() }
      scalar(id.value)
    }
  }
}
