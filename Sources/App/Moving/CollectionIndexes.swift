import GatehouseBSON
import GatehouseModel

/// The indexes of a collection without a schema, as MongoDB's `getIndexes()` tells them.
struct CollectionIndexes {
  /// The paths that there is an index of, each by itself.
  private(set) var paths: [String] = []
  private(set) var faults: [ConfigurationError] = []

  /// The indexes of a class; nil: it has none.
  init?(of type: ObjectType) {
    paths = type.indexes.map { type.words(of: $0).joined() }
    if paths.isEmpty { return nil }
  }

  /// Reads `[{"key": {"level": 1}, "name": "level_1"}, …]`. The index of `_id` is there in any case.
  init(_ notation: Value) {
    guard case .array(let elements) = notation else {
      faults.append(ConfigurationError(at: [JSONPlace.Step](), "indexes are an array"))
      return
    }
    for (place, element) in elements.enumerated() {
      guard case .document(let index) = element, case .document(let key)? = index["key"] else {
        fail(place, "an index is an object with “key”")
        continue
      }
      take(key, of: index, at: place)
    }
  }

  private mutating func take(_ key: Document, of index: Document, at place: Int) {
    guard key.elements.count == 1, let path = key.elements.first,
      path.value == .int32(1) || path.value == .int32(-1)
    else { return fail(place, "an index is by one path, up or down") }
    if path.key == ObjectType.documentIDName { return }
    if index["unique"] == .bool(true) {
      return fail(place, "an index that keeps values from being there twice has no counterpart")
    }
    for name in ["expireAfterSeconds", "partialFilterExpression", "sparse"] where index[name] != nil {
      fail(place, "“\(name)” has no counterpart: it is an index of all documents, which stay")
    }
    let type = ObjectType.schemaless("C", indexes: [.field(path.key)])
    guard (try? Schema(validating: [type])) != nil else {
      return fail(place, "“\(path.key)” is no path of fields")
    }
    if !paths.contains(path.key) { paths.append(path.key) }
  }

  private mutating func fail(_ place: Int, _ text: String) {
    faults.append(ConfigurationError(at: [JSONPlace.Step.index(place)], text))
  }

  /// The indexes as MongoDB tells them.
  var notation: Value {
    .array(
      paths.map { path in
        .document([
          "key": .document(Document([Document.Element(key: path, value: .int32(1))])),
          "name": .string("\(path)_1"),
        ])
      })
  }
}
