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
      let observer = Observer()
      session.observer = observer
      defer { session.observer = nil }
      let answer = try body(self)
      session.observer = nil
      let version = try LogReader(session: session).bounds().last
      let sights = try sights(of: observer.visits)
      return (answer, Observation(version: version, schema: session.catalog.schema, sights: sights))
    }
  }

  /// What `body` makes of the state of the file that is open, and which objects that shows.
  func observed<Answer>(
    _ body: () throws(StorageError) -> Answer
  ) throws(StorageError) -> (answer: Answer, sights: [Observation.Sight]) {
    let observer = Observer()
    session.observer = observer
    defer { session.observer = nil }
    let answer = try body()
    session.observer = nil
    return (answer, try sights(of: observer.visits))
  }

  private func sights(
    of visits: [(subject: Observer.Subject, path: Observer.Path?)]
  ) throws(StorageError) -> [Observation.Sight] {
    var known: [Observer.Subject: Observation.Object] = [:]
    var links: [Observer.Path: Observation.Link] = [:]
    var sights: [Observation.Sight] = []
    sights.reserveCapacity(visits.count)
    for visit in visits {
      guard let object = try object(visit.subject, &known) else { continue }
      guard let path = visit.path else {
        sights.append(Observation.Sight(object: object))
        continue
      }
      if links[path] == nil { links[path] = try link(path, &known) }
      sights.append(Observation.Sight(object: object, link: links[path]))
    }
    return sights
  }

  private func object(
    _ subject: Observer.Subject, _ known: inout [Observer.Subject: Observation.Object]
  ) throws(StorageError) -> Observation.Object? {
    if let object = known[subject] { return object }
    guard let image = try images().image(of: subject.table, key: subject.key) else { return nil }
    let name = session.catalog.tables[subject.table].objectType.name
    let object = Observation.Object(objectType: name, key: ObjectKey(subject.key), image: image)
    known[subject] = object
    return object
  }

  private func link(
    _ path: Observer.Path, _ known: inout [Observer.Subject: Observation.Object]
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
    _ value: Mixed, _ known: inout [Observer.Subject: Observation.Object]
  ) throws(StorageError) -> Observation.Object? {
    guard case .link(let link) = value else { return nil }
    let table = try session.catalog.index(of: link.objectType)
    return try object(Observer.Subject(table: table, key: link.key.value), &known)
  }
}
