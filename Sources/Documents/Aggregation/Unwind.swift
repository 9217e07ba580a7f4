import GatehouseBSON

/// `$unwind`: a document for each element of an array.
struct Unwind: Sendable {
  private let path: [String]
  private let index: [String]?
  private let keepsEmpty: Bool

  init(_ value: Value) throws(DocumentsError) {
    var (path, index, keepsEmpty): (Value?, [String]?, Bool) = (value, nil, false)
    if let document = value.asDocument {
      path = nil
      for element in document.elements {
        switch (element.key, element.value) {
        case ("path", let value): path = value
        case ("includeArrayIndex", .string(let name)):
          if name.isEmpty || name.hasPrefix("$") {
            throw .at(
              28822, "includeArrayIndex option to $unwind stage should not be prefixed with a '$', nor empty")
          }
          index = try FieldPath(expression: name).components
        case ("preserveNullAndEmptyArrays", .bool(let bool)): keepsEmpty = bool
        case ("includeArrayIndex", let value):
          throw .at(
            28810,
            "expected a non-empty string for the includeArrayIndex option to $unwind stage, got \(value.typeName)"
          )
        case ("preserveNullAndEmptyArrays", let value):
          throw .at(
            28809,
            "expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage, got \(value.typeName)"
          )
        default: throw .at(28811, "unrecognized option to $unwind stage: \(element.key)")
        }
      }
    }
    guard let path else { throw .at(28812, "no path specified to $unwind stage") }
    guard case .string(let text) = path else {
      throw .at(28808, "expected a string as the path for $unwind stage, got \(path.typeName)")
    }
    guard text.hasPrefix("$") else {
      throw .at(28818, "path option to $unwind stage should be prefixed with a '$': \(text)")
    }
    self.path = try FieldPath(expression: String(text.dropFirst())).components
    self.index = index
    self.keepsEmpty = keepsEmpty
  }

  func cursor(over input: any DocumentCursor, _ context: PipelineContext) -> any DocumentCursor {
    var (current, elements, place): (Document?, [Value], Int) = (nil, [], 0)
    return StageCursor { () throws(DocumentsError) in
      while true {
        if let document = current, place < elements.count {
          place += 1
          return result(document, elements[place - 1], index: .int64(Int64(place - 1)))
        }
        guard let document = try input.next() else { return nil }
        try context.budget.step()
        switch Self.value(at: path[...], of: document) {
        case .array(let values)? where !values.isEmpty: (current, elements, place) = (document, values, 0)
        case nil, .null?, .undefined?, .array?:
          if keepsEmpty { return kept(document) }
        case let value?: return result(document, value, index: .null)
        }
      }
    }
  }

  /// Through documents only.
  private static func value(at path: ArraySlice<String>, of document: Document) -> Value? {
    guard let name = path.first, let value = document[name] else { return nil }
    if path.count == 1 { return value }
    return value.asDocument.flatMap { self.value(at: path.dropFirst(), of: $0) }
  }

  private func result(_ document: Document, _ value: Value, index: Value) -> Document {
    var result = Self.setting(path[...], of: document, to: value)
    if let path = self.index { result = Self.setting(path[...], of: result, to: index) }
    return result
  }

  /// The document without an empty array.
  private func kept(_ document: Document) -> Document {
    var result = document
    if case .array? = Self.value(at: path[...], of: document) {
      result = Self.setting(path[...], of: document, to: nil)
    }
    if let index { result = Self.setting(index[...], of: result, to: .null) }
    return result
  }

  private static func setting(_ path: ArraySlice<String>, of document: Document, to value: Value?) -> Document
  {
    guard let name = path.first else { return document }
    var result = document
    if path.count == 1 {
      if let value { result.set(name, value) } else { result.remove(name) }
    } else {
      result.set(
        name, .document(setting(path.dropFirst(), of: result[name]?.asDocument ?? Document(), to: value)))
    }
    return result
  }
}
