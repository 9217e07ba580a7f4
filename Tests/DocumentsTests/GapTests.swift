import GatehouseBSON
import GatehouseDocuments
import Testing

/// `$densify`, `$fill`, and functions of windows. The examples are those of MongoDB's manual, where it has any.
struct GapTests {
  // "Densify Time Series Data": every four hours from midnight to eight, exclusively.
  private static let weather = #"""
    [{"m":5578,"t":{"$date":"2021-05-18T00:00:00Z"},"temp":12},{"m":5578,"t":{"$date":"2021-05-18T04:00:00Z"},"temp":11},
     {"m":5578,"t":{"$date":"2021-05-18T08:00:00Z"},"temp":11},{"m":5578,"t":{"$date":"2021-05-18T12:00:00Z"},"temp":12}]
    """#
  // "Densification with Partitions".
  private static let coffee = #"""
    [{"altitude":600,"variety":"Arabica","score":68.3},{"altitude":750,"variety":"Arabica","score":69.5},
     {"altitude":950,"variety":"Arabica","score":70.5},{"altitude":1250,"variety":"Gesha","score":88.15},
     {"altitude":1700,"variety":"Gesha","score":95.5,"price":1029}]
    """#

  @Test(arguments: [
    (
      #"[{"$densify":{"field":"t","range":{"step":2,"unit":"hour","bounds":[{"$date":"2021-05-18T00:00:00Z"},{"$date":"2021-05-18T06:00:00Z"}]}}},{"$project":{"h":{"$hour":"$t"},"temp":1}}]"#,
      weather, #"[{"temp":12,"h":0},{"h":2},{"temp":11,"h":4},{"temp":11,"h":8},{"temp":12,"h":12}]"#
    ),
    (
      #"[{"$densify":{"field":"altitude","partitionByFields":["variety"],"range":{"bounds":"full","step":200}}},{"$project":{"altitude":1,"variety":1,"score":1}}]"#,
      coffee,
      #"""
      [{"altitude":600,"variety":"Arabica","score":68.3},{"altitude":750,"variety":"Arabica","score":69.5},
       {"variety":"Arabica","altitude":800},{"altitude":950,"variety":"Arabica","score":70.5},{"variety":"Arabica","altitude":1000},
       {"variety":"Arabica","altitude":1200},{"variety":"Arabica","altitude":1400},{"variety":"Arabica","altitude":1600},
       {"variety":"Gesha","altitude":600},{"variety":"Gesha","altitude":800},{"variety":"Gesha","altitude":1000},
       {"variety":"Gesha","altitude":1200},{"altitude":1250,"variety":"Gesha","score":88.15},{"variety":"Gesha","altitude":1400},
       {"variety":"Gesha","altitude":1600},{"altitude":1700,"variety":"Gesha","score":95.5}]
      """#
    ),
    (
      #"[{"$densify":{"field":"altitude","partitionByFields":["variety"],"range":{"bounds":"partition","step":200}}},{"$project":{"altitude":1,"variety":1}}]"#,
      coffee,
      #"""
      [{"altitude":600,"variety":"Arabica"},{"altitude":750,"variety":"Arabica"},{"variety":"Arabica","altitude":800},
       {"altitude":950,"variety":"Arabica"},{"altitude":1250,"variety":"Gesha"},{"variety":"Gesha","altitude":1450},
       {"variety":"Gesha","altitude":1650},{"altitude":1700,"variety":"Gesha"}]
      """#
    ),
    // Documents without the value stay, and those outside of the bounds.
    (
      #"[{"$densify":{"field":"a.b","range":{"step":1,"bounds":[0,3]}}}]"#,
      #"[{"_id":1},{"_id":2,"a":{"b":9}},{"_id":3,"a":{"b":1.5}},{"_id":4,"a":{"b":null}}]"#,
      #"[{"_id":1},{"_id":4,"a":{"b":null}},{"a":{"b":0}},{"a":{"b":1}},{"_id":3,"a":{"b":1.5}},{"a":{"b":2}},{"_id":2,"a":{"b":9}}]"#
    ),
    (#"[{"$densify":{"field":"a","range":{"step":1,"bounds":[0,2]}}}]"#, "[]", #"[{"a":0},{"a":1}]"#),
    (#"[{"$densify":{"field":"a","range":{"step":1,"bounds":"full"}}}]"#, "[]", "[]"),
    // "Fill Missing Field Values with Linear Interpolation", "… Based on the Last Observed Value", "… with a Constant Value".
    (
      #"[{"$fill":{"sortBy":{"time":1},"output":{"price":{"method":"linear"}}}}]"#,
      #"[{"time":1,"price":500},{"time":2},{"time":3,"price":515},{"time":4},{"time":5},{"time":6,"price":485}]"#,
      #"[{"time":1,"price":500},{"time":2,"price":507.5},{"time":3,"price":515},{"time":4,"price":505},{"time":5,"price":495},{"time":6,"price":485}]"#
    ),
    (
      #"[{"$fill":{"partitionBy":{"r":"$restaurant"},"sortBy":{"date":1},"output":{"score":{"method":"locf"},"n":{"value":7}}}},{"$project":{"restaurant":1,"score":1,"n":1}}]"#,
      #"[{"date":2,"restaurant":"J"},{"date":1,"restaurant":"J","score":90},{"date":1,"restaurant":"S","n":null},{"date":3,"restaurant":"J","score":92,"n":1}]"#,
      #"[{"restaurant":"J","score":90,"n":7},{"restaurant":"J","score":90,"n":7},{"restaurant":"J","score":92,"n":1},{"restaurant":"S","n":7,"score":null}]"#
    ),
    (
      #"[{"$fill":{"partitionByFields":["k.a"],"sortBy":{"t":1},"output":{"v":{"method":"linear"}}}}]"#,
      #"[{"t":1,"v":1,"k":{"a":1}},{"t":2,"k":{"a":1}},{"t":3,"v":2,"k":{"a":1}},{"t":1,"k":{"a":2}}]"#,
      #"[{"t":1,"v":1,"k":{"a":1}},{"t":2,"k":{"a":1},"v":1.5},{"t":3,"v":2,"k":{"a":1}},{"t":1,"k":{"a":2},"v":null}]"#
    ),
  ])
  func `gaps are closed`(pipeline: String, input: String, output: String) throws {
    try expectSame(aggregate(pipeline, over: input), output, pipeline)
  }

  @Test(arguments: [
    // The manual's example of $derivative: miles and hours of a truck.
    (
      #"{"v":{"$derivative":{"input":"$miles","unit":"hour"},"window":{"range":[-30,0],"unit":"second"}}}"#,
      #"{"time":1}"#,
      #"""
      [{"time":{"$date":"2020-05-18T14:10:30Z"},"miles":1295.1},{"time":{"$date":"2020-05-18T14:11:00Z"},"miles":1295.63},
       {"time":{"$date":"2020-05-18T14:11:30Z"},"miles":1296.25}]
      """#, "[null,63.6,74.4]"
    ),
    // The manual's example of $integral: kilowatts every 30 seconds.
    (
      #"{"v":{"$integral":{"input":"$kw","unit":"hour"},"window":{"range":["unbounded","current"],"unit":"hour"}}}"#,
      #"{"time":1}"#,
      #"""
      [{"time":{"$date":"2020-05-18T14:10:30Z"},"kw":2.95},{"time":{"$date":"2020-05-18T14:11:00Z"},"kw":2.7},
       {"time":{"$date":"2020-05-18T14:11:30Z"},"kw":2.6}]
      """#, "[0,0.024,0.046]"
    ),
    (
      #"{"v":{"$integral":{"input":"$y"},"window":{"documents":["unbounded","unbounded"]}}}"#, #"{"x":1}"#,
      #"[{"x":0,"y":0},{"x":1,"y":2},{"x":3,"y":2}]"#, "[5,5,5]"
    ),
    // The manual's example of $expMovingAvg: stock prices, N 2.
    (
      #"{"v":{"$expMovingAvg":{"N":2,"input":"$p"}}}"#, #"{"d":1}"#,
      #"[{"d":1,"p":13},{"d":2,"p":15.4},{"d":3},{"d":4,"p":12}]"#, "[13,14.6,14.6,12.867]"
    ),
    (
      #"{"v":{"$expMovingAvg":{"alpha":0.75,"input":"$p"}}}"#, #"{"d":1}"#,
      #"[{"d":1,"p":13},{"d":2,"p":15.4},{"d":3,"p":12}]"#, "[13,14.8,12.7]"
    ),
    (
      #"{"v":{"$linearFill":"$p"}}"#, #"{"d":1}"#,
      #"[{"d":0},{"d":1,"p":1},{"d":2},{"d":5,"p":9},{"d":6}]"#, "[null,1,3,9,null]"
    ),
    // Population and sample, by hand.
    (
      #"{"v":{"$covariancePop":["$x","$y"],"window":{"documents":["unbounded","current"]}}}"#, #"{"x":1}"#,
      #"[{"x":1,"y":2},{"x":2,"y":4},{"x":3,"y":"none"},{"x":4,"y":9}]"#, "[0,0.5,0.5,3.667]"
    ),
    (
      #"{"v":{"$covarianceSamp":["$x","$y"]}}"#, #"{"x":1}"#, #"[{"x":1,"y":2},{"x":2,"y":4},{"x":4,"y":9}]"#,
      "[5.5,5.5,5.5]"
    ),
    (#"{"v":{"$covarianceSamp":["$x","$y"]}}"#, #"{"x":1}"#, #"[{"x":1,"y":2}]"#, "[null]"),
  ])
  func `a function of a window has the value that the manual gives`(
    output: String, order: String, input: String, values: String
  ) throws {
    let pipeline = #"""
      [{"$setWindowFields":{"sortBy":\#(order),"output":\#(output)}},{"$project":{"v":{"$round":["$v",3]}}},
       {"$group":{"_id":0,"v":{"$push":"$v"}}},{"$replaceWith":{"v":"$v"}}]
      """#
    try expectSame(aggregate(pipeline, over: input), #"[{"v":\#(values)}]"#, output)
  }

  @Test(arguments: [
    #"{"$densify":{"range":{"step":1,"bounds":"full"}}}"#, #"{"$densify":{"field":"a"}}"#,
    #"{"$densify":{"field":"a","range":{"step":0,"bounds":"full"}}}"#,
    #"{"$densify":{"field":"a","range":{"step":1,"bounds":"most"}}}"#,
    #"{"$densify":{"field":"a","range":{"step":1,"bounds":[2,1]}}}"#,
    #"{"$densify":{"field":"a","range":{"step":1,"unit":"day","bounds":[1,2]}}}"#,
    #"{"$densify":{"field":"a","range":{"step":1.5,"unit":"day","bounds":"full"}}}"#,
    #"{"$densify":{"field":"a","partitionByFields":["a"],"range":{"step":1,"bounds":"full"}}}"#,
    #"{"$densify":{"field":"a","range":{"step":1,"bounds":[0,1e9]}}}"#,
    #"{"$fill":{"output":{}}}"#, #"{"$fill":{"output":{"a":{"method":"best"}}}}"#,
    #"{"$fill":{"output":{"a":{"method":"linear"}}}}"#, #"{"$fill":{"output":{"a":{}}}}"#,
    #"{"$fill":{"partitionBy":"$a","partitionByFields":["a"],"sortBy":{"b":1},"output":{"a":{"method":"locf"}}}}"#,
    #"{"$setWindowFields":{"sortBy":{"a":1},"output":{"v":{"$derivative":{"input":"$a"}}}}}"#,
    #"{"$setWindowFields":{"output":{"v":{"$linearFill":"$a"}}}}"#,
    #"{"$setWindowFields":{"sortBy":{"a":1},"output":{"v":{"$expMovingAvg":{"input":"$a","N":2,"alpha":0.5}}}}}"#,
    #"{"$setWindowFields":{"sortBy":{"a":1},"output":{"v":{"$integral":{"input":"$a","unit":"month"}}}}}"#,
    #"{"$setWindowFields":{"output":{"v":{"$covariancePop":["$a"]}}}}"#,
  ])
  func `what is wrong is refused`(stage: String) throws {
    #expect(error { _ = try aggregate("[\(stage)]", over: #"[{"a":1}]"#) } != nil, "\(stage)")
  }

  @Test(arguments: [
    #"{"step":1e-17,"bounds":"full"}"#, #"{"step":{"$numberDecimal":"1E-40"},"bounds":"partition"}"#,
    #"{"step":0.1,"bounds":[9007199254740992,9007199254740994.0]}"#,
  ])
  func `a step that changes no value is refused`(range: String) throws {
    guard case .array(let stages) = try value(#"[{"$densify":{"field":"a","range":\#(range)}}]"#) else {
      return
    }
    var asked = 0
    let budget = Budget {
      asked += 1
      return asked > 1_000
    }
    let found = error {
      let context = PipelineContext(scope: Scope(now: now, budget: budget))
      let input: [Document] = [["a": .int32(1)], ["a": .int32(2)]]
      let cursor = try Pipeline(stages).run(over: DocumentList(input), in: context)
      while try cursor.next() != nil {}
    }
    #expect(found?.code == .location(5_733_401))
  }
}
