import GatehouseBSON
import GatehouseModel
import GatehouseStorage
import Testing

@testable import GatehouseAudit

// The rules of Realm's recorder (C:object-store/audit.mm, `process_scope`), one by one. The first number of a line is
// the second in which the event happened.

private let dog1 = AuditScenario.object("Dog", 1)
private let dog2 = AuditScenario.object("Dog", 2)
private let dog3 = AuditScenario.object("Dog", 3)
private let ann = AuditScenario.object("Person", 1, [("dog", .int(1))])

private func dog(_ key: Int) -> String { #"{"_id":\#(key),"name":"n\#(key)","owner":null}"# }

private func person(_ key: Int, dog: String = "null", friends: String = "[]", pets: String = "{}") -> String {
  """
  {"_id":\(key),"dog":\(dog),"friends":\(friends),"home":null,"keyless":null,"name":"n\(key)","pets":\(pets)}
  """
}

private func read(_ second: Int, _ type: String, _ objects: String...) -> String {
  #"\#(second) read {"type":"\#(type)","value":[\#(objects.joined(separator: ","))]}"#
}

@Test func `a query is one event with all that it found, by key and each once`() throws {
  var scenario = AuditScenario()
  try scenario.query(dog2, dog1, dog2)
  #expect(try scenario.told() == [read(1, "Dog", dog(1), dog(2))])
}

@Test func `a query that found nothing is no event`() throws {
  var scenario = AuditScenario()
  try scenario.query()
  #expect(try scenario.told() == [])
}

@Test func `query after query of a class in the same state is one event with the time of the first`() throws {
  var scenario = AuditScenario()
  try scenario.query(dog2)
  try scenario.query(dog1, dog2)
  #expect(try scenario.told() == [read(1, "Dog", dog(1), dog(2))])
}

@Test func `objects read after a query of their class become part of it`() throws {
  var scenario = AuditScenario()
  try scenario.query(dog2)
  try scenario.read(dog3)
  try scenario.read(dog1)
  try scenario.read(dog3)
  #expect(try scenario.told() == [read(1, "Dog", dog(1), dog(2), dog(3))])
}

@Test func `a query after the read of an object does not take it in`() throws {
  var scenario = AuditScenario()
  try scenario.read(dog1)
  try scenario.query(dog1, dog2)
  #expect(try scenario.told() == [read(1, "Dog", dog(1)), read(2, "Dog", dog(1), dog(2))])
}

@Test func `the same object read twice running is one event`() throws {
  var scenario = AuditScenario()
  try scenario.read(dog1)
  try scenario.read(dog1)
  try scenario.read(dog2)
  #expect(try scenario.told() == [read(1, "Dog", dog(1)), read(3, "Dog", dog(2))])
}

@Test func `two objects read by turns are as many events as reads`() throws {
  var scenario = AuditScenario()
  for object in [dog1, dog2, dog1, dog2] { try scenario.read(object) }
  #expect(
    try scenario.told() == [
      read(1, "Dog", dog(1)), read(2, "Dog", dog(2)), read(3, "Dog", dog(1)), read(4, "Dog", dog(2)),
    ])
}

@Test func `a read of another class ends a query`() throws {
  var scenario = AuditScenario()
  try scenario.query(dog1)
  try scenario.read(ann)
  try scenario.query(dog2)
  #expect(
    try scenario.told() == [
      read(1, "Dog", dog(1)), read(2, "Person", person(1, dog: "1")), read(3, "Dog", dog(2)),
    ])
}

@Test func `a write ends a query, one without changes as well`() throws {
  var scenario = AuditScenario()
  try scenario.query(dog1)
  try scenario.write()
  try scenario.query(dog1)
  scenario.pass()
  try scenario.query(dog1)
  #expect(
    try scenario.told() == [
      read(1, "Dog", dog(1)), "2 write {}", read(3, "Dog", dog(1)), read(4, "Dog", dog(1)),
    ])
}

@Test func `an object read once more after a write is another event`() throws {
  var scenario = AuditScenario()
  try scenario.read(dog1)
  scenario.pass()
  try scenario.read(dog1)
  #expect(try scenario.told() == [read(1, "Dog", dog(1)), read(2, "Dog", dog(1))])
}

@Test func `a link is the primary key of its target, and null where that has none`() throws {
  var scenario = AuditScenario()
  try scenario.read(AuditScenario.object("Person", 1, [("dog", .int(7)), ("keyless", .int(3))]))
  #expect(
    try scenario.told() == [
      #"1 read {"type":"Person","value":[\#(person(1, dog: "7"))]}"#
    ])
}

@Test func `a link that is followed later shows its target, which is an event of its own`() throws {
  var scenario = AuditScenario()
  try scenario.read(ann)
  try scenario.follow("dog", of: ann, to: dog1)
  #expect(try scenario.told() == [read(1, "Person", person(1, dog: dog(1))), read(2, "Dog", dog(1))])
}

@Test func `a link that was followed before keeps the primary key`() throws {
  var scenario = AuditScenario()
  try scenario.follow("dog", of: ann, to: dog1)
  try scenario.read(ann)
  #expect(try scenario.told() == [read(1, "Dog", dog(1)), read(2, "Person", person(1, dog: "1"))])
}

@Test func `a link that is followed in another state keeps the primary key`() throws {
  var scenario = AuditScenario()
  try scenario.read(ann)
  scenario.pass()
  try scenario.follow("dog", of: ann, to: dog1)
  #expect(try scenario.told() == [read(1, "Person", person(1, dog: "1")), read(2, "Dog", dog(1))])
}

@Test func `in a query only the objects whose links are followed show targets`() throws {
  var scenario = AuditScenario()
  let bob = AuditScenario.object("Person", 2, [("dog", .int(2))])
  try scenario.query(ann, bob)
  try scenario.follow("dog", of: bob, to: dog2)
  #expect(
    try scenario.told() == [
      read(1, "Person", person(1, dog: "1"), person(2, dog: dog(2))), read(2, "Dog", dog(2)),
    ])
}

@Test func `an element of a list shows all elements`() throws {
  var scenario = AuditScenario()
  let bob = AuditScenario.object("Person", 2)
  let eve = AuditScenario.object("Person", 3)
  let owner = AuditScenario.object("Person", 1, [("friends", .list([.int(2), .int(3)]))])
  try scenario.read(owner)
  try scenario.follow("friends", of: owner, to: eve, all: [bob, eve], form: .elements)
  #expect(
    try scenario.told() == [
      read(1, "Person", person(1, friends: "[\(person(2)),\(person(3))]")), read(2, "Person", person(3)),
    ])
}

@Test func `an entry of a map shows all entries, nulls as null`() throws {
  var scenario = AuditScenario()
  let pets = Mixed.dictionary([.init(key: "a", value: .int(1)), .init(key: "b", value: .null)])
  let owner = AuditScenario.object("Person", 1, [("pets", pets)])
  try scenario.read(owner)
  try scenario.follow("pets", of: owner, to: dog1, all: [dog1, nil], form: .entries(["a", "b"]))
  #expect(
    try scenario.told() == [
      read(1, "Person", person(1, pets: #"{"a":\#(dog(1)),"b":null}"#)), read(2, "Dog", dog(1)),
    ])
}

@Test func `targets show theirs, and a circle ends with a primary key`() throws {
  var scenario = AuditScenario()
  let rex = AuditScenario.object("Dog", 1, [("owner", .int(1))])
  try scenario.read(ann)
  try scenario.follow("dog", of: ann, to: rex)
  try scenario.follow("owner", of: rex, to: ann)
  let inner = #"{"_id":1,"name":"n1","owner":\#(person(1, dog: "1"))}"#
  let outer = #"{"_id":1,"name":"n1","owner":\#(person(1, dog: "1"))}"#
  #expect(
    try scenario.told() == [
      read(1, "Person", person(1, dog: inner)), read(2, "Dog", outer), read(3, "Person", person(1, dog: "1")),
    ])
}

@Test func `objects that have two links to the next do not grow without limit`() throws {
  let people = (1...20).map { key in
    AuditScenario.object("Person", key, [("friends", .list([.int(key + 1), .int(key + 1)]))])
  }
  var scenario = AuditScenario()
  for person in people { try scenario.read(person) }
  for (person, next) in zip(people, people.dropFirst()) {
    try scenario.follow("friends", of: person, to: next, all: [next, next], form: .elements)
  }
  let told = try scenario.told()
  #expect(told.count == 39 && told.allSatisfy { $0.utf8.count < 2 * FoldedTrail.mostShown })
}

@Test func `a target that is many links away stays a primary key`() throws {
  let people = (1...100).map { key in
    AuditScenario.object("Person", key, [("friends", .list([.int(key + 1)]))])
  }
  var scenario = AuditScenario()
  try scenario.read(people[0])
  for (person, next) in zip(people, people.dropFirst()) {
    try scenario.follow("friends", of: person, to: next, all: [next], form: .elements)
  }
  let first = try #require(try scenario.told().first)
  // The object itself, and one more for each link.
  #expect(first.split(separator: "\"_id\":").count - 1 == 1 + FoldedTrail.mostLinks)
  #expect(first.contains("\"friends\":[\(FoldedTrail.mostLinks + 2)]"))
}

@Test func `embedded objects are written where they are`() throws {
  var scenario = AuditScenario()
  let home = Mixed.dictionary([.init(key: "city", value: .string("Bern"))])
  try scenario.read(AuditScenario.object("Person", 4, [("home", home)]))
  #expect(
    try scenario.told() == [
      #"""
      1 read {"type":"Person","value":[{"_id":4,"dog":null,"friends":[],"home":{"city":"Bern"},"keyless":null,"name":"n4","pets":{}}]}
      """#
    ])
}

@Test func `a query of many objects goes on in further events`() throws {
  var scenario = AuditScenario()
  try scenario.query(dog1, dog2, dog3)
  #expect(
    try scenario.told(limit: 60) == [read(1, "Dog", dog(1), dog(2)), read(1, "Dog", dog(3))])
}
