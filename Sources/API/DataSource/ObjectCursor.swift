import GatehouseBSON
import GatehouseDocuments
import GatehouseQuery
import GatehouseStorage

/// The objects of a plan as documents, read page after page as they are asked for.
final class ObjectCursor: DocumentCursor {
  private static let pageBytes = 1 << 20
  private static let largestPage = 1000

  private let collections: StoreCollections
  private let documents: DocumentClass
  private var plan: Plan
  private var reader = BSONReader()
  private var bytes: [UInt8] = []
  private var position = 0
  /// Whether there may be another page.
  private var hasNext = true

  /// - Parameter expected: how many documents will be asked for, where that is known.
  init(_ plan: Plan, of documents: DocumentClass, in collections: StoreCollections, expecting expected: Int?)
  {
    self.plan = plan
    self.documents = documents
    self.collections = collections
    self.plan.pageSize = min(expected ?? 100, Self.largestPage)
  }

  func next() throws(DocumentsError) -> Document? {
    do {
      while position == bytes.count {
        guard hasNext else { return nil }
        try readPage()
      }
      return documents.document(of: try decode())
    } catch let error as DocumentsError {
      throw error
    } catch {
      throw collections.fail(error)
    }
  }

  private func readPage() throws {
    if collections.reader.mustStop { throw StorageError.timeLimit }
    bytes.removeAll(keepingCapacity: true)
    position = 0
    let page = try collections.reader.page(
      plan, as: .bson, framing: .sequence, atMost: Self.pageBytes, into: &bytes)
    precondition(
      page.next == nil || page.next != plan.cursor, "a page goes on behind the one before: \(plan.objectType)"
    )
    plan.cursor = page.next
    hasNext = page.next != nil
    plan.pageSize = min((plan.pageSize ?? 100) * 4, Self.largestPage)
  }

  /// Reads the next document: its first four bytes say how long it is.
  private func decode() throws -> Document {
    let length = bytes[position..<min(position + 4, bytes.count)].reversed().reduce(0) { $0 << 8 | Int($1) }
    let end = min(position + max(length, 5), bytes.count)
    defer { position = end }
    // A span is of a value that stays as it is for as long as it is looked at.
    let bytes = bytes
    return try reader.read(bytes.span.extracting(position..<end))
  }
}
