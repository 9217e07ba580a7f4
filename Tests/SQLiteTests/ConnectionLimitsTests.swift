import GatehouseSQLite
import Testing

@Suite struct ConnectionLimitsTests {
  /// Takes some hundred thousand instructions of SQLite's machine.
  private static let long =
    "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) SELECT count(*) FROM n"
  private static let interrupted = DatabaseError(code: 9, message: "interrupted")

  private func connection(_ change: (inout ConnectionLimits) -> Void) throws -> Connection {
    let connection = try Connection(path: ":memory:", mode: .readWrite)
    change(&connection.limits)
    connection.obeyLimits()
    return connection
  }

  @Test func `a statement that has waited beyond its time is stopped at the first check`() throws {
    let connection = try connection {
      $0.time = 1_000_000_000
      $0.waited = 2_000_000_000
    }
    let statement = try connection.prepare(Self.long)
    #expect(throws: Self.interrupted) { try statement.step() }
    #expect(connection.limits.reason == .time)
  }

  @Test func `a statement stops when its work is used up, and the next one has the rest`() throws {
    let connection = try connection { $0.work = 3 }
    let statement = try connection.prepare(Self.long)
    #expect(throws: Self.interrupted) { try statement.step() }
    #expect(connection.limits.reason == .work)
    #expect(connection.limits.work == 0)
    connection.limits.work = nil
    #expect(try statement.step())
    #expect(statement.int64(at: 0) == 50_000)
    #expect(connection.limits.reason == nil)
  }

  @Test func `an interruption that came before the statement stops it all the same`() throws {
    let interruption = Interruption()
    let connection = try connection { $0.interruption = interruption }
    let statement = try connection.prepare(Self.long)
    #expect(try statement.step())
    statement.reset()
    interruption.request()
    #expect(throws: Self.interrupted) { try statement.step() }
    #expect(connection.limits.reason == .interruption)
  }

  @Test func `a short statement is done whatever the limits are`() throws {
    let connection = try connection { $0.work = 0 }
    let statement = try connection.prepare("SELECT 1")
    #expect(try statement.step())
    #expect(connection.limits.reason == nil)
  }

  @Test func `limits that are not obeyed stop nothing`() throws {
    let connection = try Connection(path: ":memory:", mode: .readWrite)
    connection.limits.work = 0
    #expect(try connection.prepare(Self.long).step())
    #expect(connection.mustStop)
  }
}
