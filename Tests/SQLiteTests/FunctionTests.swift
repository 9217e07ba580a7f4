import GatehouseSQLite
import Testing

@Suite struct FunctionTests {
  /// Returns the storage class and the text of what a function of ours answers to `1`.
  private func answer(_ body: @escaping (Answer) -> Void) throws -> (Statement.StorageClass, String) {
    let connection = try Connection(path: ":memory:", mode: .readWrite)
    try connection.createFunction("ours", argumentCount: 1) { _, answer in body(answer) }
    let statement = try connection.prepare("SELECT ours(1)")
    #expect(try statement.step())
    return (statement.storageClass(at: 0), statement.string(at: 0))
  }

  @Test func `each kind of answer has its storage class`() throws {
    #expect(try answer { _ in } == (.null, ""))
    #expect(try answer { $0.null() } == (.null, ""))
    #expect(try answer { $0.bool(true) } == (.integer, "1"))
    #expect(try answer { $0.int64(.min) } == (.integer, "-9223372036854775808"))
    #expect(try answer { $0.double(2.5) } == (.real, "2.5"))
    #expect(try answer { $0.double(.nan) } == (.null, ""))
    #expect(try answer { $0.text("") } == (.text, ""))
    #expect(try answer { $0.text("naïve 🙂") } == (.text, "naïve 🙂"))
    #expect(try answer { $0.text("a\0b") } == (.text, "a\0b"))
    #expect(try answer { $0.blob([0x61, 0x62]) } == (.blob, "ab"))
  }

  @Test func `arguments have the storage classes of the call`() throws {
    let connection = try Connection(path: ":memory:", mode: .readWrite)
    try connection.createFunction("classes", argumentCount: -1) { arguments, answer in
      answer.text((0..<arguments.count).map { "\(arguments.storageClass(at: $0))" }.joined(separator: " "))
    }
    try connection.createFunction("sum2", argumentCount: 2) { arguments, answer in
      answer.double(Double(arguments.int64(at: 0)) + arguments.double(at: 1))
    }
    let statement = try connection.prepare("SELECT classes(1, 1.5, 'a', x'00', NULL), sum2(1, 1.5)")
    #expect(try statement.step())
    #expect(statement.string(at: 0) == "integer real text blob null")
    #expect(statement.double(at: 1) == 2.5)
  }

  @Test func `a function stops the statement, by its words or as an interruption does`() throws {
    let connection = try Connection(path: ":memory:", mode: .readWrite)
    try connection.createFunction("fail", argumentCount: 0) { _, answer in answer.error("not today") }
    try connection.createFunction("stop", argumentCount: 0) { _, answer in answer.interrupt() }
    let failing = try connection.prepare("SELECT fail()")
    #expect(throws: DatabaseError(code: 1, message: "not today")) { try failing.step() }
    let stopping = try connection.prepare("SELECT stop()")
    #expect(throws: DatabaseError(code: 9, message: "interrupted")) { try stopping.step() }
  }

  @Test func `a function and a collation go with their connection`() throws {
    final class Held {}
    weak var held: Held?
    var connection: Connection? = try Connection(path: ":memory:", mode: .readWrite)
    do {
      let value = Held()
      held = value
      try connection?.createFunction("ours", argumentCount: 0) { _, _ in _ = value }
      try connection?.createCollation("ours") { _, _ in
        _ = value
        return 0
      }
    }
    #expect(held != nil)
    connection = nil
    #expect(held == nil)
  }
}
