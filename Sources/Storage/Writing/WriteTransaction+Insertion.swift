import Model
import SQLite

extension WriteTransaction {
  /// Where an element stands in its collection.
  enum Place {
    case position(Int64)
    case key(String)
    case unordered
  }

  /// So many elements are inserted by one statement at most: most of what a statement costs it costs once.
  private static let batch = 8

  /// Fills a collection that is empty.
  func insertElements(
    _ value: DraftValue, of index: Int, _ subject: RowAddress
  ) throws(StorageError) {
    let layout = catalog.tables[subject.table].properties[index]
    switch (value, layout.property.type) {
    case (.list(let values), .list):
      try insert(values.count, of: index, subject) { (.position(ListPositions.initial($0)), values[$0]) }
      try ListBlocks(layout, of: subject.key, in: reading).buildInitial(values.count)
    case (.list(let values), _):
      // Two nulls are distinct to SQLite's unique index, but one to a set.
      let firstNull = values.firstIndex { $0.isNull }
      let distinct = values.indices.filter { $0 == firstNull || !values[$0].isNull }
      try insert(distinct.count, of: index, subject) { (.unordered, values[distinct[$0]]) }
    case (.map(let entries), _):
      try insert(entries.count, of: index, subject) { (.key(entries[$0].key), entries[$0].value) }
    // Null resets a collection.
    case (.value, _), (.link, _), (.embedded, _): break
    }
  }

  func insertElement(
    _ value: DraftValue, at place: Place, of index: Int, _ subject: RowAddress
  ) throws(StorageError) {
    try insert(1, of: index, subject) { _ in (place, value) }
  }

  private func insert(
    _ count: Int, of index: Int, _ subject: RowAddress,
    _ element: (Int) -> (place: Place, value: DraftValue)
  ) throws(StorageError) {
    let layout = catalog.tables[subject.table].properties[index]
    var next = 0
    while next < count {
      // By powers of two, so that few statements do for collections of any size.
      var size = Self.batch
      while size > count - next { size /= 2 }
      // Before a statement is bound, since storing an embedded object may use it too.
      var elements: [(place: Place, value: Mixed)] = []
      for position in next..<(next + size) {
        let (place, value) = element(position)
        elements.append((place, try stored(value, in: layout, of: subject)))
      }
      try insert(elements, of: index, subject)
      next += size
    }
  }

  /// Inserts as many elements as one statement takes.
  func insert(
    _ elements: [(place: Place, value: Mixed)], of index: Int, _ subject: RowAddress
  ) throws(StorageError) {
    let type = catalog.tables[subject.table].properties[index].element ?? .mixed
    let statement = try statements[subject.table][.insertElements(index, count: elements.count)]
    statement.bind(subject.key, at: 1)
    var parameter: Int32 = 2
    for (place, value) in elements {
      switch place {
      case .position(let position):
        statement.bind(position, at: parameter)
        parameter += 1
      case .key(let key):
        statement.bind(key, at: parameter)
        parameter += 1
      case .unordered: break
      }
      statement.bind(value, as: type, at: parameter)
      parameter += 1
    }
    try run(statement)
  }
}

extension DraftValue {
  fileprivate var isNull: Bool {
    if case .value(.null) = self { true } else { false }
  }
}
