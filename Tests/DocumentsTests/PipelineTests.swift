import GatehouseBSON
import GatehouseDocuments
import Testing

struct PipelineTests {
  static let sales = #"""
    [{"_id":1,"i":"a","q":2,"t":["x","y"]},{"_id":2,"i":"b","q":1,"t":[]},{"_id":3,"i":"a","q":5,"t":["x"]},{"_id":4,"i":"c","q":1}]
    """#

  @Test(arguments: [
    (#"[{"$match":{"q":{"$gt":1}}},{"$project":{"q":1}}]"#, #"[{"_id":1,"q":2},{"_id":3,"q":5}]"#),
    (
      #"[{"$group":{"_id":"$i","n":{"$sum":"$q"},"all":{"$push":"$q"}}},{"$sort":{"_id":1}}]"#,
      #"[{"_id":"a","n":7,"all":[2,5]},{"_id":"b","n":1,"all":[1]},{"_id":"c","n":1,"all":[1]}]"#
    ),
    (
      #"[{"$group":{"_id":null,"avg":{"$avg":"$q"},"min":{"$min":"$q"},"max":{"$max":"$q"},"n":{"$count":{}},"f":{"$first":"$i"},"l":{"$last":"$t"}}}]"#,
      #"[{"_id":null,"avg":2.25,"min":1,"max":5,"n":4,"f":"a","l":null}]"#
    ),
    (
      #"[{"$group":{"_id":null,"top":{"$topN":{"n":2,"sortBy":{"q":-1},"output":"$_id"}},"least":{"$bottom":{"sortBy":{"q":-1,"_id":1},"output":"$_id"}},"some":{"$firstN":{"input":"$q","n":2}},"big":{"$maxN":{"input":"$q","n":2}}}}]"#,
      #"[{"_id":null,"top":[3,1],"least":4,"some":[2,1],"big":[5,2]}]"#
    ),
    (
      #"[{"$group":{"_id":null,"m":{"$mergeObjects":{"x":"$q","y":"$i"}},"s":{"$addToSet":"$q"},"d":{"$stdDevPop":"$q"}}},{"$project":{"m":1,"s":1}}]"#,
      #"[{"_id":null,"m":{"x":1,"y":"c"},"s":[2,1,5]}]"#
    ),
    (#"[{"$unwind":"$t"},{"$sortByCount":"$t"}]"#, #"[{"_id":"x","count":2},{"_id":"y","count":1}]"#),
    (
      #"[{"$unwind":{"path":"$t","preserveNullAndEmptyArrays":true,"includeArrayIndex":"k"}},{"$project":{"t":1,"k":1}}]"#,
      #"[{"_id":1,"t":"x","k":0},{"_id":1,"t":"y","k":1},{"_id":2,"k":null},{"_id":3,"t":"x","k":0},{"_id":4,"k":null}]"#
    ),
    (#"[{"$sort":{"q":1,"_id":-1}},{"$limit":2},{"$project":{"_id":1}}]"#, #"[{"_id":4},{"_id":2}]"#),
    (#"[{"$skip":3},{"$unset":["t","q"]}]"#, #"[{"_id":4,"i":"c"}]"#),
    (#"[{"$match":{"q":1}},{"$count":"n"}]"#, #"[{"n":2}]"#),
    (#"[{"$match":{"q":99}},{"$count":"n"}]"#, "[]"),
    (
      #"[{"$limit":1},{"$addFields":{"a.b":"$q","i":"$$REMOVE","t":{"$size":"$t"}}}]"#,
      #"[{"_id":1,"q":2,"t":2,"a":{"b":2}}]"#
    ),
    (
      #"[{"$limit":1},{"$replaceRoot":{"newRoot":{"$mergeObjects":[{"z":1},{"q":"$q"}]}}}]"#,
      #"[{"z":1,"q":2}]"#
    ), (#"[{"$limit":1},{"$replaceWith":{"w":"$i"}}]"#, #"[{"w":"a"}]"#),
    (
      #"[{"$bucket":{"groupBy":"$q","boundaries":[0,2,4],"default":"other"}}]"#,
      #"[{"_id":0,"count":2},{"_id":2,"count":1},{"_id":"other","count":1}]"#
    ),
    (
      #"[{"$bucketAuto":{"groupBy":"$q","buckets":2}}]"#,
      #"[{"_id":{"min":1,"max":2},"count":2},{"_id":{"min":2,"max":5},"count":2}]"#
    ),
    (
      #"[{"$facet":{"n":[{"$count":"c"}],"first":[{"$limit":1},{"$project":{"_id":1}}]}}]"#,
      #"[{"n":[{"c":4}],"first":[{"_id":1}]}]"#
    ),
    (
      #"[{"$limit":1},{"$unionWith":{"coll":"items","pipeline":[{"$project":{"name":1,"_id":0}}]}},{"$unset":"t"}]"#,
      #"[{"_id":1,"i":"a","q":2},{"name":"Apple"},{"name":"Banana"}]"#
    ),
    (
      #"[{"$limit":2},{"$lookup":{"from":"items","localField":"i","foreignField":"_id","as":"item"}},{"$project":{"item.name":1}}]"#,
      #"[{"_id":1,"item":[{"name":"Apple"}]},{"_id":2,"item":[{"name":"Banana"}]}]"#
    ),
    (
      #"[{"$match":{"_id":3}},{"$lookup":{"from":"items","let":{"w":"$i"},"pipeline":[{"$match":{"$expr":{"$eq":["$_id","$$w"]}}},{"$project":{"_id":0,"name":{"$concat":["$name","!"]}}}],"as":"r"}},{"$project":{"r":1}}]"#,
      #"[{"_id":3,"r":[{"name":"Apple!"}]}]"#
    ),
    (
      #"[{"$match":{"_id":4}},{"$lookup":{"from":"items","localField":"none","foreignField":"color","as":"r"}},{"$project":{"n":{"$size":"$r"}}}]"#,
      #"[{"_id":4,"n":2}]"#
    ),
    (
      #"[{"$match":{"_id":1}},{"$graphLookup":{"from":"tree","startWith":"$_id","connectFromField":"p","connectToField":"_id","as":"up","depthField":"d"}},{"$project":{"up":1}}]"#,
      #"[{"_id":1,"up":[{"_id":1,"p":2,"d":0},{"_id":2,"p":3,"d":1},{"_id":3,"p":1,"d":2}]}]"#
    ),
    (
      #"[{"$setWindowFields":{"partitionBy":"$i","sortBy":{"q":1},"output":{"run":{"$sum":"$q","window":{"documents":["unbounded","current"]}},"r":{"$rank":{}},"p":{"$shift":{"output":"$q","by":-1,"default":0}}}}},{"$project":{"run":1,"r":1,"p":1}}]"#,
      #"[{"_id":1,"run":2,"r":1,"p":0},{"_id":3,"run":7,"r":2,"p":2},{"_id":2,"run":1,"r":1,"p":0},{"_id":4,"run":1,"r":1,"p":0}]"#
    ),
    (
      #"[{"$setWindowFields":{"sortBy":{"_id":1},"output":{"s":{"$sum":"$q","window":{"documents":[-1,0]}},"v":{"$avg":"$q","window":{"range":[-1,1]}}}}},{"$project":{"s":1,"v":1}}]"#,
      #"[{"_id":1,"s":2,"v":1.5},{"_id":2,"s":3,"v":2.6666666666666665},{"_id":3,"s":6,"v":2.3333333333333335},{"_id":4,"s":6,"v":3.0}]"#
    ),
    (
      #"[{"$match":{"_id":1}},{"$redact":{"$cond":[{"$eq":["$q",2]},"$$KEEP","$$PRUNE"]}},{"$project":{"q":1}}]"#,
      #"[{"_id":1,"q":2}]"#
    ), (#"[{"$documents":[{"a":1},{"a":2}]}]"#, #"[{"a":1},{"a":2}]"#),
    (
      #"[{"$project":{"q":{"$cond":[{"$gt":["$q",1]},"$q","$$REMOVE"]}}},{"$match":{"q":{"$exists":true}}}]"#,
      #"[{"_id":1,"q":2},{"_id":3,"q":5}]"#
    ),
  ])
  func `a pipeline makes what the manual says`(pipeline: String, result: String) throws {
    let others = [
      "items": #"[{"_id":"a","name":"Apple"},{"_id":"b","name":"Banana"}]"#,
      "tree": #"[{"_id":1,"p":2},{"_id":2,"p":3},{"_id":3,"p":1}]"#,
    ]
    try expectSame(aggregate(pipeline, over: Self.sales, with: others), result, pipeline)
  }

  @Test(arguments: [
    (#"[{"$foo":1}]"#, 40324), (#"[{"$match":{},"$limit":1}]"#, 40323), (#"[1]"#, 14),
    (#"[{"$limit":0}]"#, 15958), (#"[{"$group":{"n":{"$sum":1}}}]"#, 15955),
    (#"[{"$group":{"_id":1,"n":{"$foo":1}}}]"#, 15952), (#"[{"$group":{"_id":1,"n":1}}]"#, 40234),
    (#"[{"$out":"x"},{"$limit":1}]"#, 40601), (#"[{"$facet":{"a":[{"$out":"x"}]}}]"#, 51047),
    (#"[{"$sort":{}}]"#, 15976), (#"[{"$sort":{"a":2}}]"#, 15975), (#"[{"$searchMeta":{}}]"#, 115),
    (#"[{"$unwind":"a"}]"#, 28818), (#"[{"$bucket":{"groupBy":"$a","boundaries":[2,1]}}]"#, 40194),
    (#"[{"$replaceRoot":{"newRoot":"$q"}}]"#, 40228), (#"[{"$lookup":{"from":"x","as":"y"}}]"#, 9),
    (#"[{"$count":"$a"}]"#, 40158), (#"[{"$match":{"$where":"1"}}]"#, 115),
  ])
  func `a pipeline that cannot be is refused with MongoDB's code`(pipeline: String, code: Int) throws {
    #expect(error { _ = try aggregate(pipeline, over: Self.sales) }?.code.number == code, "\(pipeline)")
  }

  @Test func `a stage that names no known one is told in MongoDB's words`() {
    let message = error { _ = try aggregate(#"[{"name":1}]"#, over: "[]") }?.message
    #expect(message == "Unrecognized pipeline stage name: 'name'")
  }

  @Test(arguments: [
    #"[{"$sort":{"a":1}}]"#, #"[{"$group":{"_id":"$a"}}]"#,
    #"[{"$group":{"_id":null,"x":{"$push":"$$ROOT"}}}]"#, #"[{"$facet":{"x":[]}}]"#,
  ])
  func `stages that keep documents have a bound in memory`(pipeline: String) throws {
    let input = (0..<1_000).map { index in Document([.init(key: "a", value: .int32(Int32(index)))]) }
    guard case .array(let stages) = try value(pipeline) else { return }
    let found = error {
      let cursor = try Pipeline(stages).run(over: DocumentList(input), in: context(memory: 50_000))
      while try cursor.next() != nil {}
    }
    #expect(found?.code == .exceededMemoryLimit)
  }

  @Test func `a sort that only the first are wanted of keeps no more than those`() throws {
    let input = (0..<10_000).map { index in
      Document([.init(key: "a", value: .int32(Int32(index * 7919 % 10_000)))])
    }
    guard case .array(let stages) = try value(#"[{"$sort":{"a":1}},{"$limit":3}]"#) else { return }
    let cursor = try Pipeline(stages).run(over: DocumentList(input), in: context(memory: 50_000))
    var found: [Value?] = []
    while let document = try cursor.next() { found.append(document["a"]) }
    #expect(found == [.int32(0), .int32(1), .int32(2)])
  }

  @Test(arguments: [
    #"{"$lastN":{"input":"$a","n":2}}"#, #"{"$firstN":{"input":"$a","n":2}}"#,
    #"{"$minN":{"input":"$a","n":2}}"#, #"{"$maxN":{"input":"$a","n":2}}"#,
    #"{"$topN":{"sortBy":{"a":1},"output":"$a","n":2}}"#,
    #"{"$bottomN":{"sortBy":{"a":1},"output":"$a","n":2}}"#,
  ])
  func `a group that only some values are wanted of keeps no more than those`(accumulator: String) throws {
    let input = (0..<10_000).map { Document([.init(key: "a", value: .int32(Int32($0)))]) }
    guard case .array(let stages) = try value(#"[{"$group":{"_id":null,"x":\#(accumulator)}}]"#) else {
      return
    }
    let cursor = try Pipeline(stages).run(over: DocumentList(input), in: context(memory: 5_000))
    let isLeast = ["$firstN", "$minN", "$topN"].contains { accumulator.contains($0) }
    let found = try #require(try cursor.next()?["x"])
    let numbers: [Int32] =
      isLeast ? [0, 1] : accumulator.contains("$maxN") ? [9_999, 9_998] : [9_998, 9_999]
    #expect(found == .array(numbers.map { .int32($0) }))
  }

  @Test func `values that a group keeps in place of smaller ones count`() throws {
    let input = (0..<20).map { index in
      let text = String(repeating: "\(Character(Unicode.Scalar(UInt8(97 + index))))", count: 1 << index / 2)
      return Document([.init(key: "a", value: .string(text))])
    }
    guard
      case .array(let stages) = try value(#"[{"$group":{"_id":null,"x":{"$maxN":{"input":"$a","n":2}}}}]"#)
    else { return }
    let found = error {
      _ = try Pipeline(stages).run(over: DocumentList(input), in: context(memory: 1_000)).next()
    }
    #expect(found?.code == .exceededMemoryLimit)
  }

  @Test(arguments: [
    #"{"$mergeObjects":"$a"}"#, #"{"$first":"$b"}"#, #"{"$last":"$b"}"#, #"{"$min":"$b"}"#, #"{"$max":"$b"}"#,
  ])
  func `the one value that a group keeps counts`(accumulator: String) throws {
    let text = Value.string(String(repeating: "x", count: 1_000))
    // In one group or each in its own.
    let input = (0..<100).map { index -> Document in
      ["k": .int32(Int32(index)), "a": .document(Document([.init(key: "\(index)", value: text)])), "b": text]
    }
    let key = accumulator.contains("merge") ? "null" : #""$k""#
    guard case .array(let stages) = try value(#"[{"$group":{"_id":\#(key),"x":\#(accumulator)}}]"#) else {
      return
    }
    func found(memory: Int) -> DocumentsError? {
      error { _ = try Pipeline(stages).run(over: DocumentList(input), in: context(memory: memory)).next() }
    }
    #expect(found(memory: 90_000)?.code == .exceededMemoryLimit)
    #expect(found(memory: 400_000) == nil)
  }

  @Test func `all matches of a pattern in a text count, and end where the time is over`() throws {
    let text = String(repeating: "a", count: 20_000)
    let expression = #"{"$regexFindAll":{"input":"$t","regex":"a"}}"#
    guard case .array(let stages) = try value(#"[{"$project":{"n":{"$size":\#(expression)}}}]"#) else {
      return
    }
    func found(_ budget: Budget) -> DocumentsError? {
      error {
        let context = PipelineContext(scope: Scope(now: now, budget: budget))
        _ = try Pipeline(stages).run(over: DocumentList([["t": .string(text)]]), in: context).next()
      }
    }
    #expect(found(Budget(memory: 100_000))?.code == .exceededMemoryLimit)
    #expect(found(Budget()) == nil)
    var asked = 0
    let budget = Budget {
      asked += 1
      return asked > 20
    }
    #expect(found(budget)?.code == .exceededTimeLimit)
  }

  @Test func `lists of windows have a bound in memory`() throws {
    let input = (0..<300).map { Document([.init(key: "a", value: .int32(Int32($0)))]) }
    func found(_ lower: String) throws -> DocumentsError? {
      let window = #"{"$push":"$a","window":{"documents":[\#(lower),"current"]}}"#
      guard
        case .array(let stages) = try value(
          #"[{"$setWindowFields":{"sortBy":{"a":1},"output":{"x":\#(window)}}}]"#)
      else { return nil }
      return error {
        let cursor = try Pipeline(stages).run(over: DocumentList(input), in: context(memory: 400_000))
        while try cursor.next() != nil {}
      }
    }
    #expect(try found(#""unbounded""#)?.code == .exceededMemoryLimit)
    // Each is as long as the last one: what is left behind is given back.
    #expect(try found("-2") == nil)
  }

  @Test(arguments: [
    // Doubled at each level, or each stage.
    String(repeating: #"{"$let":{"vars":{"x":["$$x","$$x"]},"in":"#, count: 40) + #""$$x""#
      + String(repeating: "}}", count: 40),
    #"{"$map":{"input":{"$range":[0,1000000]},"in":{"$range":[0,1000000]}}}"#,
    #"{"$reduce":{"input":{"$range":[0,1000]},"initialValue":"ab","in":{"$concat":["$$value","$$value"]}}}"#,
    #"{"$reduce":{"input":{"$range":[0,1000]},"initialValue":1,"in":["$$value"]}}"#,
    ##"{"$reduce":{"input":{"$range":[0,1000]},"initialValue":"aa","in":{"$replaceAll":{"input":"$$value","find":"a","replacement":"\##(String(repeating: "a", count: 20_000))"}}}}"##,
  ])
  func `no expression makes a value that is larger than it may be`(expression: String) throws {
    let whole =
      expression.hasPrefix(#"{"$let""#) ? #"{"$let":{"vars":{"x":1},"in":\#(expression)}}"# : expression
    let found = error {
      _ = try aggregate(#"[{"$set":{"a":\#(whole)}}]"#, over: #"[{"_id":1}]"#)
    }
    #expect(found?.code == .exceededMemoryLimit, "\(String(describing: found))")
  }

  @Test func `no stages make a document that is larger than it may be`() throws {
    let stages = [Value](repeating: ["$set": ["a": .array([.string("$a"), .string("$a")])]], count: 100)
    let found = error {
      let cursor = try Pipeline(stages).run(over: DocumentList([["a": .int32(1)]]), in: context())
      while try cursor.next() != nil {}
    }
    #expect(found?.code == .exceededMemoryLimit)
  }

  @Test func `stages that put documents into others make none that is too deep`() throws {
    let key = String(repeating: #"{"a":"#, count: 50) + #""$_id""# + String(repeating: "}", count: 50)
    for stage in [#"{"$group":{"_id":\#(key)}}"#, #"{"$bucketAuto":{"groupBy":\#(key),"buckets":1}}"#] {
      let stages = [Value](repeating: try value(stage), count: 10)
      let found = error {
        let cursor = try Pipeline(stages).run(over: DocumentList([["_id": .int32(1)]]), in: context())
        while try cursor.next() != nil {}
      }
      #expect(found?.code == .exceededMemoryLimit, "\(stage)")
    }
  }

  @Test func `paths have a bound, whichever way they are put together`() throws {
    let long = [String](repeating: "a", count: 60).joined(separator: ".")
    for stage in [
      #"{"$unwind":{"path":"$a","includeArrayIndex":"\#(long).\#(long)"}}"#,
      #"{"$set":{"\#(long)":{"\#(long)":1}}}"#, #"{"$project":{"\#(long)":{"\#(long)":1}}}"#,
    ] {
      #expect(error { _ = try Pipeline([value(stage)]) }?.code == .overflow, "\(stage)")
    }
  }

  @Test(arguments: [
    #"{"documents":[1,-1]}"#, #"{"range":[5,-5]}"#, #"{"range":["current",-1]}"#, #"{"range":[1,"current"]}"#,
  ])
  func `a window does not end before it begins`(window: String) {
    let stages =
      #"[{"$setWindowFields":{"sortBy":{"a":1},"output":{"s":{"$sum":"$a","window":\#(window)}}}}]"#
    #expect(error { _ = try aggregate(stages, over: "[]") }?.code == .location(5_339_900))
  }

  @Test(arguments: [
    (#"{"a":-1}"#, "[-1,0]", "[3,5,3,1]"), (#"{"a":-1}"#, "[0,1]", "[5,3,1,0]"),
    (#"{"a":-1}"#, #"["unbounded","current"]"#, "[3,5,6,6]"), (#"{"a":1}"#, "[-1,0]", "[0,1,3,5]"),
  ])
  func `a window of values lies along the order`(order: String, range: String, sums: String) throws {
    let output = #"{"s":{"$sum":"$a","window":{"range":\#(range)}}}"#
    let found = try aggregate(
      #"[{"$setWindowFields":{"sortBy":\#(order),"output":\#(output)}},{"$group":{"_id":null,"s":{"$push":"$s"}}},{"$unset":"_id"}]"#,
      over: #"[{"a":0},{"a":1},{"a":2},{"a":3}]"#)
    try expectSame(found, #"[{"s":\#(sums)}]"#)
  }

  @Test func `a window of values has a place for infinities`() throws {
    let stages =
      #"[{"$setWindowFields":{"sortBy":{"a":-1},"output":{"s":{"$count":{},"window":{"range":[1,{"$numberDouble":"Infinity"}]}}}}}]"#
    let input = #"[{"a":{"$numberDouble":"Infinity"}},{"a":{"$numberDouble":"-Infinity"}},{"a":1}]"#
    guard case .array(let found) = try aggregate(stages, over: input) else { return }
    #expect(found.count == 3)
  }

  @Test func `many percentiles of many numbers sort them once`() throws {
    let numbers = Value.array((0..<20_000).map { .int32(Int32($0 * 7_919 % 20_000)) })
    let parts = Value.array((0..<20_000).map { .double(Double($0) / 20_000) })
    let expression = try Expression([
      "$percentile": [
        "input": .string("$n"), "p": ["$literal": parts], "method": .string("approximate"),
      ]
    ])
    guard case .array(let found)? = try expression.value(in: Scope(root: ["n": numbers], now: now)) else {
      return
    }
    #expect(found[10_000] == .double(9_999))
  }

  @Test func `a query ends where its time is over`() throws {
    let input = (0..<1_000).map { index in Document([.init(key: "a", value: .int32(Int32(index)))]) }
    let budget = Budget(mustStop: { true })
    let found = error {
      let cursor = try Pipeline([["$match": [:]]]).run(
        over: DocumentList(input), in: PipelineContext(scope: Scope(now: now, budget: budget)))
      while try cursor.next() != nil {}
    }
    #expect(found?.code == .exceededTimeLimit)
  }

  @Test func `sorting an array ends with the time of its query`() throws {
    var questions = 0
    let budget = Budget(mustStop: {
      questions += 1
      return questions > 3
    })
    let elements = (0..<1_000).map { Value.int32(Int32($0 * 7_919 % 1_000)) }
    let sorting = try Expression(value(#"{"$sortArray":{"input":"$a","sortBy":1}}"#))
    #expect(throws: DocumentsError.self) {
      try sorting.value(in: Scope(root: ["a": .array(elements)], now: now, budget: budget))
    }
    #expect(questions == 4)
  }

  @Test func `a write at the end is described, and merges documents`() throws {
    guard
      case .array(let stages) = try value(
        #"[{"$merge":{"into":{"db":"d","coll":"c"},"on":"k","whenMatched":[{"$set":{"n":{"$add":["$n","$$new.n"]}}}],"whenNotMatched":"discard"}}]"#
      ),
      case .merge(let merge)? = try Pipeline(stages).output
    else {
      Issue.record("no merge")
      return
    }
    #expect(merge.target.collection == "c" && merge.target.database == "d" && merge.fields == ["k"])
    #expect(merge.whenNotMatched == .discard)
    let merged = try merge.merged(
      document(#"{"k":1,"n":2}"#), into: document(#"{"_id":9,"k":1,"n":3}"#), in: context())
    try expectSame(merged.map { .document($0) }, #"{"_id":9,"k":1,"n":5}"#)
    guard case .replace(let target)? = try Pipeline([["$out": .string("x")]]).output else {
      Issue.record("no replacement")
      return
    }
    #expect(target.collection == "x" && target.database == nil)
  }

  @Test func `a pipeline names the collections that it reads`() throws {
    guard
      case .array(let stages) = try value(
        #"[{"$lookup":{"from":"a","pipeline":[{"$unionWith":"b"}],"as":"x"}},{"$facet":{"f":[{"$graphLookup":{"from":"c","startWith":1,"connectFromField":"a","connectToField":"b","as":"g"}}]}}]"#
      )
    else { return }
    #expect(try Pipeline(stages).sources.map(\.collection) == ["a", "b", "c"])
  }
}
