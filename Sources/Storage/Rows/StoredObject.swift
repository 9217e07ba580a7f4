import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseSQLite

/// An object of the store as the evaluator sees it: every question is a look into the file.
struct StoredObject: ObjectView {
  let table: TableLayout
  let key: ObjectKey
  let lookup: PropertyLookup

  var isDocument: Bool { table.objectType.isSchemaless }

  func value(_ property: Int) -> Mixed {
    let layout = table.properties[property]
    return lookup.value(layout.column, of: table.table, key: key) {
      rows(RowStatements.value(layout, in: table), layout).first ?? .null
    }
  }

  func elements(_ property: Int) -> [Mixed] {
    let layout = table.properties[property]
    switch layout.property.type {
    case .list: return rows(ElementStatements.valuesByPosition(layout), layout)
    case .map: return rows(ElementStatements.valuesByKey(layout), layout)
    // Not by SQLite, whose order of types is another one.
    case .set:
      return rows(ElementStatements.values(layout), layout).sorted { MixedOrder.sortOrder($0, $1) < 0 }
    case .one, .linkingObjects: return []
    }
  }

  func keys(_ property: Int) -> [String] {
    let layout = table.properties[property]
    return lookup.rows(ElementStatements.keys(layout), of: key) {
      $0.string(at: 0)
    }
  }

  func object(_ link: ObjectLink) -> StoredObject? {
    lookup.object(link)
  }

  func linkingObjects(_ objectType: String, _ property: Int) -> [StoredObject] {
    guard let source = lookup.table(objectType) else { return [] }
    let layout = source.properties[property]
    if layout.element == .mixed { return mixedLinks(from: source, property) }
    let sql =
      layout.isColumn
      ? RowStatements.orderedOwners(layout, in: source) : ElementStatements.orderedOwners(layout)
    return lookup.rows(sql, of: key) { $0.int64(at: 0) }.map {
      StoredObject(table: source, key: ObjectKey($0), lookup: lookup)
    }
  }

  func linkingObjects(
    _ objectType: String, _ property: Int, without fields: Set<ExactText>
  ) -> [StoredObject] {
    guard !fields.isEmpty, let source = lookup.table(objectType), source.objectType.fieldsIndex == property
    else { return linkingObjects(objectType, property) }
    return mixedLinks(from: source, property, without: fields)
  }

  /// The objects of which a mixed property links here, once per link; of a map without those keys.
  private func mixedLinks(
    from source: TableLayout, _ property: Int, without keys: Set<ExactText> = []
  ) -> [StoredObject] {
    let link = ObjectLink(objectType: table.objectType.name, key: key)
    // A note says that there may be a link: it stays when an entry is taken out of a map.
    return lookup.mixedOwners(of: link, source, property).flatMap { owner in
      let object = StoredObject(table: source, key: owner, lookup: lookup)
      var values =
        source.properties[property].isColumn ? [object.value(property)] : object.elements(property)
      if !keys.isEmpty {
        values = zip(object.keys(property), values).filter { !keys.contains(ExactText($0.0)) }.map(\.1)
      }
      return Array(repeating: object, count: values.reduce(0) { $0 + $1.count(of: link) })
    }
  }

  func value(named name: String) -> Mixed? {
    guard let property = table.objectType.index(of: name) else {
      if let fields = table.objectType.fieldsIndex {
        return zip(keys(fields), elements(fields)).first { $0.0.hasSameBytes(as: name) }?.1
      }
      return name == ObjectType.keyName && table.objectType.hasObjectKey ? .int(key.value) : nil
    }
    switch table.properties[property].property.type {
    case .one: return value(property)
    case .list, .set: return .list(elements(property))
    case .map:
      return .dictionary(zip(keys(property), elements(property)).map { Mixed.Entry(key: $0, value: $1) })
    case .linkingObjects(let objectType, let name):
      guard let source = lookup.table(objectType)?.objectType.index(of: name) else { return .list([]) }
      return .list(
        linkingObjects(objectType, source).map { .link(ObjectLink(objectType: objectType, key: $0.key)) })
    }
  }

  func link(_ objectType: String, primaryKey: Mixed) -> ObjectLink? {
    lookup.link(objectType, primaryKey)
  }

  func place(of name: String) -> (objectType: String, property: Int)? {
    (table.objectType.index(of: name) ?? table.objectType.fieldsIndex).map { (table.objectType.name, $0) }
  }

  func dropsHiddenLinks(_ property: Int) -> Bool {
    table.properties[property].property.type.dropsHiddenLinks
  }

  func mayContinue(after values: Int) -> Bool {
    lookup.mayContinue(after: values)
  }

  private func rows(_ sql: String, _ layout: PropertyLayout) -> [Mixed] {
    lookup.rows(sql, of: key) { statement throws(StorageError) in
      try statement.value(as: layout.element ?? .mixed, at: 0)
    }
  }
}

/// Answers single questions about stored objects, and remembers the first that failed; from then on it knows nothing.
///
/// Each question is a statement too short for SQLite to look at the connection's limits, and one object may need any
/// number of them: so the limits are looked at here.
final class PropertyLookup {
  let session: ReadSession
  private(set) var failure: StorageError?
  /// The value that was read last: the terms of one predicate mostly ask for the same one.
  private var last: (column: String, table: String, key: ObjectKey, value: Mixed)?
  /// The work since the limits were looked at, about.
  private var work = 0
  private static let workPerLook = 4096
  /// A question costs about as much as so many comparisons.
  private static let workPerQuestion = 64

  init(_ session: ReadSession) {
    self.session = session
  }

  func mayContinue(after work: Int) -> Bool {
    precondition(
      work >= 0 && self.work < Self.workPerLook, "the limits are looked at each time so much has been done")
    self.work += work
    if self.work >= Self.workPerLook {
      self.work = 0
      if session.connection.mustStop { failure = failure ?? .timeLimit }
    }
    return failure == nil
  }

  /// The value of a column of an object, which `read` reads where it is not the one that was read last.
  func value(_ column: String, of table: String, key: ObjectKey, read: () -> Mixed) -> Mixed {
    if let last, last.key == key, last.column == column, last.table == table {
      _ = mayContinue(after: 1)
      return last.value
    }
    let value = read()
    last = (column, table, key, value)
    return value
  }

  /// Forgets what was read.
  func forget() {
    last = nil
  }

  func table(_ objectType: String) -> TableLayout? {
    try? session.catalog.table(objectType)
  }

  /// The object, if it exists.
  func object(_ link: ObjectLink) -> StoredObject? {
    guard let table = table(link.objectType) else { return nil }
    let found = rows(RowStatements.exists(in: table), of: link.key) { _ in true }
    return found.isEmpty ? nil : StoredObject(table: table, key: link.key, lookup: self)
  }

  /// The object that clients identify so, if it exists.
  func link(_ objectType: String, _ identifier: Mixed) -> ObjectLink? {
    guard let table = table(objectType) else { return nil }
    let found = rows(
      RowStatements.key(in: table), bind: { $0.bind(identifier, as: table.identifierType, at: 1) },
      read: { $0.int64(at: 0) })
    return found.first.map { ObjectLink(objectType: objectType, key: ObjectKey($0)) }
  }

  /// The keys of the objects of which a property is noted to link there from inside a mixed value.
  func mixedOwners(of link: ObjectLink, _ source: TableLayout, _ property: Int) -> [ObjectKey] {
    rows(
      MixedLinkStatements.orderedOwnerKeys,
      bind: {
        $0.bind(link.objectType, at: 1)
        $0.bind(link.key.value, at: 2)
        $0.bind(source.objectType.name, at: 3)
        $0.bind(source.properties[property].property.storedName, at: 4)
      }, read: { ObjectKey($0.int64(at: 0)) })
  }

  /// Returns what `read` makes of each row of a statement about one object.
  func rows<Row>(
    _ sql: String, of key: ObjectKey, read: (Statement) throws(StorageError) -> Row
  ) -> [Row] {
    rows(sql, bind: { $0.bind(key.value, at: 1) }, read: read)
  }

  private func rows<Row>(
    _ sql: String, bind: (Statement) -> Void, read: (Statement) throws(StorageError) -> Row
  ) -> [Row] {
    guard mayContinue(after: Self.workPerQuestion) else { return [] }
    var rows: [Row] = []
    do throws(StorageError) {
      let statement = try session.cached(sql)
      bind(statement)
      defer { statement.reset() }
      while try session.step(statement) { rows.append(try read(statement)) }
    } catch {
      failure = failure ?? error
    }
    return rows
  }
}
