import GatehouseBSON
import GatehouseModel
import GatehouseQuery
import GatehouseStorage
import Testing

private let people = """
  [{"name":"Person","primaryKey":"name","properties":{
    "name":"string","age":"int?","height":"double","tags":"string<>","scores":"int?[]","attributes":"mixed{}",
    "friend":"Person","friends":"Person[]","closest":"Person{}","circle":"Person<>","note":"mixed",
    "address":"Address","homes":"Address[]","places":"Address{}",
    "admirers":{"type":"linkingObjects","objectType":"Person","property":"friend"}}},
   {"name":"Address","embedded":true,"properties":{"street":"string","inner":"Address"}},
   {"name":"Log","properties":{"text":"string"}}]
  """

private func person(_ name: String, _ more: String = "") -> String {
  #"{"name":"\#(name)","height":1.5\#(more)}"#
}

private func shown(
  _ name: String, age: String = "null", tags: String = "[]", scores: String = "[]", attributes: String = "{}",
  friend: String = "null", friends: String = "[]", closest: String = "{}", circle: String = "[]",
  note: String = "null", address: String = "null", homes: String = "[]", places: String = "{}",
  height: String = "1.5"
) -> String {
  """
  {"name":"\(name)","age":\(age),"height":\(height),"tags":\(tags),"scores":\(scores),\
  "attributes":\(attributes),"friend":\(friend),"friends":\(friends),"closest":\(closest),"circle":\(circle),\
  "note":\(note),"address":\(address),"homes":\(homes),"places":\(places)}
  """
}

@Test func `an object comes back as it was given`() async throws {
  let store = try await TemporaryStore(people)
  let commit = try await store.create(
    "Person",
    person(
      "Ann",
      #"""
      ,"age":7,"tags":["b","a","b"],"scores":[3,null,1],"attributes":{"k":1,"j":{"$date":"2020-01-01T00:00:00.5Z"}},
      "note":[1,2.0,{"x":null}],"address":{"street":"A","inner":{"street":"B","inner":{"street":"C"}}},
      "homes":[{"street":"H1"},{"street":"H2"}],"places":{"z":{"street":"Z"},"a":null}
      """#))
  let expected = shown(
    "Ann", age: "7", tags: #"["a","b"]"#, scores: "[3,null,1]",
    attributes: #"{"j":{"$date":"2020-01-01T00:00:00.5Z"},"k":1}"#, note: #"[1,2.0,{"x":null}]"#,
    address:
      #"{"street":"A","inner":{"street":"B","inner":{"street":"C","inner":null}}}"#,
    homes: #"[{"street":"H1","inner":null},{"street":"H2","inner":null}]"#,
    places: #"{"a":null,"z":{"street":"Z","inner":null}}"#)
  #expect(try store.object("Person", .string("Ann")) == expected)
  #expect(commit.results.map(\.effect) == [.created])
  #expect(commit.results[0].id == .string("Ann"))
  #expect(commit.results[0].object.map { String(decoding: $0, as: UTF8.self) } == expected)
  #expect(try store.version("Person", .string("Ann")) == commit.version)
  #expect(try store.counts() == ["Person": 1, "Log": 0])
}

@Test func `links may lead to objects that come later in the transaction`() async throws {
  let store = try await TemporaryStore(people)
  try await store.perform(
    store.creation("Person", person("A", #","friend":"B","friends":["B","B","A"],"closest":{"x":"C"}"#)),
    store.creation("Person", person("B", #","circle":["A"],"note":{"$ref":"Person","$id":"C"}"#)),
    store.creation("Person", person("C")))
  #expect(
    try store.object("Person", .string("A"))
      == shown("A", friend: #""B""#, friends: #"["B","B","A"]"#, closest: #"{"x":"C"}"#))
  #expect(
    try store.object("Person", .string("B"))
      == shown("B", circle: #"["A"]"#, note: #"{"$ref":"Person","$id":"C"}"#))
}

@Test func `a link to an object that never comes undoes the whole transaction`() async throws {
  let store = try await TemporaryStore(people)
  await #expect(
    throws: OperationError(
      operation: 1, reason: .linkTargetNotFound(objectType: "Person", primaryKey: .string("Nobody")))
  ) {
    try await store.perform(
      store.creation("Person", person("A")),
      store.creation("Person", person("B", #","friends":["A","Nobody"]"#)))
  }
  #expect(try store.counts()["Person"] == 0)
  let version = store.store.version
  #expect(try await store.create("Person", person("A")).version == version + 1)
}

@Test func `deleting an object takes it out of everything that links to it`() async throws {
  let store = try await TemporaryStore(people)
  try await store.perform(
    store.creation("Person", person("T")), store.creation("Person", person("U")),
    store.creation(
      "Person",
      person(
        "A",
        #"""
        ,"friend":"T","friends":["T","U","T","U"],"closest":{"t":"T","u":"U"},"circle":["T","U"],
        "note":[{"$ref":"Person","$id":"T"},1]
        """#)))
  let commit = try await store.perform(.delete(objectType: "Person", id: .string("T"), precondition: .none))
  #expect(commit.results.map(\.effect) == [.deleted])
  #expect(
    try store.object("Person", .string("A"))
      == shown(
        "A", friends: #"["U","U"]"#, closest: #"{"t":null,"u":"U"}"#, circle: #"["U"]"#, note: "[null,1]"))
  #expect(try store.version("Person", .string("A")) == commit.version)
  #expect(try store.version("Person", .string("U")) == commit.version - 1)
  #expect(try store.object("Person", .string("T")) == nil)
}

@Test func `embedded objects live and die with their parent`() async throws {
  let store = try await TemporaryStore(people)
  try await store.create(
    "Person",
    person(
      "A",
      #","address":{"street":"1","inner":{"street":"2"}},"homes":[{"street":"3"}],"places":{"k":{"street":"4"}}"#
    ))
  #expect(try rows("Address", store) == 4)
  try await store.perform(
    store.patch("Person", .string("A"), #"{"address":{"street":"5"},"places":{"k":null}}"#))
  #expect(try rows("Address", store) == 3)
  #expect(
    try store.object("Person", .string("A"))
      == shown(
        "A", address: #"{"street":"5","inner":{"street":"2","inner":null}}"#,
        homes: #"[{"street":"3","inner":null}]"#))
  try await store.perform(.delete(objectType: "Person", id: .string("A"), precondition: .none))
  #expect(try rows("Address", store) == 0)
}

@Test func `putting an object replaces all of it or creates it`() async throws {
  let store = try await TemporaryStore(people)
  let created = try await store.perform(
    store.replacement("Person", .string("A"), #"{"name":"A","height":2,"age":1,"tags":["x"]}"#))
  #expect(created.results[0].effect == .created)
  let replaced = try await store.perform(
    store.replacement("Person", .string("A"), person("A", #","friend":"A""#)))
  #expect(replaced.results[0].effect == .updated)
  #expect(try store.object("Person", .string("A")) == shown("A", friend: #""A""#))
}

@Test func `a patch changes what it names and merges maps`() async throws {
  let store = try await TemporaryStore(people)
  try await store.create("Person", person("A", #","age":1,"attributes":{"a":1,"b":2},"tags":["x"]"#))
  let commit = try await store.perform(
    store.patch("Person", .string("A"), #"{"age":null,"attributes":{"b":null,"c":[3]},"tags":["y","z"]}"#))
  #expect(
    try store.object("Person", .string("A"))
      == shown("A", tags: #"["y","z"]"#, attributes: #"{"a":1,"c":[3]}"#))
  #expect(commit.results[0].objectVersion == commit.version)
}

@Test(arguments: [
  (Operation.UpdatePolicy.error, nil),
  (.modified, Commit.Result.Effect.unchanged),
  (.all, .updated),
])
func `a creation of an object that exists follows its policy`(
  policy: Operation.UpdatePolicy, effect: Commit.Result.Effect?
) async throws {
  let store = try await TemporaryStore(people)
  let first = try await store.create("Person", person("A", #","age":1"#))
  guard let effect else {
    await #expect(
      throws: OperationError(operation: 0, reason: .objectExists(objectType: "Person", id: .string("A")))
    ) { try await store.perform(store.creation("Person", person("A"), policy)) }
    return
  }
  let again = try await store.perform(store.creation("Person", #"{"name":"A","age":1}"#, policy))
  #expect(again.results[0].effect == effect)
  #expect(again.version == first.version + (effect == .updated ? 1 : 0))
  let differing = try await store.perform(store.creation("Person", #"{"name":"A","age":2}"#, policy))
  #expect(differing.results[0].effect == .updated)
  #expect(try store.object("Person", .string("A")) == shown("A", age: "2"))
}

@Test func `an upsert of a new object must be complete`() async throws {
  let store = try await TemporaryStore(people)
  let problem = ValidationProblem(pointer: "/height", .missing)
  await #expect(throws: OperationError(operation: 0, reason: .invalid(ValidationError([problem])))) {
    try await store.perform(store.creation("Person", #"{"name":"A"}"#, .all))
  }
  #expect(try store.counts()["Person"] == 0)
}

@Test func `a class without primary key numbers its objects from 0 and never again`() async throws {
  let store = try await TemporaryStore(people)
  #expect(try await store.create("Log", #"{"text":"a"}"#).results[0].id == .int(0))
  #expect(try await store.create("Log", #"{"text":"b","_key":7}"#).results[0].id == .int(7))
  #expect(try await store.create("Log", #"{"text":"c"}"#).results[0].id == .int(8))
  try await store.perform(.delete(objectType: "Log", id: .int(8), precondition: .none))
  #expect(try await store.create("Log", #"{"text":"d"}"#).results[0].id == .int(9))
  #expect(try store.object("Log", .int(7)) == #"{"_key":7,"text":"b"}"#)
}

@Test func `preconditions hold or nothing happens`() async throws {
  let store = try await TemporaryStore(people)
  let version = try await store.create("Person", person("A")).version
  let stale = OperationError(operation: 0, reason: .versionMismatch(current: version))
  await #expect(throws: stale) {
    try await store.perform(store.patch("Person", .string("A"), #"{"age":1}"#, .version([version - 1])))
  }
  await #expect(throws: stale) {
    try await store.perform(store.replacement("Person", .string("A"), person("A"), .absent))
  }
  await #expect(throws: OperationError(operation: 0, reason: .versionMismatch(current: nil))) {
    try await store.perform(.delete(objectType: "Person", id: .string("B"), precondition: .exists))
  }
  #expect(try store.version("Person", .string("A")) == version)
  try await store.perform(store.patch("Person", .string("A"), #"{"age":1}"#, .version([1, version])))
}

private func rows(_ table: String, _ store: TemporaryStore) throws -> Int64 {
  try Raw(store.database).integer("SELECT count(*) FROM \"\(table)\"")
}

/// After so many pages that show them, objects are looked for in the cache before their rows are read.
@Test(arguments: [1, 400])
func `an object that is read again shows every change since`(readings: Int) async throws {
  let store = try await TemporaryStore(people)
  try await store.perform(
    store.creation("Person", person("T")),
    store.creation("Person", person("A", #","friend":"T","address":{"street":"1"}"#)))
  let all = { try store.page("Person", QueryRequest(), framing: .array).objects }
  let target = shown("T")
  func expect(_ object: String?) throws {
    #expect(try store.object("Person", .string("A")) == object)
    for _ in 0..<readings {
      #expect(try all() == ["[" + [target, object].compactMap(\.self).joined(separator: ",") + "]"])
    }
  }
  func address(_ street: String) -> String { #"{"street":"\#(street)","inner":null}"# }
  try expect(shown("A", friend: "\"T\"", address: address("1")))
  try expect(shown("A", friend: "\"T\"", address: address("1")))
  try await store.perform(store.patch("Person", .string("A"), #"{"address":{"street":"2"}}"#))
  try expect(shown("A", friend: "\"T\"", address: address("2")))
  try await store.create("Log", #"{"text":"x"}"#)
  try expect(shown("A", friend: "\"T\"", address: address("2")))
  try await store.perform(.delete(objectType: "Person", id: .string("A"), precondition: .none))
  try expect(nil)
  try await store.create("Person", person("A"))
  try expect(shown("A"))
}
