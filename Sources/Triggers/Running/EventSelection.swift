import GatehouseBSON
import GatehouseDocuments

/// The part of change events that a trigger is given, by MongoDB's language.
struct EventSelection: Sendable {
  private let filter: Filter?
  private let projection: Projection?

  init(_ watched: WatchedChanges) throws(DocumentsError) {
    filter = try watched.match.map { document throws(DocumentsError) in try Filter(document) }
    projection = try watched.projection.map { document throws(DocumentsError) in
      try Projection(document, kind: .stage)
    }
  }

  /// Returns the event as the trigger gets it; nil: it is not told of it.
  func selected(_ event: Document, at now: Date) throws(DocumentsError) -> Document? {
    let scope = Scope(now: now)
    guard try filter?.matches(event, in: scope) ?? true else { return nil }
    return try projection?.apply(to: event, in: scope) ?? event
  }
}
