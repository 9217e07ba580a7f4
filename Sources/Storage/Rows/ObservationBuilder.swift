import GatehouseModel

/// Makes an observation's reads of the rows that an answer has visited: reads each object once, and each followed link.
struct ObservationBuilder {
  private let session: ReadSession
  private let images: ImageReader
  private var known: [RowAddress: Observation.Object] = [:]
  private var links: [ReadTracker.Path: Observation.Link] = [:]

  init(_ session: ReadSession, _ images: ImageReader) {
    self.session = session
    self.images = images
  }

  /// Returns the reads of the rows that were visited, in their order; rows that are gone are left out.
  mutating func reads(
    of visits: [(subject: RowAddress, path: ReadTracker.Path?)]
  ) throws(StorageError) -> [Observation.Read] {
    var reads: [Observation.Read] = []
    reads.reserveCapacity(visits.count)
    for visit in visits {
      guard let object = try object(visit.subject) else { continue }
      guard let path = visit.path else {
        reads.append(Observation.Read(object: object))
        continue
      }
      if links[path] == nil { links[path] = try link(path) }
      reads.append(Observation.Read(object: object, link: links[path]))
    }
    return reads
  }

  private mutating func object(_ subject: RowAddress) throws(StorageError) -> Observation.Object? {
    if let object = known[subject] { return object }
    guard let image = try images.value(of: subject) else { return nil }
    let name = session.catalog.tables[subject.table].objectType.name
    let object = Observation.Object(objectType: name, key: ObjectKey(subject.key), image: image)
    known[subject] = object
    return object
  }

  private mutating func link(_ path: ReadTracker.Path) throws(StorageError) -> Observation.Link {
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
    if case .entries(let keys) = form {
      precondition(keys.count == values.count, "each value of a map has its key")
    }
    var targets: [Observation.Object?] = []
    for value in values { targets.append(try target(value)) }
    guard case .object(let targetType)? = table.properties[path.property].element else {
      throw .corrupt("link")
    }
    return Observation.Link(
      objectType: table.objectType.name, key: ObjectKey(path.owner.key), property: property.storedName,
      form: form, targetType: targetType, targets: targets)
  }

  private mutating func target(_ value: Mixed) throws(StorageError) -> Observation.Object? {
    guard case .link(let link) = value else { return nil }
    let table = try session.catalog.index(of: link.objectType)
    return try object(RowAddress(table: table, key: link.key.value))
  }
}
