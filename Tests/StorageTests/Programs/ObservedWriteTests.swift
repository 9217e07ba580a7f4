import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Testing

/// Transactions and states whose objects somebody wants to know of.
struct ObservedWriteTests {
  private static let schema = """
    [{"name": "Dog", "primaryKey": "name", "properties": {"name": "string", "friend": "Dog?", "friends": "Dog[]",
      "collar": "Collar"}},
     {"name": "Collar", "embedded": true, "properties": {"size": "int"}}]
    """

  private func draft(_ name: String) -> ObjectDraft {
    ObjectDraft(assignments: [.init(property: 0, value: .value(.string(name)))])
  }

  /// An image as text: stored properties by name.
  private func text(_ image: Mixed?) -> String {
    guard case .dictionary(let entries)? = image else { return "-" }
    return entries.map { "\($0.key)=\(text(of: $0.value))" }.joined(separator: " ")
  }

  private func text(of value: Mixed) -> String {
    switch value {
    case .string(let text): text
    case .int(let number): "\(number)"
    case .list(let elements): "[\(elements.map { text(of: $0) }.joined(separator: ","))]"
    case .dictionary: "{\(text(value))}"
    default: "\(value)"
    }
  }

  @Test func `a transaction tells its net changes before it is committed`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    try await temporary.create("Dog", #"{"name": "Max", "collar": {"size": 1}}"#)
    let write = try temporary.store.beginWrite(isObserved: true)
    #expect(try write.changes().isEmpty)
    let rex = try write.create("Dog", draft("Rex"))
    try write.delete(try write.create("Dog", draft("Gone")))
    let max = try #require(
      try write.read { reader throws(StorageError) in try reader.find(.string("Max"), in: 0) })
    let collar = try write.read { reader throws(StorageError) in try reader.values(of: max)?[3] }
    guard case .link(let link)? = collar else {
      Issue.record("no collar")
      return
    }
    let place = RowAddress(table: 1, key: link.key.value)
    try write.change(0, of: place, by: .assign(.value(.int(2))))
    let changes = try write.changes()
    #expect(
      changes.map(\.objectType) == ["Collar", "Dog"] || changes.map(\.objectType) == ["Dog", "Collar"])
    let new = try #require(changes.first { $0.objectType == "Dog" })
    #expect(new.key.value == rex.key && new.before == nil)
    #expect(text(new.after).hasPrefix("name=Rex "))
    let embedded = try #require(changes.first { $0.objectType == "Collar" })
    #expect(
      text(embedded.before) == "size=1" && text(embedded.after) == "size=2" && embedded.ownerType == "Dog")
    _ = try write.commit()
    #expect(try temporary.violations() == [])
  }

  @Test func `a state tells objects with the links that led to them`() async throws {
    let temporary = try await TemporaryStore(Self.schema)
    try await temporary.create("Dog", #"{"name": "Max"}"#)
    try await temporary.create("Dog", #"{"name": "Rex", "friend": "Max", "friends": ["Rex", "Max"]}"#)
    let pin = try temporary.store.pin()
    let (max, rex) = (RowAddress(table: 0, key: 1), RowAddress(table: 0, key: 2))
    let found = try pin.read { reader throws(StorageError) in
      (try reader.find(.string("Max"), in: 0), try reader.find(.string("Rex"), in: 0))
    }
    let (first, second) = (found.0 ?? max, found.1 ?? rex)
    let reads = try pin.read { reader throws(StorageError) in
      try reader.reads(of: [
        (second, nil), (first, PropertyPlace(row: second, property: 1)),
        (first, PropertyPlace(row: second, property: 2)), (RowAddress(table: 0, key: 99), nil),
      ])
    }
    #expect(reads.map { text(of: $0.object.image) }.map { $0.contains("name=Max") } == [false, true, true])
    #expect(reads.map { $0.link?.property } == [nil, "friend", "friends"])
    #expect(reads.map { $0.link?.targets.count } == [nil, 1, 2])
    #expect(reads[2].link?.form == .elements && reads[1].link?.form == .single)
    #expect(reads[2].link?.targets.map { $0?.key.value } == [second.key, first.key])
  }
}
