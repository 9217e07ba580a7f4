import GatehouseAccess
import GatehouseBSON
import GatehouseDocuments
import GatehouseModel
import GatehouseStorage

// `$out` and `$merge`: all that a pipeline writes is one transaction.
extension DataCollection {
  func write(_ pipeline: Pipeline, to output: PipelineOutput, over documents: DocumentClass?) async throws {
    let source = output.target
    let namespace = Namespace(
      database: source.database ?? namespace.database, collection: source.collection)
    let target = DataCollection(events: events, call: call, namespace: namespace)
    guard let type = try StoreCollections.documents(in: namespace, for: call) else {
      return try await target.makeClass(for: pipeline, of: self, over: documents)
    }
    try target.requireWritable(type, .update)
    let kept = call.permit?[type.type.name].fixed ?? []
    try await repeating {
      let operations = try await read { collections in
        var writing = OutputWriting(output, to: type, keeping: kept, in: collections)
        let cursor = try collections.run(pipeline, over: documents)
        while let document = try cursor.next() {
          guard try writing.add(document) else { throw DataSourceError.duplicateKey(namespace) }
        }
        return try writing.operations()
      }
      if !operations.isEmpty { _ = try await target.write(operations, as: .update) }
    }
  }

  /// Makes the class of this collection of what the pipeline of another one gives, and writes that into it.
  private func makeClass(
    for pipeline: Pipeline, of source: DataCollection, over documents: DocumentClass?
  ) async throws {
    guard data.infersClasses, call.permit == nil else { throw DataSourceError.noRule(namespace) }
    let first = try await source.read(records: false) { collections in
      try collections.collect(try collections.run(pipeline, over: documents)) { $0 }
    }
    if first.isEmpty { return }
    let call = try await makeClass { _ in first }.call
    let again = DataCollection(events: events, call: call, namespace: source.namespace)
    _ = try await again.aggregate(
      pipeline, over: try StoreCollections.documents(in: again.namespace, for: call))
  }
}

extension PipelineOutput {
  /// The collection that is written.
  fileprivate var target: Pipeline.Source {
    switch self {
    case .replace(let source): source
    case .merge(let merge): merge.target
    }
  }
}

extension PipelineOutput {
  /// Whether a document that is there is replaced as a whole, and not changed.
  fileprivate var replaces: Bool {
    switch self {
    case .replace: return true
    case .merge(let merge): if case .replace = merge.whenMatched { return true } else { return false }
    }
  }
}

/// Collects what `$out` or `$merge` writes: several documents of the pipeline may be put into one of the target.
private struct OutputWriting {
  /// A document of the target.
  private struct Entry {
    /// Nil: it is not there yet.
    let before: Document?
    var after: Document
  }

  private let output: PipelineOutput
  private let target: DocumentClass
  private let kept: Set<Int>
  private let collections: StoreCollections
  private var entries: [Entry] = []
  /// The places of entries, by the values that documents are found by.
  private var places: [ValueKey: Int] = [:]

  init(
    _ output: PipelineOutput, to target: DocumentClass, keeping kept: Set<Int>,
    in collections: StoreCollections
  ) {
    (self.output, self.target, self.kept, self.collections) = (output, target, kept, collections)
  }

  private var fields: [String] {
    switch output {
    case .replace: [DocumentClass.idName]
    case .merge(let merge): merge.fields
    }
  }

  /// Adds a document of the pipeline; returns false where `$out` has had one of the same identifier.
  mutating func add(_ document: Document) throws -> Bool {
    try collections.budget.charge(document.memory)
    guard let key = try key(of: document) else {
      try insert(document)
      return true
    }
    if let place = places[ValueKey(.document(key))] {
      guard case .merge(let merge) = output else { return false }
      let merged = try merge.merged(document, into: entries[place].after, in: collections.context)
      if let merged { entries[place].after = merged }
      return true
    }
    let existing = try collections.find(
      FindQuery(filter: try Filter(key), limit: 1), in: target, isForWriting: true
    ) { $0 }.first
    guard let existing else {
      if try insert(document) { places[ValueKey(.document(key))] = entries.count - 1 }
      return true
    }
    var after: Document? = document
    if case .merge(let merge) = output {
      after = try merge.merged(document, into: existing, in: collections.context)
    }
    places[ValueKey(.document(key))] = entries.count
    entries.append(Entry(before: existing, after: after ?? existing))
    return true
  }

  /// Returns whether the document is to be inserted.
  @discardableResult
  private mutating func insert(_ document: Document) throws -> Bool {
    if case .merge(let merge) = output {
      switch merge.whenNotMatched {
      case .insert: break
      case .discard: return false
      case .fail:
        throw DocumentsError(
          .location(13113), "$merge could not find a matching document in the target collection")
      }
    }
    entries.append(Entry(before: nil, after: document))
    return true
  }

  /// The values by which the document is found in the target; nil: it has no identifier yet.
  private func key(of document: Document) throws -> Document? {
    var key = Document()
    for name in fields {
      let value = document.value(atPath: name)
      switch value {
      case nil where fields == [DocumentClass.idName]: return nil
      case nil, .null?, .undefined?, .array?:
        throw DocumentsError(
          .location(51132), "$merge write error: 'on' field cannot be missing, null, undefined or an array")
      case let value?: key.append(name, value)
      }
    }
    return key
  }

  /// The operations that write what has been added, and delete what `$out` has not been given.
  func operations() throws -> [GatehouseStorage.Operation] {
    precondition(places.count <= entries.count, "what is found by one key is one document of the target")
    var operations: [GatehouseStorage.Operation] = []
    if case .replace = output { operations = try deletions() }
    let name = target.type.name
    for entry in entries {
      guard let before = entry.before else {
        operations.append(
          .create(
            objectType: name, draft: try target.draft(of: entry.after, mode: .create), policy: .error))
        continue
      }
      let change =
        output.replaces
        ? try collections.replacement(of: before, by: entry.after, target, keeping: kept)
        : try collections.update(of: before, to: entry.after, target)
      if let change { operations.append(change) }
    }
    return operations
  }

  private func deletions() throws -> [GatehouseStorage.Operation] {
    let kept = Set(try entries.compactMap { try $0.before.map(target.identifier) })
    return try collections.find(FindQuery(filter: .everything), in: target, isForWriting: true) { document in
      kept.contains(try target.identifier(of: document))
        ? nil : try collections.deletion(of: document, target)
    }.compactMap(\.self)
  }
}

extension Document {
  /// The value at a path through documents.
  fileprivate func value(atPath path: String) -> Value? {
    var (value, document): (Value?, Document?) = (nil, self)
    for name in path.split(separator: ".", omittingEmptySubsequences: false) {
      value = document?[String(name)]
      if case .document(let inner)? = value { document = inner } else { document = nil }
    }
    return value
  }
}
