/// All that a run of a pipeline needs beside its documents.
public struct PipelineContext {
  /// The variables, and `$$NOW`.
  public var scope: Scope
  public var budget: Budget { scope.budget }
  /// Nil where there are no other collections to read.
  public let collections: (any DocumentCollections)?

  public init(scope: Scope, collections: (any DocumentCollections)? = nil) {
    self.scope = scope
    self.collections = collections
  }

  /// The documents of a collection for which the filter holds.
  func documents(
    of source: Pipeline.Source, filter: Filter? = nil
  ) throws(DocumentsError) -> any DocumentCursor {
    guard let collections else { throw .badValue("there is no collection \(source.collection) to read here") }
    let cursor = try collections.documents(of: source.collection, in: source.database, filter: filter)
    guard let filter else { return cursor }
    return StageCursor { () throws(DocumentsError) in
      while let document = try cursor.next() {
        try budget.step()
        if try filter.matches(document, in: scope) { return document }
      }
      return nil
    }
  }
}
