import GatehouseAccess
import GatehouseBSON
import GatehouseDocuments
import GatehouseModel
import GatehouseQuery
import GatehouseStorage

/// The collections of the store as one caller sees them, read by one reader from one state of the file. Documents have in
/// them what the caller may see and nothing else, so that no filter, sort or stage leads to what they may not.
///
/// A class because all cursors of a command draw on one budget. It is used by one thread.
final class StoreCollections: DocumentCollections {
  /// Bytes that a command may keep in memory at once.
  static let memory = 64 << 20

  let reader: Reader
  let call: Call
  let budget: Budget
  private(set) var scope: Scope
  /// The error of the store that stopped a cursor, which can only tell errors of the language.
  private var failure: (any Error)?
  /// Whether the documents that an answer shows, or is computed from, are to be recorded.
  private let recordsReads: Bool
  private var shown: [(type: DocumentClass, id: Mixed)] = []
  /// The objects that the transaction has written, if the command is a part of one.
  let writes: FunctionTransaction.Writes

  init(_ reader: Reader, for call: Call, recordsReads: Bool) {
    self.reader = reader
    self.call = call
    self.recordsReads = recordsReads
    writes = call.transaction?.writes ?? [:]
    budget = Budget(memory: Self.memory) { reader.mustStop }
    scope = Scope(now: .now, budget: budget)
  }

  var context: PipelineContext { PipelineContext(scope: scope, collections: self) }

  /// Runs `body`, and throws the error of the store where that is what stopped it.
  func running<Answer>(_ body: (StoreCollections) throws -> Answer) throws -> Answer {
    do { return try body(self) } catch let error as DocumentsError {
      throw failure ?? DataSourceError.language(error)
    }
  }

  /// Keeps an error of the store, and returns one that a cursor may throw.
  func fail(_ error: any Error) -> DocumentsError {
    failure = failure ?? error
    return DocumentsError(.exceededTimeLimit, "the store stopped the query")
  }

  /// Notes a document for the audit trail.
  func show(_ document: Document, of type: DocumentClass) throws {
    guard recordsReads else { return }
    try budget.charge(100)
    shown.append((type, try type.identifier(of: document)))
  }

  /// Returns the documents of a cursor for which a filter holds, noted for the audit trail as they are taken; where nothing is
  /// recorded, the cursor itself.
  func noting(
    _ cursor: any DocumentCursor, _ filter: Filter?, of documents: DocumentClass
  ) -> any DocumentCursor {
    recordsReads ? ShownDocuments(cursor, filter, of: documents, in: self) : cursor
  }

  /// Reads what has been shown once more, to tell the audit trail; nil: nothing is recorded.
  func observation() throws -> Observation? {
    guard recordsReads else { return nil }
    return try reader.observing { reader in
      var bytes: [UInt8] = []
      for (documents, id) in shown {
        bytes.removeAll(keepingCapacity: true)
        let name = documents.type.name
        _ = try reader.object(
          name, id: id, projection: projection(of: documents.type),
          where: try call.permit?.visibility(of: name),
          under: call.permit?.visibility, as: .bson, into: &bytes)
      }
    }.observation
  }

  private func projection(of type: ObjectType) -> GatehouseQuery.Projection {
    let all = GatehouseQuery.Projection.all(of: type)
    return call.permit?.visibility?.pruned(all) ?? all
  }
}

extension StoreCollections {
  /// Returns the class that a collection is; nil: there is none, and so no documents. Throws
  /// ``DataSourceError/noRule(_:)`` where the caller may not know that.
  static func documents(
    in namespace: Namespace, for call: Call
  ) throws(DataSourceError) -> DocumentClass? {
    guard let type = call.schema[namespace.collection], !type.isEmbedded else {
      // Who sees all classes may be told that this is none.
      guard let permit = call.permit, permit.principal.role.others.read == .never else { return nil }
      throw .noRule(namespace)
    }
    return try DocumentClass(type, in: call.schema)
  }

  /// The documents of a class for which a filter may hold; of others, those alone for which it does where the answer says so.
  struct Found {
    let cursor: any DocumentCursor
    /// Whether the filter holds for all of them.
    let isExact: Bool
    /// Whether they come in the order that was asked for.
    let isSorted: Bool
  }

  /// Finds documents. Throws ``GatehouseAccess/AccessError`` where the caller may see none of them.
  ///
  /// - Parameters:
  ///   - expected: how many will be asked for, where that is known.
  ///   - isForWriting: whether those are left out that the caller may not change.
  func find(
    _ filter: Filter?, in documents: DocumentClass, sort: SortPattern? = nil, expecting expected: Int? = nil,
    isForWriting: Bool = false
  ) throws -> Found {
    let (plan, isExact) = try self.plan(filter, of: documents, isForWriting: isForWriting)
    if let written = writes[documents.type.name] {
      let unwritten = ObjectCursor(plan, of: documents, in: self, expecting: nil)
      return Found(
        cursor: WrittenDocuments(written, over: unwritten, of: documents), isExact: false,
        isSorted: sort == nil)
    }
    if let sort, let expected,
      let order = try indexOrder(of: documents, by: sort, filter, expecting: expected)
    {
      let cursor = IndexOrderCursor(
        plan, by: order, as: sort, of: documents, in: self, expecting: isExact ? expected : 100)
      return Found(cursor: cursor, isExact: isExact, isSorted: true)
    }
    var sorted = plan
    let keys = try sort.flatMap { sort in
      let identifiers = sort.beginsWithID ? try identifiers(of: documents) : nil
      return SortPlan(sort, for: documents.type, identifiers: identifiers)?.keys
    }
    if let keys { sorted.clauses = [.sort(keys)] }
    let reads = sort == nil || keys != nil ? expected : nil
    return Found(
      cursor: ObjectCursor(sorted, of: documents, in: self, expecting: isExact ? reads : nil),
      isExact: isExact, isSorted: sort == nil || keys != nil)
  }

  /// The most documents that are asked for in the order of an index: to sort many, all are read one after the other.
  private static let mostInIndexOrder = 10_000

  /// Returns the order of an index in which documents are read; nil: they have to be sorted, or few enough are found by a filter.
  private func indexOrder(
    of documents: DocumentClass, by sort: SortPattern, _ filter: Filter?, expecting expected: Int
  ) throws -> FieldOrder? {
    let type = documents.type
    guard type.isSchemaless, !type.indexes.isEmpty, expected <= Self.mostInIndexOrder, let key = sort.single,
      // The order would tell of values that are hidden.
      call.permit?.visibility?.hiddenFields[type.name]?.isEmpty ?? true,
      filter.map({ FilterPlan($0, for: type).predicate == .always }) ?? true
    else { return nil }
    return try FieldOrder(
      of: type.name, by: key.path.map { ExactText($0) }, isAscending: key.isAscending, in: reader)
  }

  /// Returns the type of all identifiers of a schemaless class, those that the caller may not see included: that of the first and of
  /// the last one in the store's order, in which types do not mix. Nil: there are several, or there is a schema.
  private func identifiers(of documents: DocumentClass) throws -> Mixed.Rank? {
    let type = documents.type
    guard type.isSchemaless, let property = type.primaryKeyIndex else { return nil }
    let path = KeyPath(objectType: type.name, hops: [], end: .value(property: property), type: .mixed)
    let projection = GatehouseQuery.Projection(
      objectType: type.name, fields: [.init(property: property, target: nil)])
    let ranks = try [true, false].map { isAscending in
      var plan = Plan(objectType: type.name, predicate: .always, projection: projection)
      plan.clauses = [.sort([SortKey(path: path, ascending: isAscending)])]
      let end = try ObjectCursor(plan, of: documents, in: self, expecting: 1).next()
      return try end.map { try documents.identifier(of: $0).rank }
    }
    return ranks[0] == ranks[1] ? ranks[0] : nil
  }

  /// Whether the transaction has written documents of a class.
  func hasWritten(to documents: DocumentClass) -> Bool { writes[documents.type.name] != nil }

  /// Returns the document of that identifier; nil: there is none that the caller may see, and change where it is for writing. Throws
  /// ``GatehouseAccess/AccessError`` where they may see no document of the class.
  func document(_ id: Mixed, of documents: DocumentClass, isForWriting: Bool) throws -> Document? {
    let name = documents.type.name
    var condition: Predicate?
    if let permit = call.permit {
      let conditions = [try permit.visibility(of: name), isForWriting ? permit[name].writable : nil]
      let known = conditions.compactMap(\.self)
      condition = known.isEmpty ? nil : .all(known)
    }
    var bytes: [UInt8] = []
    let version = try reader.object(
      name, id: id, projection: call.permit == nil ? nil : projection(of: documents.type), where: condition,
      under: call.permit?.visibility, as: .bson, into: &bytes)
    return version == nil ? nil : documents.document(of: try Document(bson: bytes))
  }

  /// Returns the plan of the objects for which a filter may hold, and whether it holds for all of them.
  func plan(
    _ filter: Filter?, of documents: DocumentClass, isForWriting: Bool = false
  ) throws -> (plan: Plan, isExact: Bool) {
    let type = documents.type
    if filter?.searchesText == true {
      guard let paths = type.textPaths else {
        throw DocumentsError(.indexNotFound, "text index required for $text query")
      }
      scope.textPaths = paths
    }
    let part = filter.map { FilterPlan($0, for: type) }
    var plan = Plan(
      objectType: type.name, predicate: part?.predicate ?? .always, projection: .all(of: type))
    plan = try call.permit?.restricted(plan) ?? plan
    if isForWriting, let writable = call.permit?[type.name].writable {
      plan.predicate = .all([writable, plan.predicate])
    }
    return (plan, part?.isExact ?? true && !hasWritten(to: documents))
  }

  /// The documents of another collection, for a stage that reads it. Those of one that the caller may not see are none.
  func documents(
    of collection: String, in database: String?, filter: Filter?
  ) throws(DocumentsError) -> any DocumentCursor {
    do {
      guard let type = call.schema[collection], !type.isEmbedded else { return DocumentList([]) }
      let documents = try DocumentClass(type, in: call.schema)
      let found = try find(filter, in: documents)
      return noting(found.cursor, filter, of: documents)
    } catch is AccessError {
      return DocumentList([])
    } catch {
      throw fail(error)
    }
  }
}

extension ObjectType {
  /// The paths of the texts that are indexed for their words; nil: there are none.
  fileprivate var textPaths: [[String]]? {
    let paths = properties.filter { $0.index == .fullText }.map { [$0.name] }
    return paths.isEmpty ? nil : paths
  }
}

/// Documents that are noted for the audit trail as they are taken, those alone for which a filter holds.
final class ShownDocuments: DocumentCursor {
  private let cursor: any DocumentCursor
  private let filter: Filter?
  private let documents: DocumentClass
  private let collections: StoreCollections

  init(
    _ cursor: any DocumentCursor, _ filter: Filter?, of documents: DocumentClass,
    in collections: StoreCollections
  ) {
    self.cursor = cursor
    self.filter = filter
    self.documents = documents
    self.collections = collections
  }

  func next() throws(DocumentsError) -> Document? {
    while let document = try cursor.next() {
      if let filter, try !filter.matches(document, in: collections.scope) { continue }
      do { try collections.show(document, of: documents) } catch let error as DocumentsError {
        throw error
      } catch {
        throw collections.fail(error)
      }
      return document
    }
    return nil
  }
}
