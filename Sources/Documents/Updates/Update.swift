public import GatehouseBSON

/// An update, parsed and checked: operators, a whole document that replaces another, or a pipeline.
public struct Update: Sendable {
  struct Change: Sendable {
    let path: UpdatePath
    let operation: UpdateOperation

    /// Whether it takes the value of another path.
    var isRenaming: Bool { if case .rename = operation { true } else { false } }
  }

  enum Form: Sendable {
    case replacement(Document)
    case changes([Change])
    case pipeline(Pipeline)
  }

  /// The outcome for one document.
  public struct Result: Hashable, Sendable {
    public let document: Document
    /// Whether it is another document than before.
    public let isModified: Bool
  }

  let form: Form
  let arrayFilters: [String: Filter]

  init(form: Form, arrayFilters: [String: Filter]) { (self.form, self.arrayFilters) = (form, arrayFilters) }

  /// - Parameters:
  ///   - value: a document, or the stages of a pipeline.
  ///   - arrayFilters: the conditions of `$[name]`.
  ///   - variables: names of `$$` that a pipeline may use beside those of the system.
  public init(
    _ value: Value, arrayFilters: [Document] = [], variables: Set<String> = []
  ) throws(DocumentsError) {
    switch value {
    case .array(let stages):
      if !arrayFilters.isEmpty {
        throw .failedToParse("arrayFilters may not be specified for pipeline-style updates")
      }
      form = .pipeline(try UpdatePipeline.parse(stages, variables: variables))
      self.arrayFilters = [:]
    case .document(let document):
      if let first = document.elements.first, first.key.hasPrefix("$") {
        var parser = UpdateParser()
        let filters = try ArrayFilterParser.parse(arrayFilters)
        form = .changes(try parser.parse(document, filters: Set(filters.keys)))
        self.arrayFilters = filters
      } else {
        form = .replacement(document)
        self.arrayFilters = [:]
        for element in document.elements where element.key.hasPrefix("$") && !element.key.hasPrefix("$ref") {
          throw DocumentsError(
            .dollarPrefixedFieldName,
            "The dollar ($) prefixed field '\(element.key)' in '\(element.key)' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith."
          )
        }
      }
    default: throw .failedToParse("Update argument must be either an object or an array")
    }
  }

  /// Whether the update is a whole document.
  public var isReplacement: Bool {
    if case .replacement = form { true } else { false }
  }

  /// The document after the update.
  ///
  /// - Parameter filter: the filter that found the document, which says what `$` in a path means.
  public func apply(
    to document: Document, matching filter: Filter, in scope: Scope
  ) throws(DocumentsError) -> Result {
    var result = document
    switch form {
    case .replacement(let replacement): result = replacement
    case .changes(let changes):
      var position: Int?
      if changes.contains(where: { $0.path.parts.contains(.matched) }) {
        position = try filter.match(document, in: scope).position
      }
      var application = UpdateApplication(
        filters: arrayFilters, position: position, scope: scope.with(root: document), isInsert: false)
      for change in changes { try application.apply(change, to: &result) }
    case .pipeline(let pipeline): result = try Self.transformed(document, by: pipeline, scope)
    }
    try Self.keepID(of: document, in: &result, isWhole: !isChanges)
    precondition(
      isChanges || document["_id"] == nil || result.elements.first?.key == "_id",
      "the identifier of a document stays, and comes first")
    try check(result)
    return Result(document: result, isModified: result != document)
  }

  /// Throws where a document is too deep, or, as one value was put into many places, too large to be written.
  private func check(_ result: Document) throws(DocumentsError) {
    if result.isDeeper(than: Limits().depth) {
      throw DocumentsError(
        .overflow, "the document after the update is nested deeper than \(Limits().depth) levels")
    }
    if case .changes(let changes) = form, changes.contains(where: \.path.isOfMany) {
      _ = try Value.document(result).checkedSize()
    }
  }

  private var isChanges: Bool {
    if case .changes = form { true } else { false }
  }

  private static func transformed(
    _ document: Document, by pipeline: Pipeline, _ scope: Scope
  ) throws(DocumentsError) -> Document {
    let context = PipelineContext(scope: scope)
    return try pipeline.run(over: DocumentList([document]), in: context).next() ?? document
  }

  /// Puts the identifier first where it is left out, and refuses another one.
  private static func keepID(
    of document: Document, in result: inout Document, isWhole: Bool
  ) throws(DocumentsError) {
    guard let id = document["_id"] else { return }
    if isWhole, result["_id"] == nil { return result.elements.insert(.init(key: "_id", value: id), at: 0) }
    guard let other = result["_id"], ValueOrder.isEqual(id, other) else {
      throw DocumentsError(
        .immutableField,
        isWhole
          ? "After applying the update, the (immutable) field '_id' was found to have been altered"
          : "Performing an update on the path '_id' would modify the immutable field '_id'")
    }
    if isWhole, let index = result.index(of: "_id"), index > 0 {
      result.elements.insert(result.elements.remove(at: index), at: 0)
    }
  }

  /// The document that an upsert inserts where the filter finds no document.
  ///
  /// - Parameter makeID: makes the identifier where neither filter nor update has one.
  public func inserted(
    for filter: Filter, in scope: Scope, makeID: () -> Value = { .objectID(.generate()) }
  ) throws(DocumentsError) -> Document {
    var result = try UpsertFields(filter, onlyID: isReplacement).document
    switch form {
    case .replacement(let replacement):
      let id = result["_id"]
      result = replacement
      if let id {
        if let other = replacement["_id"], !ValueOrder.isEqual(id, other) {
          throw DocumentsError(
            .immutableField, "The _id field cannot be changed from that of the filter")
        }
        result.set("_id", id)
      }
    case .changes(let changes):
      let before = result
      var application = UpdateApplication(
        filters: arrayFilters, position: nil, scope: scope.with(root: result), isInsert: true)
      for change in changes { try application.apply(change, to: &result) }
      if before["_id"] != nil { try Self.keepID(of: before, in: &result, isWhole: false) }
    case .pipeline(let pipeline):
      let before = result
      result = try Self.transformed(result, by: pipeline, scope)
      try Self.keepID(of: before, in: &result, isWhole: true)
    }
    let id = result.remove("_id") ?? makeID()
    result.elements.insert(Document.Element(key: "_id", value: id), at: 0)
    try check(result)
    return result
  }
}
