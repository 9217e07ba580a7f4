import GatehouseModel
import GatehouseQuery
import Testing

@testable import GatehouseStorage

private let schema = """
  [{"name":"A","primaryKey":"id","properties":{"id":"int","n":"int"}},
   {"name":"B","primaryKey":"id","properties":{"id":"int","n":"int"}}]
  """

/// Conditions on objects, without the operations that change them.
@Suite struct ConditionChecksTests {
  private let file: WrittenFile
  private let checks: ConditionChecks

  /// Objects of class A are visible where n is above 0, and writable where it is below 10.
  init() throws {
    file = try WrittenFile(schema)
    checks = ConditionChecks(file.statements, file.parts.base.context)
    let condition = ObjectCondition(
      visible: try Self.predicate("n > 0", file), writable: try Self.predicate("n < 10", file))
    checks.begin(["A": condition, "Unknown": condition])
  }

  private static func predicate(_ filter: String, _ file: WrittenFile) throws -> Predicate {
    let plan = try Plan(
      request: QueryRequest(filter: filter), schema: file.statements.catalog.schema, objectType: "A")
    return plan.predicate
  }

  private func object(_ objectType: String = "A", n: Int) throws -> RowAddress {
    try file.add(objectType, #"{"id":\#(n),"n":\#(n)}"#, id: .int(Int64(n)))
  }

  @Test func `an object is admitted where it is visible and writable, or its class has no condition`() throws
  {
    #expect(throws: Never.self) { try checks.admit(object(n: 5), id: .int(5)) }
    #expect(throws: Never.self) { try checks.admit(object("B", n: 50), id: .int(50)) }
    #expect(throws: StorageError.notPermitted(objectType: "A", id: .int(10))) {
      try checks.admit(object(n: 10), id: .int(10))
    }
    #expect(throws: StorageError.objectNotFound(objectType: "A", id: .int(0))) {
      try checks.admit(object(n: 0), id: .int(0))
    }
    // As of one that is not there.
    #expect(throws: StorageError.versionMismatch(current: nil)) {
      try checks.admit(object(n: -1), id: .int(-1), .exists)
    }
  }

  @Test func `what was changed or created must be writable in the end, unless it is gone or forgotten`()
    throws
  {
    let row = try object(n: 5)
    try checks.admit(row, id: .int(5))
    try file.parts.objects.assign(.value(.int(11)), to: file.property("n", of: "A"), of: row)
    let error = OperationError(operation: 0, reason: .notPermitted(objectType: "A", id: .int(5)))
    #expect(throws: error) { try checks.approve() }
    // Asked once.
    #expect(throws: Never.self) { try checks.approve() }
    checks.didCreate(row)
    checks.forgetTouched()
    #expect(throws: Never.self) { try checks.approve() }
    checks.didCreate(row)
    try file.parts.objects.delete(row)
    #expect(throws: Never.self) { try checks.approve() }
  }

  @Test(
    arguments: [
      (GatehouseStorage.Operation.Precondition.none, nil, true), (.none, 1, true), (.exists, 1, true),
      (.exists, nil, false),
      (.absent, nil, true), (.absent, 1, false), (.version([1, 2]), 2, true), (.version([1, 2]), 3, false),
      (.version([1]), nil, false),
    ] as [(GatehouseStorage.Operation.Precondition, Int64?, Bool)])
  func `a precondition holds for a version, or for none`(
    precondition: GatehouseStorage.Operation.Precondition, version: Int64?, holds: Bool
  ) {
    if holds {
      #expect(throws: Never.self) { try precondition.check(version) }
    } else {
      #expect(throws: StorageError.versionMismatch(current: version)) { try precondition.check(version) }
    }
  }
}
