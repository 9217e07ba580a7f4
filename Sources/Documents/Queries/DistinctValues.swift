public import GatehouseBSON

/// `distinct`: the values that a path has in documents, each once, those of arrays one by one.
public struct DistinctValues: Sendable {
  private let path: [String]
  private let filter: Filter

  public init(of path: String, filter: Filter = .everything) throws(DocumentsError) {
    self.path = try FieldPath(expression: path).components
    self.filter = filter
  }

  private init(path: [String], filter: Filter) { (self.path, self.filter) = (path, filter) }

  /// The values of documents in which members are in bytewise order of their names (``Filter/inMemberOrder``).
  public var inMemberOrder: DistinctValues { DistinctValues(path: path, filter: filter.inMemberOrder) }

  /// The values in the order in which they are first met.
  public func values(
    over documents: any DocumentCursor, in context: PipelineContext
  ) throws(DocumentsError) -> [Value] {
    let cursor = try Stage.run([.match(filter)], over: documents, in: context)
    var (seen, values): (Set<ValueKey>, [Value]) = ([], [])
    while let document = try cursor.next() {
      var found: [Value] = []
      Self.collect(.document(document), path[...], into: &found)
      for value in found where seen.insert(ValueKey(value)).inserted {
        try context.budget.charge(value.memory * 2)
        values.append(value)
      }
    }
    precondition(seen.count == values.count, "a value is given once")
    return values
  }

  private static func collect(_ value: Value, _ path: ArraySlice<String>, into found: inout [Value]) {
    guard let name = path.first else {
      if case .array(let values) = value { found += values } else { found.append(value) }
      return
    }
    switch value {
    case .document(let document):
      if let value = document[name] { collect(value, path.dropFirst(), into: &found) }
    case .array(let values):
      for value in values where value.asDocument != nil { collect(value, path, into: &found) }
      if let index = name.arrayIndex, values.indices.contains(index) {
        collect(values[index], path.dropFirst(), into: &found)
      }
    default: break
    }
  }
}
