import GatehouseBSON
import GatehouseDocuments

/// A command on the documents of a collection, parsed and checked.
enum DataCommand: Sendable {
  case find(FindQuery)
  case findOne(FindQuery)
  case count(FindQuery)
  case distinct(DistinctValues, Filter)
  case aggregate(Pipeline)
  case insert([Document], isMany: Bool)
  case update(DocumentUpdate)
  case delete(Filter, isMany: Bool)
  /// Changes the first document that a query finds, and shows it.
  case findAndUpdate(FindQuery, DocumentUpdate, returnsNew: Bool)
  case findAndDelete(FindQuery)
}

/// The change of documents that a filter finds.
struct DocumentUpdate: Sendable {
  let filter: Filter
  let update: Update
  /// Whether a document is inserted where the filter finds none.
  let isUpsert: Bool
  /// Whether all that are found are changed, and not only the first one.
  let isMany: Bool
}

/// The result of a command, which each protocol writes in its own form.
enum DataResult: Sendable {
  case documents([Document])
  case document(Document?)
  case values([Value])
  case count(Int)
  case inserted([Value], isMany: Bool)
  case updated(matched: Int, modified: Int, upserted: Value?)
  case deleted(Int)
}
