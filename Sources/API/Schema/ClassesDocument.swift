import GatehouseAccess
public import GatehouseBSON
public import GatehouseModel

/// The types of classes' objects, and the requests for them, for programs that make clients of such documents.
public struct ClassesDocument: Sendable {
  /// The form of the document.
  public enum Format: String, Sendable, CaseIterable {
    /// OpenAPI 3.1.
    case openAPI = "openapi"
    /// Definitions in JSON Schema, draft 2020-12.
    case jsonSchema = "jsonschema"
  }

  /// A class whose objects are not part of others, and what may be done with them.
  fileprivate struct Collection {
    let objectType: ObjectType
    let isRead: Bool
    let isWritten: Bool

    var uses: [ClassDefinitions.Use] {
      (isRead ? [.read] : []) + (isWritten ? isRead ? [.create, .replace, .patch] : [.create] : [])
    }
  }

  private let schema: Schema
  private let collections: [Collection]
  private let fixed: [String: Set<Int>]

  /// Describes what callers see who may do everything.
  public init(_ schema: Schema) {
    self.init(schema, permit: nil)
  }

  /// - Parameters:
  ///   - schema: The schema as the caller knows it.
  ///   - permit: The rights of the caller; nil: they may do everything.
  init(_ schema: Schema, permit: Permit?) {
    self.schema = schema
    collections = schema.objectTypes.filter { !$0.isEmbedded }.compactMap { type in
      let rights = permit?[type.name]
      let isRead = rights.map { $0.read != .none } ?? true
      let isWritten = rights.map { $0.write != .none } ?? true
      guard isRead || isWritten else { return nil }
      return Collection(objectType: type, isRead: isRead, isWritten: isWritten)
    }
    fixed = Dictionary(
      uniqueKeysWithValues: schema.objectTypes.compactMap { type in
        permit.map { (type.name, $0[type.name].fixed) }
      })
  }

  /// Returns the document; JSON writes it.
  public func value(as format: Format) -> Value {
    switch format {
    case .jsonSchema:
      [
        "$schema": .string("https://json-schema.org/draft/2020-12/schema"),
        "$defs": .document(definitions(at: "#/$defs/")),
      ]
    case .openAPI: openAPI
    }
  }

  private func definitions(at place: String) -> Document {
    let definitions = ClassDefinitions(schema, fixed: fixed, at: place)
    return definitions.definitions(of: collections.map { ($0.objectType.name, $0.uses) })
  }

  private var openAPI: Value {
    var document = Self.template
    let operations = document.take("paths")
    var paths = Document()
    var components = document.take("components")
    var schemas = components.take("schemas")
    let place = "#/components/schemas/"
    schemas.elements += definitions(at: place).elements
    let readable = collections.filter(\.isRead)
    for (path, operations) in operations.documents {
      if path.contains("{{") {
        for collection in collections { paths.elements += collection.paths(path, operations).elements }
      } else if !readable.isEmpty {
        paths.append(path, .document(operations))
      }
    }
    let keys = ClassDefinitions(schema, at: place)
    for collection in readable {
      let name = "\(ClassDefinitions.name(of: collection.objectType.name)).id"
      // A path spells the identifier of a document.
      let isSchemaless = collection.objectType.isSchemaless
      schemas.append(
        name,
        .document(isSchemaless ? ["type": .string("string")] : keys.key(of: collection.objectType)))
    }
    if !readable.isEmpty {
      schemas.elements += query(over: readable.map(\.objectType.name), at: place).elements
    }
    components.append("schemas", .document(schemas))
    document.append("paths", .document(paths))
    document.append("components", .document(components))
    return .document(document)
  }

  /// A query names its class; the answer has objects of one of them.
  private func query(over classes: [String], at place: String) -> Document {
    let text: Value = ["type": .string("string")]
    return [
      "type.query": [
        "title": .string("query"), "type": .string("object"), "required": .array([.string("from")]),
        "properties": [
          "from": ["type": .string("string"), "enum": .array(classes.map { .string($0) })],
          "filter": text, "args": ["type": .string("array"), "items": [:]], "sort": text, "distinct": text,
          "limit": ["type": .string("integer"), "minimum": .int32(1)], "cursor": text,
        ],
        "additionalProperties": .bool(false),
      ],
      "type.object": [
        "anyOf": .array(classes.map { ["$ref": .string(place + ClassDefinitions.name(of: $0))] })
      ],
    ]
  }

  /// The document of a class called `{{name}}`.
  private static let template: Document = {
    guard case .document(let document)? = try? Value(json: PackageResources.classes_json) else {
      preconditionFailure("classes.json is no document")
    }
    return document
  }()
}

extension ClassesDocument.Collection {
  /// Returns the path with the operations that the caller may do; none where there are none.
  fileprivate func paths(_ path: String, _ operations: Document) -> Document {
    let reads = ["get"]
    let writes = isRead ? ["put", "patch", "delete"] : []
    let allowed = (isRead ? reads : []) + (isWritten ? ["post"] + writes : [])
    var operations = operations
    operations.elements.removeAll { $0.key != "parameters" && !allowed.contains($0.key) }
    guard operations.elements.contains(where: { $0.key != "parameters" }) else { return [:] }
    if !isRead { operations = operations.withoutObjects }
    let words = [
      "{{name}}": objectType.name, "{{path}}": objectType.name.percentEncoded,
      "{{component}}": ClassDefinitions.name(of: objectType.name),
    ]
    let paths: Document = [path: .document(operations)]
    return paths.replacing(words)
  }
}

extension Document {
  /// The members that are documents.
  fileprivate var documents: [(String, Document)] {
    elements.compactMap { element in
      if case .document(let document) = element.value { (element.key, document) } else { nil }
    }
  }

  /// Takes a document out.
  fileprivate mutating func take(_ name: String) -> Document {
    guard case .document(let document)? = self[name] else { return [:] }
    elements.removeAll { $0.key == name }
    return document
  }

  /// Operations that answer without objects.
  fileprivate var withoutObjects: Document {
    Document(
      documents.map { method, operation in
        var operation = operation
        let responses = operation.take("responses").documents.map { status, response in
          var response = response
          _ = response.take("content")
          return Element(key: status, value: .document(response))
        }
        operation.append("responses", .document(Document(responses)))
        return Element(key: method, value: .document(operation))
      })
  }

  /// The document with the words in place of their placeholders.
  fileprivate func replacing(_ words: [String: String]) -> Document {
    Document(
      elements.map { element in
        Element(key: element.key.replacing(words), value: element.value.replacing(words))
      })
  }
}

extension Value {
  fileprivate func replacing(_ words: [String: String]) -> Value {
    switch self {
    case .document(let document): .document(document.replacing(words))
    case .array(let values): .array(values.map { $0.replacing(words) })
    case .string(let text): .string(text.replacing(words))
    default: self
    }
  }
}

extension String {
  /// Replaces each placeholder that the text has, once: a class may be called like one.
  fileprivate func replacing(_ words: [String: String]) -> String {
    var result = ""
    var rest = self[...]
    while let start = rest.firstRange(of: "{{"), let end = rest[start.upperBound...].firstRange(of: "}}") {
      let placeholder = String(rest[start.lowerBound..<end.upperBound])
      result += rest[..<start.lowerBound]
      result += words[placeholder] ?? placeholder
      rest = rest[end.upperBound...]
    }
    return result + rest
  }
}
