import GatehouseBSON
import GatehouseModel
import GatehouseStorage

/// The occurrences of a scope so far, in order.
///
/// An object that was read is kept as text, since the store does not keep old versions. The texts are in the journal,
/// so that a trail takes some dozen bytes of memory for each read.
struct Trail {
  private(set) var occurrences: [AuditOccurrence] = []
  /// The number of objects that ``occurrences`` refer to, and of nulls among them.
  private var referenceCount = 0
  /// The names of classes and properties, each once.
  private(set) var names: [String] = []
  private var places: [String: Int32] = [:]
  /// The latest access to each property's links: another one in the same state shows the same.
  private var accesses: [LinkAccess.Place: LinkAccess] = [:]
  private var journal: Journal
  private var writers: [String: ObjectWriter] = [:]
  private var schema: Schema?
  /// The representations (class and image → function's result) for the observation being added; empty between calls.
  private var representations = Representations()

  init(_ makeSpool: @escaping @Sendable () throws -> Spool) {
    journal = Journal(makeSpool)
  }

  var isEmpty: Bool { occurrences.isEmpty }

  /// The bytes of memory that it takes, about; names are left out.
  var memorySize: Int {
    journal.bufferedSize + occurrences.count * MemoryLayout<AuditOccurrence>.stride
      + referenceCount * MemoryLayout<ObjectReference?>.stride
      + accesses.count * (MemoryLayout<LinkAccess.Place>.stride + MemoryLayout<LinkAccess>.stride)
  }

  /// The bytes that it has in a temporary file.
  var fileSize: Int { journal.fileSize }

  /// The bytes that it has in all.
  var size: Int { memorySize + fileSize }

  // Recording

  /// Adds the objects and links of an answer, of the classes that `records` names; a followed link belongs to the
  /// object that has it. `version` is that of the data: commits that only wrote the trail left aside.
  mutating func add(
    _ observation: Observation, version: Int64, as kind: ReadKind, at time: Date,
    _ representations: Representations = Representations(), where records: (String) -> Bool
  ) throws {
    use(observation.schema)
    self.representations = representations
    defer { self.representations = Representations() }
    let reads = observation.reads
    var found: [ObjectReference] = []
    var foundType: Int32?
    for read in reads where read.link == nil && kind == .query && records(read.object.objectType) {
      let type = place(of: read.object.objectType)
      if let last = foundType, last != type {
        occurrences.append(.query(objectType: last, version: version, objects: found, time: time))
        found = []
      }
      foundType = type
      found.append(try reference(to: read.object))
    }
    if let foundType {
      occurrences.append(.query(objectType: foundType, version: version, objects: found, time: time))
    }
    // The results of a query were evaluated before anybody followed their links.
    for read in reads where read.link != nil || kind == .objects {
      if let link = read.link, records(link.objectType) { try follow(link, version: version) }
      guard records(read.object.objectType) else { continue }
      let object = try reference(to: read.object)
      let type = place(of: read.object.objectType)
      occurrences.append(.object(objectType: type, version: version, object: object, time: time))
    }
  }

  /// Adds the net effect of a transaction.
  mutating func add(write text: [UInt8], at time: Date) throws {
    let range = try journal.append(text)
    occurrences.append(.write(start: range.lowerBound, count: range.count, time: time))
  }

  private mutating func use(_ schema: Schema) {
    guard self.schema != schema else { return }
    self.schema = schema
    writers = [:]
  }

  private mutating func place(of name: String) -> Int32 {
    if let place = places[name] { return place }
    let place = Int32(names.count)
    names.append(name)
    places[name] = place
    precondition(names.count == places.count, "each name has one place")
    return place
  }

  /// Writes the object into the journal.
  private mutating func reference(to object: Observation.Object) throws -> ObjectReference {
    let text = try text(of: object)
    let range = try journal.append(encode(text))
    referenceCount += 1
    return ObjectReference(key: object.key.value, start: range.lowerBound, count: Int32(range.count))
  }

  /// Adds a followed link, or a later access by it to the one that is known.
  private mutating func follow(_ link: Observation.Link, version: Int64) throws {
    let place = LinkAccess.Place(
      objectType: place(of: link.objectType), key: link.key.value, property: place(of: link.property),
      version: version)
    if let known = accesses[place] { return occurrences.append(.link(known)) }
    if case .entries(let keys) = link.form {
      precondition(keys.count == link.targets.count, "each value of a map has its key")
    }
    var targets: [ObjectReference?] = []
    for target in link.targets { targets.append(try target.map { try reference(to: $0) }) }
    let access = LinkAccess(
      place: place, form: LinkAccess.Form(link.form), targetType: self.place(of: link.targetType),
      targets: targets)
    accesses[place] = access
    occurrences.append(.link(access))
  }

  private mutating func text(of object: Observation.Object) throws -> ObjectText {
    if !representations.isEmpty {
      let subject = Representations.Subject(objectType: object.objectType, image: object.image)
      if let bytes = representations.text(of: subject) { return ObjectText(bytes: bytes) }
    }
    if schema?[object.objectType]?.representingFunction != nil {
      throw AuditError.notRepresented(objectType: object.objectType)
    }
    return writer(object.objectType)?.text(of: object.image) ?? ObjectText(bytes: Array("null".utf8))
  }

  private mutating func writer(_ objectType: String) -> ObjectWriter? {
    if let writer = writers[objectType] { return writer }
    guard let schema, let type = schema[objectType] else { return nil }
    let writer = ObjectWriter(type, in: schema)
    writers[objectType] = writer
    return writer
  }

  // Reading back

  func bytes(_ start: Int, _ count: Int) throws -> [UInt8] {
    try journal.bytes(start..<start + count)
  }

  /// Returns the text of an object, and the ranges in it of its links, by the indexes of the links' names.
  func text(_ object: ObjectReference) throws -> (
    bytes: [UInt8], links: [(property: Int32, range: Range<Int>)]
  ) {
    let bytes = try journal.bytes(object.start..<object.start + Int(object.count))
    var links: [(property: Int32, range: Range<Int>)] = []
    var offset = 4
    for _ in 0..<bytes.number(at: 0) {
      links.append(
        (Int32(bytes.number(at: offset)), bytes.number(at: offset + 4)..<bytes.number(at: offset + 8)))
      offset += 12
    }
    precondition(offset <= bytes.count, "a text has behind its links what it was written with")
    return (Array(bytes[offset...]), links)
  }

  /// Encodes the number of links, for each link the index of its name, its start and its end, 32 bits each; then the
  /// text.
  private mutating func encode(_ text: ObjectText) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 + text.links.count * 12 + text.bytes.count)
    bytes.append(number: text.links.count)
    for link in text.links {
      bytes.append(number: Int(place(of: link.property)))
      bytes.append(number: link.range.lowerBound)
      bytes.append(number: link.range.upperBound)
    }
    bytes += text.bytes
    precondition(
      text.links.last.map { $0.range.upperBound <= text.bytes.count } ?? true,
      "a link is inside of its object's text")
    return bytes
  }
}

extension LinkAccess.Form {
  fileprivate init(_ form: Observation.Link.Form) {
    switch form {
    case .single: self = .single
    case .elements: self = .elements
    case .entries(let keys): self = .entries(keys)
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(number: Int) {
    for shift in stride(from: 0, to: 32, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  fileprivate func number(at offset: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(self[offset + $1]) << ($1 * 8) }
  }
}
