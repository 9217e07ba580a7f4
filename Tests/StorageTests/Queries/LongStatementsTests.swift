import GatehouseSharing
import Testing

@testable import GatehouseStorage

@Suite struct LongStatementsTests {
  private let run = LongStatements.Run(statement: 7, atMost: 20)
  private let caller = Caller(address: 1)

  private func isSkipped(
    _ statements: inout LongStatements, _ run: LongStatements.Run, for caller: Caller
  ) -> Bool {
    statements.skips(run, for: caller)
  }

  @Test func `a statement that is stopped again and again is tried more and more rarely`() {
    var statements = LongStatements()
    var tries: [Int] = []
    for number in 0..<300 where !statements.skips(run, for: caller) {
      tries.append(number)
      statements.addStopped(run, for: caller)
    }
    #expect(tries == [0, 2, 6, 14, 30, 62, 126, 190, 254])
  }

  @Test func `a statement that was brief once is tried at once`() {
    var statements = LongStatements()
    statements.addStopped(run, for: caller)
    #expect(isSkipped(&statements, run, for: caller) == true)
    #expect(isSkipped(&statements, run, for: caller) == false)
    statements.addBrief(run, for: caller)
    #expect(isSkipped(&statements, run, for: caller) == false)
    statements.addStopped(run, for: caller)
    let skips = [statements.skips(run, for: caller), statements.skips(run, for: caller)]
    #expect(skips == [true, false])
  }

  @Test func `a run that is stopped says nothing of other statements, smaller pages and other callers`() {
    var statements = LongStatements()
    statements.addStopped(run, for: caller)
    #expect(isSkipped(&statements, LongStatements.Run(statement: 8, atMost: 20), for: caller) == false)
    #expect(isSkipped(&statements, LongStatements.Run(statement: 7, atMost: 5), for: caller) == false)
    #expect(isSkipped(&statements, run, for: Caller(address: 2)) == false)
    #expect(isSkipped(&statements, run, for: Caller(address: 1, principal: "u")) == false)
  }

  @Test func `statements in any number are forgotten`() {
    var statements = LongStatements()
    for statement in 0...LongStatements.capacity {
      statements.addStopped(LongStatements.Run(statement: statement), for: caller)
    }
    #expect(isSkipped(&statements, LongStatements.Run(statement: 0), for: caller) == false)
    #expect(
      isSkipped(&statements, LongStatements.Run(statement: LongStatements.capacity), for: caller) == true)
  }
}
