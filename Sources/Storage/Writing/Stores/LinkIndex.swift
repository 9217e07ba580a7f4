import GatehouseModel
import GatehouseSQLite

/// Finds links from the side of their targets, through the indexes of link columns and of the child tables of links,
/// which it owns no rows of; and gives keys to links to objects that are not created yet.
final class LinkIndex {
  private let statements: WriteStatements
  private let context: WriteContext
  private var catalog: Catalog { statements.catalog }
  private var session: ReadSession { statements.session }
  /// Links inside mixed values.
  let mixed: MixedLinks
  private var references = ForwardReferences()

  init(_ statements: WriteStatements, _ context: WriteContext) {
    self.statements = statements
    self.context = context
    mixed = MixedLinks(statements)
  }

  /// Returns the objects of which a column, set or list links to the object.
  func owners(of link: Catalog.IncomingLink, to key: Int64) throws(StorageError) -> [RowAddress] {
    let statement = try statements[link.table][.owners(link.property)]
    statement.bind(key, at: 1)
    return try statements.integers(statement).map { RowAddress(table: link.table, key: $0) }
  }

  /// Returns the entries of maps that link to the object, by their keys.
  func entries(
    of link: Catalog.IncomingLink, to key: Int64
  ) throws(StorageError) -> [(owner: RowAddress, place: String)] {
    try elements(.linkingEntries(link.property), of: link, to: key) { $0.string(at: 1) }
  }

  /// Returns the elements of lists that link to the object, by their positions.
  func elements(
    of link: Catalog.IncomingLink, to key: Int64
  ) throws(StorageError) -> [(owner: RowAddress, place: Int64)] {
    try elements(.linkingElements(link.property), of: link, to: key) { $0.int64(at: 1) }
  }

  private func elements<Place>(
    _ purpose: TableStatements.Purpose, of link: Catalog.IncomingLink, to key: Int64,
    place: (Statement) -> Place
  ) throws(StorageError) -> [(owner: RowAddress, place: Place)] {
    let statement = try statements[link.table][purpose]
    statement.bind(key, at: 1)
    var elements: [(owner: RowAddress, place: Place)] = []
    while try session.step(statement) {
      let owner = RowAddress(table: link.table, key: statement.int64(at: 0))
      elements.append((owner, place(statement)))
    }
    return elements
  }

  /// Makes null of the links of a column to the object, and takes it out of sets.
  func unlink(_ key: Int64, from link: Catalog.IncomingLink) throws(StorageError) {
    let statement = try statements[link.table][.unlink(link.property)]
    statement.bind(key, at: 1)
    try statements.run(statement)
  }

  /// Returns the object that a row belongs to in the end, which is another one if it is embedded, and the property of
  /// it that holds the row.
  func root(
    of property: Int, in row: RowAddress
  ) throws(StorageError) -> (property: Int, row: RowAddress)? {
    var place = (property: property, row: row)
    for _ in 0...ReadSession.deepest {
      guard statements.isEmbedded(place.row) else { return place }
      guard let holder = try holder(of: place.row) else { return nil }
      place = holder
    }
    throw .corrupt("embedded objects")
  }

  /// Returns where an embedded object is held; nil: nowhere.
  private func holder(of row: RowAddress) throws(StorageError) -> (property: Int, row: RowAddress)? {
    for link in catalog.incoming[row.table] {
      if let owner = try owners(of: link, to: row.key).first { return (link.property, owner) }
    }
    return nil
  }

  /// Begins a transaction.
  func begin() { references.removeAll() }

  /// Whether every object that was linked to is there.
  var isComplete: Bool { references.isEmpty }

  /// Returns the key of the object that clients identify by `identifier`, for a link in a property of a row; that of a
  /// ``ForwardReference`` where the object must still come.
  func key(
    of target: ForwardReferences.Target, in layout: PropertyLayout, of row: RowAddress,
    _ counters: inout Counters
  ) throws(StorageError) -> Int64 {
    if let found = try statements.find(target.table, target.identifier) { return found.row.key }
    var reference =
      if let known = references[target] { known } else { try makeReference(to: target, &counters) }
    if reference.isPlaceholder,
      let property = catalog.tables[row.table].properties.firstIndex(where: { $0.name == layout.name })
    {
      let place = ForwardReference.Place(table: row.table, property: property)
      if !reference.places.contains(place) { reference.places.append(place) }
    }
    references[target] = reference
    return reference.key
  }

  private func makeReference(
    to target: ForwardReferences.Target, _ counters: inout Counters
  ) throws(StorageError) -> ForwardReference {
    let type = catalog.tables[target.table].objectType
    guard type.primaryKey == nil else {
      return references.makePlaceholder(operation: context.operation)
    }
    guard case .int(let named) = target.identifier, (0...ObjectKey.largest).contains(named) else {
      throw .linkTargetNotFound(objectType: type.name, primaryKey: target.identifier)
    }
    counters.use(named, target.table)
    return ForwardReference(key: named, operation: context.operation)
  }

  /// Removes the reference to an object that is being created.
  func takeReference(to target: ForwardReferences.Target) -> ForwardReference? { references.take(target) }

  /// Takes back the reference to an object that could not be created: what links to it still waits for it.
  func giveBack(_ reference: ForwardReference, to target: ForwardReferences.Target) {
    precondition(references[target] == nil, "an object that is still to come has one reference")
    references[target] = reference
  }

  /// Has links to the object, which is being created with that key, lead to it while `body` runs: it is not there yet
  /// where its own links to itself are looked up.
  func referring(
    to target: ForwardReferences.Target, key: Int64, _ body: () throws(StorageError) -> Void
  ) throws(StorageError) {
    precondition(references[target] == nil, "an object that is being created is referred to by its key only")
    references[target] = ForwardReference(key: key, operation: context.operation)
    defer { references[target] = nil }
    try body()
  }

  /// Has the links that hold a reference's key lead to the object, which is there now.
  func resolve(_ reference: ForwardReference, to row: RowAddress) throws(StorageError) {
    guard reference.isPlaceholder else { return }
    precondition(row.key >= 0, "an object has a key that stays")
    for place in reference.places {
      if catalog.tables[place.table].properties[place.property].element == .mixed {
        try mixed.resolve(reference.key, to: row, in: place)
        continue
      }
      let statement = try statements[place.table][.relink(place.property)]
      statement.bind(row.key, at: 1)
      statement.bind(reference.key, at: 2)
      try statements.run(statement)
    }
  }

  /// Returns the first operation that linked to an object that was never created, as an error.
  var missingTarget: OperationError? {
    references.first.map { target, operation in
      let objectType = catalog.tables[target.table].objectType.name
      return OperationError(
        operation: operation,
        reason: .linkTargetNotFound(objectType: objectType, primaryKey: target.identifier))
    }
  }
}
