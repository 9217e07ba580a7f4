import GatehouseBSON
import GatehouseDocuments
import Testing

struct UpdateTests {
  private func applied(
    _ update: String, to text: String, filter: String = "{}", arrayFilters: String = "[]"
  ) throws -> Update.Result {
    let filter = try Filter(document(filter))
    return try Update(value(update), arrayFilters: documents(arrayFilters))
      .apply(to: document(text), matching: filter, in: Scope(now: now))
  }

  @Test(arguments: [
    (#"{"$set":{"b":1,"a.c":2}}"#, #"{"_id":1}"#, #"{"_id":1,"a":{"c":2},"b":1}"#),
    (#"{"$set":{"a.1":9}}"#, #"{"a":[1]}"#, #"{"a":[1,9]}"#),
    (#"{"$set":{"a.3":9}}"#, #"{"a":[1]}"#, #"{"a":[1,null,null,9]}"#),
    (#"{"$set":{"a.0.b":9}}"#, #"{"a":[{"b":1}]}"#, #"{"a":[{"b":9}]}"#),
    (#"{"$unset":{"a.b":"","z.y":""}}"#, #"{"a":{"b":1}}"#, #"{"a":{}}"#),
    (#"{"$unset":{"a.0":""}}"#, #"{"a":[1,2]}"#, #"{"a":[null,2]}"#),
    (#"{"$inc":{"a":2,"b":1.5}}"#, #"{"a":1}"#, #"{"a":3,"b":1.5}"#),
    (#"{"$inc":{"a":1}}"#, #"{"a":2147483647}"#, #"{"a":{"$numberLong":"2147483648"}}"#),
    (#"{"$mul":{"a":2,"b":3}}"#, #"{"a":1.5}"#, #"{"a":3.0,"b":0}"#),
    (#"{"$min":{"a":1},"$max":{"b":"x"}}"#, #"{"a":2,"b":9}"#, #"{"a":1,"b":"x"}"#),
    (#"{"$rename":{"a.b":"c","x":"y"}}"#, #"{"a":{"b":1}}"#, #"{"a":{},"c":1}"#),
    (#"{"$setOnInsert":{"a":1}}"#, #"{"b":1}"#, #"{"b":1}"#),
    (#"{"$currentDate":{"a":true}}"#, #"{}"#, #"{"a":{"$date":{"$numberLong":"1700000000000"}}}"#),
    (#"{"$push":{"a":1}}"#, #"{}"#, #"{"a":[1]}"#),
    (#"{"$push":{"a":[1]}}"#, #"{"a":[0]}"#, #"{"a":[0,[1]]}"#),
    (#"{"$push":{"a":{"$each":[3,1],"$sort":1,"$slice":2}}}"#, #"{"a":[2]}"#, #"{"a":[1,2]}"#),
    (#"{"$push":{"a":{"$each":[9],"$position":-1}}}"#, #"{"a":[1,2]}"#, #"{"a":[1,9,2]}"#),
    (
      #"{"$push":{"a":{"$each":[{"s":1}],"$sort":{"s":-1},"$slice":-1}}}"#, #"{"a":[{"s":5}]}"#,
      #"{"a":[{"s":1}]}"#
    ),
    (#"{"$addToSet":{"a":{"$each":[1,2.0,2]}}}"#, #"{"a":[1]}"#, #"{"a":[1,2.0]}"#),
    (#"{"$addToSet":{"a":[1]}}"#, #"{"a":[1]}"#, #"{"a":[1,[1]]}"#),
    (#"{"$pop":{"a":1}}"#, #"{"a":[1,2]}"#, #"{"a":[1]}"#),
    (#"{"$pop":{"a":-1}}"#, #"{"a":[1,2]}"#, #"{"a":[2]}"#),
    (#"{"$pull":{"a":{"$gte":2}}}"#, #"{"a":[1,2,3]}"#, #"{"a":[1]}"#),
    (#"{"$pull":{"a":{"b":1}}}"#, #"{"a":[{"b":1,"c":2},{"b":2},7]}"#, #"{"a":[{"b":2},7]}"#),
    (#"{"$pull":{"a":1}}"#, #"{"a":[1,1.0,[1]]}"#, #"{"a":[[1]]}"#),
    (#"{"$pullAll":{"a":[1,"x"]}}"#, #"{"a":["x",1,2]}"#, #"{"a":[2]}"#),
    (#"{"$bit":{"a":{"and":6,"or":1}}}"#, #"{"a":5}"#, #"{"a":5}"#),
    (#"{"$bit":{"b":{"xor":3}}}"#, #"{}"#, #"{"b":3}"#),
    (#"{"$set":{"a.$[].b":1}}"#, #"{"a":[{"b":0},{}]}"#, #"{"a":[{"b":1},{"b":1}]}"#),
    (#"{"$inc":{"a.$[]":1}}"#, #"{"a":[1,2]}"#, #"{"a":[2,3]}"#),
    (#"{"a":1}"#, #"{"_id":7,"b":2}"#, #"{"_id":7,"a":1}"#), (#"{}"#, #"{"_id":7,"b":2}"#, #"{"_id":7}"#),
    (#"{"a":1,"_id":7}"#, #"{"_id":7}"#, #"{"_id":7,"a":1}"#),
    (#"[{"$set":{"b":{"$add":["$a",1]}}},{"$unset":"a"}]"#, #"{"_id":1,"a":1}"#, #"{"_id":1,"b":2}"#),
    (#"[{"$replaceWith":{"x":"$a"}}]"#, #"{"_id":1,"a":1}"#, #"{"_id":1,"x":1}"#),
    (#"{"$set":{"b.10":1,"b.9":2}}"#, #"{}"#, #"{"b":{"9":2,"10":1}}"#),
    (#"{"$set":{}}"#, #"{"a":1}"#, #"{"a":1}"#),
  ])
  func `an update changes a document as the manual says`(update: String, text: String, result: String) throws
  {
    try expectSame(.document(applied(update, to: text).document), result, update)
  }

  @Test func `a dot before a combining mark divides a path all the same`() throws {
    let result = try applied(#"{"$set":{"a.\u0301b":2}}"#, to: #"{"a":{"\u0301b":1}}"#)
    try expectSame(.document(result.document), #"{"a":{"\u0301b":2}}"#, "a dot and a mark")
    try expectSame(
      .document(applied(#"[{"$set":{"c":"$\u0301b"}}]"#, to: #"{"b":1,"\u0301b":2}"#).document),
      #"{"b":1,"\u0301b":2,"c":2}"#, "a dollar sign and a mark")
  }

  @Test func `a place that the filter matched is changed, or those that a condition holds for`() throws {
    let matched = try applied(
      #"{"$set":{"a.$.b":9}}"#, to: #"{"a":[{"b":1},{"b":2}]}"#, filter: #"{"a.b":2}"#)
    try expectSame(.document(matched.document), #"{"a":[{"b":1},{"b":9}]}"#)
    let element = try applied(
      #"{"$inc":{"a.$":1}}"#, to: #"{"a":[1,5]}"#, filter: #"{"a":{"$elemMatch":{"$gt":3}}}"#)
    try expectSame(.document(element.document), #"{"a":[1,6]}"#)
    let filtered = try applied(
      #"{"$set":{"a.$[x].b.$[y]":0}}"#, to: #"{"a":[{"k":1,"b":[1,9]},{"k":2,"b":[9]}]}"#,
      arrayFilters: #"[{"x.k":1},{"y":{"$gt":5}}]"#)
    try expectSame(.document(filtered.document), #"{"a":[{"k":1,"b":[1,0]},{"k":2,"b":[9]}]}"#)
  }

  @Test func `a document that stays as it is is not modified`() throws {
    #expect(try !applied(#"{"$set":{"a":1}}"#, to: #"{"a":1}"#).isModified)
    #expect(try applied(#"{"$set":{"a":1.5}}"#, to: #"{"a":1}"#).isModified)
  }

  @Test(arguments: [
    (#"{"$set":{"a":1,"a.b":2}}"#, #"{}"#, 40), (#"{"$set":{"a":1},"$inc":{"a":1}}"#, #"{}"#, 40),
    (#"{"$foo":{"a":1}}"#, #"{}"#, 9),
    (#"{"$set":1}"#, #"{}"#, 9), (#"{"$inc":{"a":"x"}}"#, #"{}"#, 14),
    (#"{"$inc":{"a":1}}"#, #"{"a":"x"}"#, 14), (#"{"$set":{"a.b":1}}"#, #"{"a":1}"#, 28),
    (#"{"$set":{"_id":2}}"#, #"{"_id":1}"#, 66), (#"{"_id":2}"#, #"{"_id":1}"#, 66),
    (#"{"$push":{"a":1}}"#, #"{"a":1}"#, 2), (#"{"$pop":{"a":2}}"#, #"{}"#, 9),
    (#"{"$set":{"a..b":1}}"#, #"{}"#, 56), (#"{"$set":{"a.$":1}}"#, #"{"a":[1]}"#, 2),
    (#"{"$set":{"a.$[x]":1}}"#, #"{}"#, 2), (#"{"$set":{"a.$[]":1}}"#, #"{}"#, 2),
    (#"{"$set":{"$a":1}}"#, #"{}"#, 52), (#"{"a":1,"$set":{"b":1}}"#, #"{}"#, 52),
    (#"{"$rename":{"a":"a"}}"#, #"{}"#, 2), (#"{"$unset":{"_id":1}}"#, #"{"_id":1}"#, 66),
    (#"{"$inc":{"a":1}}"#, #"{"a":{"$numberLong":"9223372036854775807"}}"#, 2),
    (#"[{"$group":{"_id":1}}]"#, #"{}"#, 72), (#"{"$set":{"a.1000000":1}}"#, #"{"a":[]}"#, 2),
    (#"{"$set":{"a.60000":1,"b.60000":1}}"#, #"{"a":[],"b":[]}"#, 2),
  ])
  func `an update that cannot be is refused with MongoDB's code`(update: String, text: String, code: Int)
    throws
  {
    #expect(error { _ = try applied(update, to: text) }?.code.number == code, "\(update)")
  }

  @Test(arguments: [
    (#"{"a":1,"b":{"$eq":2},"c":{"$gt":3}}"#, #"{"$set":{"d":4}}"#, #"{"_id":"new","a":1,"b":2,"d":4}"#),
    (#"{"_id":5}"#, #"{"$setOnInsert":{"a":1}}"#, #"{"_id":5,"a":1}"#),
    (#"{"a.b":1,"$and":[{"c":2}]}"#, #"{"$inc":{"c":1}}"#, #"{"_id":"new","a":{"b":1},"c":3}"#),
    (#"{"a":1,"_id":5}"#, #"{"b":2}"#, #"{"_id":5,"b":2}"#),
    (#"{"a":{"$in":[1]},"b":{"$all":[2]}}"#, #"[{"$set":{"c":3}}]"#, #"{"_id":"new","b":2,"c":3}"#),
    (#"{"x":1}"#, #"{"a":1,"_id":7}"#, #"{"_id":7,"a":1}"#),
  ])
  func `an upsert begins with what the filter says`(filter: String, update: String, result: String) throws {
    let inserted = try Update(value(update)).inserted(
      for: Filter(document(filter)), in: Scope(now: now), makeID: { .string("new") })
    try expectSame(.document(inserted), result, filter)
  }

  @Test func `an update that puts one value into many places makes no document that is too large`() throws {
    let document: Document = ["a": .array([Value](repeating: .null, count: 2_000))]
    let update: Value = ["$set": ["a.$[]": .string(String(repeating: "x", count: 40_000))]]
    let found = error {
      _ = try Update(update).apply(to: document, matching: .everything, in: Scope(now: now))
    }
    #expect(found?.code == .exceededMemoryLimit)
  }

  @Test func `an upsert makes no document that is too deep`() throws {
    let path = [String](repeating: "a", count: 60).joined(separator: ".")
    let inner = String(repeating: #"{"b":"#, count: 60) + "1" + String(repeating: "}", count: 60)
    let found = error {
      let update = try Update(value(#"{"$set":{"\#(path)":\#(inner)}}"#))
      _ = try update.inserted(for: .everything, in: Scope(now: now))
    }
    #expect(found?.code == .overflow)
  }

  @Test(arguments: [
    #"[{"a":1},{"a.b":2}]"#, #"[{"a.b.c":1},{"a":2}]"#, #"[{"a.b":1},{"c":1},{"a.b":2}]"#,
  ])
  func `an upsert refuses a filter that says two things of a field`(conditions: String) throws {
    let found = error {
      _ = try Update(value(#"{"$set":{"d":1}}"#)).inserted(
        for: Filter(document(#"{"$and":\#(conditions)}"#)), in: Scope(now: now))
    }
    #expect(found?.code == .notSingleValueField)
  }
}
