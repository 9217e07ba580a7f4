import GatehouseModel
import GatehouseStorage
import Testing

@testable import GatehouseFeeds

/// Ordered results, in sections or not, and how two of them differ.
@Suite struct ResultsTests {
  private static let schema = Schema([])

  /// Makes results of rows such as `a1`: the section, and what identifies the object.
  private static func state(_ rows: String, version: Int64 = 1, sections: Bool = true) -> ResultsState {
    let keys = rows.split(separator: " ").map { String($0.prefix(1)) }
    return ResultsState(
      rows.split(separator: " ").map { row in
        ResultsState.Row(
          id: .string(String(row.dropFirst())), section: sections ? .string(String(row.prefix(1))) : .null,
          json: Array(#"{"r":"\#(row)"}"#.utf8))
      },
      sectionKeys: Dictionary(
        keys.map { (.string($0), Array("\"\($0)\"".utf8)) }, uniquingKeysWith: { first, _ in first }),
      version: version, schema)
  }

  @Test func `sections come in the order in which they begin, each once`() {
    let sections = Self.state("b1 a2 b3 c4 a5").sections
    #expect(sections.map(\.key) == [.string("b"), .string("a"), .string("c")])
    #expect(sections.map(\.rows) == [[0, 2], [1, 4], [3]])
    #expect(Self.state("").sections.isEmpty)
  }

  @Test func `the first frame has all objects`() {
    let writer = ResultsWriter(state: Self.state("x1 x2", version: 7, sections: false))
    #expect(
      writer.initial(hasSections: false).text == """
        id: 7
        event: initial
        data: {"version":7,"objects":[{"r":"x1"},{"r":"x2"}]}


        """)
  }

  @Test func `the first frame of sections has their keys`() {
    let writer = ResultsWriter(state: Self.state("b1 a2 b3", version: 7))
    #expect(
      writer.initial(hasSections: true).text == """
        id: 7
        event: initial
        data: {"version":7,"sections":[{"key":"b","objects":[{"r":"b1"},{"r":"b3"}]},{"key":"a","objects":[{"r":"a2"}]}]}


        """)
    #expect(
      ResultsWriter(state: Self.state("")).initial(hasSections: true).lines
        == [#"1 initial {"version":1,"sections":[]}"#])
  }

  @Test(
    arguments: [
      // Old, new, touched: deletions, insertions, modifications, modificationsNew, inserted, modified.
      ("x1 x2 x3", "x1 x3 x4", "3", #"[1] [2] [2] [1] [{"r":"x4"}] [{"r":"x3"}]"#),
      ("x1 x2 x3", "x3 x1 x2", "", #"[2] [0] [] [] [{"r":"x3"}] []"#),
      ("", "x1", "1", #"[] [0] [] [] [{"r":"x1"}] []"#), ("x1", "", "1", "[0] [] [] [] [] []"),
    ])
  func `an update has indices and objects`(old: String, new: String, touched: String, expected: String) {
    let update = ResultsUpdate(
      from: Self.state(old, sections: false), to: Self.state(new, version: 9, sections: false),
      touched: Set(touched.split(separator: " ").map { .string(String($0)) }), hasSections: false)
    let values = expected.split(separator: " ")
    let names = ["deletions", "insertions", "modifications", "modificationsNew", "inserted", "modified"]
    let members = zip(names, values).map { #""\#($0)":\#($1)"# }.joined(separator: ",")
    #expect(update.encoded?.lines == [#"9 update {"version":9,\#(members)}"#])
  }

  @Test func `objects that are neither touched nor moved are no update`() {
    let state = Self.state("x1 x2", sections: false)
    let update = ResultsUpdate(from: state, to: state, touched: [.string("3")], hasSections: false)
    #expect(update.encoded == nil)
  }

  @Test func `two updates of a slow client become one, which may be none`() {
    let (a, b, c) = (
      Self.state("x1", sections: false), Self.state("x1 x2", version: 2, sections: false),
      Self.state("x1", version: 3, sections: false)
    )
    let first = ResultsUpdate(from: a, to: b, touched: [.string("2")], hasSections: false)
    let second = ResultsUpdate(from: b, to: c, touched: [.string("2")], hasSections: false)
    #expect(first.encoded != nil && second.encoded != nil)
    #expect(first.merged(with: second).encoded == nil)
    let third = ResultsUpdate(from: b, to: c, touched: [.string("2"), .string("1")], hasSections: false)
    #expect(
      first.merged(with: third).encoded?.lines
        == [
          #"3 update {"version":3,"deletions":[],"insertions":[],"modifications":[0],"modificationsNew":[0],"#
            + #""inserted":[],"modified":[{"r":"x1"}]}"#
        ])
  }

  @Test(arguments: [false, true])
  func `a slow client is told of an object that has left, was changed and is back`(sections: Bool) {
    let (a, b, c) = (
      Self.state("x1 x2", sections: sections), Self.state("x1", version: 2, sections: sections),
      Self.state("x1 x2", version: 4, sections: sections)
    )
    let first = ResultsUpdate(from: a, to: b, touched: [.string("3")], hasSections: sections)
    // The object that version 3 changed was not among the results.
    let second = ResultsUpdate(from: b, to: c, touched: [.string("3")], hasSections: sections)
    let told = first.merged(with: second).encoded?.lines.joined() ?? ""
    #expect(told.contains(#"{"r":"x2"}"#) && !told.contains(#"{"r":"x1"}"#), "\(told)")
  }

  struct SectionsCase: Sendable, CustomTestStringConvertible {
    let old: String
    let new: String
    var touched: Set<Mixed> = []
    var sectionsToDelete: [Int] = []
    var sectionsToInsert: [Int] = []
    var deletions: [[Int]] = []
    var insertions: [[Int]] = []
    var modifications: [[Int]] = []

    var testDescription: String { "\(old) to \(new)" }
  }

  @Test(arguments: [
    SectionsCase(old: "a1 b2", new: "a1 b2"),
    SectionsCase(old: "a1 b2", new: "a1 b2", touched: [.string("2")], modifications: [[1, 0]]),
    SectionsCase(old: "a1 b2", new: "a1", sectionsToDelete: [1]),
    SectionsCase(old: "a1", new: "a1 b2", sectionsToInsert: [1], insertions: [[1, 0]]),
    SectionsCase(old: "a1 a2", new: "a2", deletions: [[0, 0]]),
    SectionsCase(old: "a1", new: "a1 a2 a3", insertions: [[0, 1], [0, 2]]),
    // An object that goes to another section is deleted there and inserted here.
    SectionsCase(
      old: "a1 a2 b3", new: "a1 b2 b3", touched: [.string("2")], deletions: [[0, 1]], insertions: [[1, 0]]),
    // A modified row that is elsewhere by now is deleted and inserted.
    SectionsCase(
      old: "a1 a2", new: "a2", touched: [.string("2")], deletions: [[0, 0], [0, 1]], insertions: [[0, 0]]),
    SectionsCase(
      old: "a1 b2", new: "c3 b2", sectionsToDelete: [0], sectionsToInsert: [0], insertions: [[0, 0]]),
  ])
  func `sections differ as Realm tells it`(expected: SectionsCase) {
    let diff = SectionsDiff(
      from: Self.state(expected.old), to: Self.state(expected.new), touched: expected.touched)
    #expect(diff.sectionsToDelete == expected.sectionsToDelete)
    #expect(diff.sectionsToInsert == expected.sectionsToInsert)
    #expect(diff.deletions.map { [$0.section, $0.row] } == expected.deletions)
    #expect(diff.insertions.map { [$0.section, $0.row] } == expected.insertions)
    #expect(diff.modifications.map { [$0.section, $0.row] } == expected.modifications)
    let update = ResultsUpdate(
      from: Self.state(expected.old), to: Self.state(expected.new), touched: expected.touched,
      hasSections: true)
    #expect((update.encoded == nil) == diff.isEmpty)
  }

  @Test func `an update of sections has pairs, and the keys of new ones`() {
    let update = ResultsUpdate(
      from: Self.state("a1 b2"), to: Self.state("b2 b3 c4", version: 5), touched: [.string("2")],
      hasSections: true)
    #expect(
      update.encoded?.lines
        == [
          #"5 update {"version":5,"sectionsToDelete":[0],"sectionsToInsert":[1],"deletions":[],"#
            + #""insertions":[[0,1],[1,0]],"modifications":[[0,0]],"keys":["c"],"#
            + #""inserted":[{"r":"b3"},{"r":"c4"}],"modified":[{"r":"b2"}]}"#
        ])
  }

  @Test func `rows that are shown are observed`() {
    let object = Observation.Object(objectType: "A", key: ObjectKey(1), image: .null)
    let rows = ["1", "2"].map { id in
      ResultsState.Row(
        id: .string(id), section: .null, json: [], reads: id == "2" ? [Observation.Read(object: object)] : [])
    }
    let state = ResultsState(rows, version: 4, Self.schema)
    #expect(state.observations(of: [0]).isEmpty)
    #expect(state.observations(of: [0, 1]).map(\.version) == [4])
    #expect(state.observations(of: [0, 1]).first?.reads.count == 1)
  }
}
