import Model
import SQLite

extension Reader {
  /// What `body` reads through this reader, from one state of the file, and which objects its answer shows.
  ///
  /// Numbers, aggregates and entity tags show none; nor do links that are written as primary keys.
  public func observing<Answer>(
    _ body: (Reader) throws -> Answer
  ) throws -> (answer: Answer, observation: Observation) {
    try held { () throws in
      let observer = ReadTracker()
      session.observer = observer
      defer { session.observer = nil }
      let answer = try body(self)
      session.observer = nil
      let version = try LogReader(session: session).bounds().last
      let reads = try reads(of: observer.visits)
      return (answer, Observation(version: version, schema: session.catalog.schema, reads: reads))
    }
  }

  /// What `body` makes of the state of the file that is open, and which objects that shows.
  func observed<Answer>(
    _ body: () throws(StorageError) -> Answer
  ) throws(StorageError) -> (answer: Answer, reads: [Observation.Read]) {
    let observer = ReadTracker()
    session.observer = observer
    defer { session.observer = nil }
    let answer = try body()
    session.observer = nil
    return (answer, try reads(of: observer.visits))
  }

  private func reads(
    of visits: [(subject: RowAddress, path: ReadTracker.Path?)]
  ) throws(StorageError) -> [Observation.Read] {
    var known: [RowAddress: Observation.Object] = [:]
    var links: [ReadTracker.Path: Observation.Link] = [:]
    var reads: [Observation.Read] = []
    reads.reserveCapacity(visits.count)
    for visit in visits {
      guard let object = try object(visit.subject, &known) else { continue }
      guard let path = visit.path else {
        reads.append(Observation.Read(object: object))
        continue
      }
      if links[path] == nil { links[path] = try link(path, &known) }
      reads.append(Observation.Read(object: object, link: links[path]))
    }
    return reads
  }

  private func object(
    _ subject: RowAddress, _ known: inout [RowAddress: Observation.Object]
  ) throws(StorageError) -> Observation.Object? {
    if let object = known[subject] { return object }
    guard let image = try images().image(of: subject.table, key: subject.key) else { return nil }
    let name = session.catalog.tables[subject.table].objectType.name
    let object = Observation.Object(objectType: name, key: ObjectKey(subject.key), image: image)
    known[subject] = object
    return object
  }

  private func link(
    _ path: ReadTracker.Path, _ known: inout [RowAddress: Observation.Object]
  ) throws(StorageError) -> Observation.Link {
    let table = session.catalog.tables[path.owner.table]
    let property = table.objectType.properties[path.property]
    let owner = StoredObject(
      table: table, key: ObjectKey(path.owner.key), lookup: PropertyLookup(session))
    let values: [Mixed]
    let form: Observation.Link.Form
    switch property.type {
    case .one: (values, form) = ([owner.value(path.property)], .single)
    case .map:
      values = owner.elements(path.property)
      form = .entries(owner.keys(path.property))
    case .list, .set, .linkingObjects: (values, form) = (owner.elements(path.property), .elements)
    }
    if let failure = owner.lookup.failure { throw failure }
    var targets: [Observation.Object?] = []
    for value in values { targets.append(try target(value, &known)) }
    guard case .object(let targetType)? = table.properties[path.property].element else {
      throw .corrupt("link")
    }
    return Observation.Link(
      objectType: table.objectType.name, key: ObjectKey(path.owner.key), property: property.storedName,
      form: form, targetType: targetType, targets: targets)
  }

  private func target(
    _ value: Mixed, _ known: inout [RowAddress: Observation.Object]
  ) throws(StorageError) -> Observation.Object? {
    guard case .link(let link) = value else { return nil }
    let table = try session.catalog.index(of: link.objectType)
    return try object(RowAddress(table: table, key: link.key.value), &known)
  }
}
