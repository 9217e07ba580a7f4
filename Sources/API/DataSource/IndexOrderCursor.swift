import GatehouseBSON
import GatehouseDocuments
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// The documents of a plan in the order of an index, read as they are asked for: whoever wants the first ones does not sort all.
final class IndexOrderCursor: DocumentCursor {
  private static let largestBatch = 1_000

  private let plan: Plan
  private let sort: SortPattern
  private let documents: DocumentClass
  private let collections: StoreCollections
  private var order: FieldOrder
  /// The documents of one batch, the last one first.
  private var batch: [Document] = []
  private var size: Int

  /// - Parameter expected: how many documents will be asked for.
  init(
    _ plan: Plan, by order: FieldOrder, as sort: SortPattern, of documents: DocumentClass,
    in collections: StoreCollections, expecting expected: Int
  ) {
    self.plan = plan
    self.order = order
    self.sort = sort
    self.documents = documents
    self.collections = collections
    size = min(max(expected, 1), Self.largestBatch)
  }

  func next() throws(DocumentsError) -> Document? {
    while batch.isEmpty {
      let keys: [ObjectKey]
      do { keys = try order.keys(atMost: size, in: collections.reader) } catch {
        throw collections.fail(error)
      }
      if keys.isEmpty { return nil }
      size = min(size * 4, Self.largestBatch)
      // Documents of one place are in the order of their keys here, and may be in another one by their values.
      batch = sort.sorted(try documents(of: keys)).reversed()
    }
    return batch.popLast()
  }

  /// The documents of these objects that the plan matches, in the order of the keys.
  private func documents(of keys: [ObjectKey]) throws(DocumentsError) -> [Document] {
    var found: [Document] = []
    for start in stride(from: 0, to: keys.count, by: Self.largestBatch) {
      let part = keys[start..<min(start + Self.largestBatch, keys.count)]
      let cursor = ObjectCursor(
        plan.restricted(to: part), of: documents, in: collections, expecting: part.count)
      while let document = try cursor.next() {
        // As many are kept as have one place in the index.
        if found.count >= Self.largestBatch { try collections.budget.charge(document.memory) }
        found.append(document)
      }
    }
    return found
  }
}
