import GatehouseBSON

/// The application of changes to one document.
struct UpdateApplication {
  let filters: [String: Filter]
  /// The place in an array that the filter matched.
  let position: Int?
  let scope: Scope
  let isInsert: Bool

  /// The most elements by which the arrays of a document grow to reach places.
  static let paddingLimit = 100_000
  /// The elements by which they have grown.
  private var padding = 0

  init(filters: [String: Filter], position: Int?, scope: Scope, isInsert: Bool) {
    self.filters = filters
    self.position = position
    self.scope = scope
    self.isInsert = isInsert
  }

  mutating func apply(_ change: Update.Change, to document: inout Document) throws(DocumentsError) {
    if case .setOnInsert = change.operation, !isInsert { return }
    var parts = change.path.parts
    if let index = parts.firstIndex(of: .matched) {
      guard let position else {
        throw .badValue("The positional operator did not find the match needed from the query.")
      }
      parts[index] = .field(String(position))
    }
    var operation = change.operation
    if case .rename(let source) = operation {
      guard let value = try take(source, from: &document) else { return }
      operation = .set(value)
    }
    let step = Step(operation: operation, path: change.path.text)
    try self.change(in: &document, parts[...], step)
  }

  private struct Step {
    let operation: UpdateOperation
    let path: String
  }

  /// Takes the value of a path away; through documents only.
  private func take(_ path: UpdatePath, from document: inout Document) throws(DocumentsError) -> Value? {
    func take(_ document: inout Document, _ parts: ArraySlice<UpdatePath.Part>) throws(DocumentsError)
      -> Value?
    {
      guard case .field(let name)? = parts.first else { return nil }
      if parts.count == 1 { return document.remove(name) }
      switch document[name] {
      case .document(var inner)?:
        let value = try take(&inner, parts.dropFirst())
        if value != nil { document.set(name, .document(inner)) }
        return value
      case .array?: throw .badValue("The source field cannot be an array element, '\(path.text)'")
      default: return nil
      }
    }
    return try take(&document, path.parts[...])
  }

  private mutating func change(
    in document: inout Document, _ parts: ArraySlice<UpdatePath.Part>, _ step: Step
  ) throws(DocumentsError) {
    guard case .field(let name)? = parts.first else {
      preconditionFailure("a document is changed in one of its fields")
    }
    if let value = try changed(document[name], along: parts.dropFirst(), named: name, step) {
      document.set(name, value)
    } else {
      document.remove(name)
    }
  }

  /// The value with the rest of the path changed in it; nil where it is to be no more.
  private mutating func changed(
    _ value: Value?, along parts: ArraySlice<UpdatePath.Part>, named name: String, _ step: Step
  ) throws(DocumentsError) -> Value? {
    guard let next = parts.first else {
      return try step.operation.value(from: value, at: step.path, in: scope)
    }
    if case .field(let field) = next {
      switch value {
      case nil:
        if !step.operation.creates { return nil }
        var document = Document()
        try change(in: &document, parts, step)
        return .document(document)
      case .document(var document)?:
        try change(in: &document, parts, step)
        return .document(document)
      case .array(let values)?:
        if let index = field.arrayIndex {
          return try changed(values, at: index, along: parts.dropFirst(), step)
        }
      default: break
      }
      if !step.operation.creates { return value }
      throw DocumentsError(
        .pathNotViable, "Cannot create field '\(field)' in element {\(name): \(value.typeName)}")
    }
    guard let value else {
      if !step.operation.creates { return nil }
      throw .badValue("The path '\(step.path)' must exist in the document in order to apply array updates.")
    }
    guard case .array(let values) = value else {
      throw .badValue("Cannot apply array updates to non-array element \(name): \(value.typeName)")
    }
    var results: [Value] = []
    for element in values {
      if case .filtered(let identifier) = next, let filter = filters[identifier] {
        let wrapped = Document([Document.Element(key: identifier, value: element)])
        if try !filter.matches(wrapped, in: scope) {
          results.append(element)
          continue
        }
      }
      results.append(try changed(element, along: parts.dropFirst(), named: name, step) ?? .null)
    }
    return .array(results)
  }

  /// An element that is taken out of an array leaves null.
  private mutating func changed(
    _ values: [Value], at index: Int, along parts: ArraySlice<UpdatePath.Part>, _ step: Step
  ) throws(DocumentsError) -> Value {
    var values = values
    if index < values.count {
      values[index] = try changed(values[index], along: parts, named: String(index), step) ?? .null
      return .array(values)
    }
    guard step.operation.creates, let value = try changed(nil, along: parts, named: String(index), step)
    else {
      return .array(values)
    }
    padding += index - values.count
    if padding > Self.paddingLimit {
      throw .badValue("can't backfill more than \(Self.paddingLimit) elements to an array")
    }
    values += Array(repeating: .null, count: index - values.count)
    values.append(value)
    return .array(values)
  }
}
