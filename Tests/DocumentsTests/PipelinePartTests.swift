import GatehouseBSON
import GatehouseSeeded
import Testing

@testable import GatehouseDocuments

/// Pipelines over documents that are in several places.
@Suite struct PipelinePartTests {
  private static let pipelines = [
    "[]", #"[{"$match":{"n":{"$gt":1}}}]"#, #"[{"$project":{"n":1}},{"$limit":4}]"#,
    #"[{"$match":{"n":{"$gte":0}}},{"$sort":{"n":-1,"_id":1}},{"$skip":2},{"$limit":3},{"$project":{"n":1}}]"#,
    #"[{"$sort":{"k":1}},{"$limit":5},{"$group":{"_id":"$k","n":{"$sum":"$n"}}}]"#,
    #"[{"$sort":{"k":1,"_id":-1}},{"$skip":3}]"#, #"[{"$skip":3},{"$skip":2},{"$limit":2}]"#,
    #"[{"$skip":2},{"$count":"c"}]"#, #"[{"$unwind":"$t"},{"$count":"c"}]"#,
    #"[{"$match":{"n":99}},{"$count":"c"}]"#,
    #"[{"$addFields":{"m":{"$cond":[{"$isNumber":"$n"},{"$add":["$n",1]},0]}}},{"$replaceRoot":{"newRoot":{"m":"$m"}}},{"$sort":{"m":1}},{"$limit":2}]"#,
    #"[{"$unwind":"$t"},{"$sortByCount":"$t"}]"#, #"[{"$group":{"_id":"$k"}}]"#,
    #"[{"$group":{"_id":"$k","s":{"$sum":"$n"},"a":{"$avg":"$n"},"c":{"$count":{}},"i":{"$min":"$n"},"x":{"$max":"$t"}}},{"$match":{"c":{"$gt":1}}}]"#,
    #"[{"$group":{"_id":{"k":"$k","n":"$n"},"f":{"$first":"$_id"},"l":{"$last":"$n"},"p":{"$push":"$n"},"u":{"$addToSet":"$n"}}}]"#,
    #"[{"$group":{"_id":null,"m":{"$mergeObjects":{"a":"$n","b":"$k"}},"g":{"$median":{"input":"$n","method":"approximate"}}}}]"#,
    #"[{"$group":{"_id":"$k","f":{"$firstN":{"input":"$_id","n":2}},"l":{"$lastN":{"input":"$_id","n":2}},"a":{"$minN":{"input":"$n","n":2}},"b":{"$maxN":{"input":"$n","n":2}}}}]"#,
    #"[{"$group":{"_id":"$k","t":{"$top":{"sortBy":{"n":1},"output":"$_id"}},"u":{"$topN":{"n":2,"sortBy":{"n":-1},"output":"$_id"}},"b":{"$bottom":{"sortBy":{"n":1},"output":"$_id"}},"c":{"$bottomN":{"n":3,"sortBy":{"n":1},"output":"$_id"}}}}]"#,
    #"[{"$bucket":{"groupBy":"$n","boundaries":[0,2,4],"default":"other","output":{"c":{"$sum":1},"ids":{"$push":"$_id"}}}}]"#,
    #"[{"$facet":{"a":[{"$count":"c"}],"b":[{"$group":{"_id":"$k","n":{"$sum":1}}}]}}]"#,
    #"[{"$setWindowFields":{"sortBy":{"_id":1},"output":{"r":{"$sum":"$n","window":{"documents":["unbounded","current"]}}}}}]"#,
    #"[{"$match":{"k":{"$ne":"a"}}},{"$redact":{"$cond":[{"$eq":["$k","b"]},"$$PRUNE","$$KEEP"]}},{"$unset":"t"}]"#,
  ]

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `parts of the documents, put together, have the answer of all`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let documents = (0..<Int.random(in: 0...40, using: &random)).map {
      PipelinePartTests.document($0, &random)
    }
    for text in Self.pipelines {
      guard case .array(let stages) = try Value(json: text) else { continue }
      let pipeline = try Pipeline(stages)
      let context = PipelineContext(scope: Scope(now: Date(seconds: 0)))
      let whole = try pipeline.run(over: DocumentList(documents), in: context).all
      var (rest, parts): (ArraySlice<Document>, [PipelinePart]) = (documents[...], [])
      repeat {
        let part = rest.prefix(Int.random(in: 0...15, using: &random))
        rest = rest.dropFirst(part.count)
        parts.append(try pipeline.part(over: DocumentList(Array(part)), in: context))
      } while !rest.isEmpty
      #expect(try pipeline.run(over: parts, in: context).all == whole, "seed \(seed): \(text)")
    }
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `a deviation of parts is that of all, but for rounding`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let values = (0..<50).map { _ in Value.double(.random(in: -100...1_000, using: &random)) }
    var (whole, parts) = (RunningDeviation(), RunningDeviation())
    for value in values { whole.add(value) }
    for start in stride(from: 0, to: 50, by: 7) {
      var part = RunningDeviation()
      for value in values[start..<min(start + 7, 50)] { part.add(value) }
      parts.add(part)
    }
    let difference =
      try #require(whole.value(isSample: true).asDouble) - #require(parts.value(isSample: true).asDouble)
    #expect(abs(difference) < 1e-9)
  }

  @Test func `a part of a limit and of a count has no more documents than the whole has`() throws {
    let documents = (0..<100).map { Document([.init(key: "_id", value: .int32(Int32($0)))]) }
    for (stages, most) in [
      (#"[{"$sort":{"_id":-1}},{"$skip":2},{"$limit":3}]"#, 5), (#"[{"$limit":3}]"#, 3),
      (#"[{"$group":{"_id":null,"n":{"$sum":1}}}]"#, 0), (#"[{"$count":"n"}]"#, 0),
    ] {
      guard case .array(let stages) = try Value(json: stages) else { continue }
      let context = PipelineContext(scope: Scope(now: Date(seconds: 0)))
      let part = try Pipeline(stages).part(over: DocumentList(documents), in: context)
      if case .documents(let kept) = part.content { #expect(kept.count == most) } else { #expect(most == 0) }
    }
  }

  /// Numbers whose sums are the same in any order.
  private static func document(_ id: Int, _ random: inout SeededGenerator) -> Document {
    var document: Document = ["_id": .int32(Int32(id))]
    let numbers: [Value?] = [
      nil, .null, .int32(0), .int32(1), .int64(3), .double(0.5), .double(2), .string("x"),
    ]
    if let number = numbers.randomElement(using: &random) ?? nil { document.append("n", number) }
    let keys: [Value?] = [nil, .null, .string("a"), .string("b"), .int32(1), .double(1)]
    if let key = keys.randomElement(using: &random) ?? nil { document.append("k", key) }
    let lists: [[Value]] = [[], [.int32(1)], [.int32(2), .string("y")]]
    document.append("t", .array(lists.randomElement(using: &random) ?? []))
    return document
  }
}

extension DocumentCursor {
  fileprivate var all: [Document] {
    get throws(DocumentsError) { try rest(charging: Budget()) }
  }
}
