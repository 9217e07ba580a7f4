import GatehouseHTTP
import GatehouseTestSupport
import Testing

@testable import GatehouseAPI

/// Functions of an app whose classes are in groups.
@Suite(.enabled(if: Machine.program("node") != nil, "Node is not installed")) struct GroupFunctionTests {
  @Test(arguments: [
    (
      """
      const orders = client.db("d").collection("Order");
      await orders.insertOne({_id: 1, n: 2});
      await cities.insertOne({_id: 7});
      return [await orders.count(), await cities.count(), (await orders.findOne({_id: 1})).n];
      """, "[1,1,2]"
    ),
    (
      """
      const orders = client.db("d").collection("Order");
      session.startTransaction();
      await orders.insertOne({_id: 1}, {session});
      await orders.insertOne({_id: 2}, {session});
      const outside = await orders.count();
      await session.commitTransaction();
      return [outside, await orders.count()];
      """, "[0,2]"
    ),
    (
      """
      const orders = client.db("d").collection("Order");
      session.startTransaction();
      await orders.insertOne({_id: 1}, {session});
      const error = await cities.insertOne({_id: 1}, {session}).catch(error => error);
      await session.abortTransaction();
      return [error.codeName, await orders.count(), await cities.count()];
      """, #"["OperationNotSupportedInTransaction",0,0]"#
    ),
  ])
  func `functions work on the classes of all groups, and commit those of one`(
    code: String, result: String
  ) async throws {
    try await FunctionDataSourceTests.withFunction(code) { functions in
      try await GroupedFixture.with(functions: functions) { fixture, _ in
        let answer = try await fixture.send(.post, "/v1/functions/f", json: "[]")
        #expect(answer.text == result, "\(answer.text)")
      }
    }
  }
}
