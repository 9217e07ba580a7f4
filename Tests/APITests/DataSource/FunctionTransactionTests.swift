import GatehouseAccess
import GatehouseHTTP
import GatehouseModel
import GatehouseTestSupport
import Testing

@testable import GatehouseAPI
@testable import GatehouseStorage

/// Sessions of `context.services.get("mongodb-atlas")`: commands that are committed together.
@Suite(.enabled(if: Machine.program("node") != nil, "Node is not installed")) struct FunctionTransactionTests
{
  @Test(arguments: [
    // Writes are seen inside at once, and outside when they are committed.
    (
      """
      const names = async options => (await cities.find({}, {name: 1}, options).sort({_id: 1}).toArray()).map(city => city.name);
      const inside = await session.withTransaction(async () => {
        await cities.updateOne({_id: 1}, {$inc: {population: 1}}, {session});
        await cities.updateOne({_id: 1}, {$inc: {population: 1}, $set: {name: "Edo"}}, {session});
        await cities.insertOne({_id: 9, name: "Bonn", country: "DE"}, {session});
        await cities.deleteOne({_id: 4}, {session});
        return [await names({session}), await names({}), (await cities.findOne({name: "Edo"}, {}, {session})).population];
      });
      return [...inside, await names({}), (await cities.findOne({_id: 1})).population];
      """,
      #"[["Edo","Berlin","Paris","Bonn"],["Tokyo","Berlin","Paris","Osaka"],8336601,["Edo","Berlin","Paris","Bonn"],8336601]"#
    ),
    // Every command that reads looks at the same documents.
    (
      """
      session.startTransaction();
      await cities.updateMany({country: "JP"}, {$set: {country: "FR"}}, {session});
      await cities.replaceOne({_id: 2}, {name: "Bonn"}, {session});
      const found = [
        await cities.count({country: "FR"}, {session}), (await cities.distinct("country", {}, {session})).sort(),
        await cities.aggregate([{$group: {_id: "$country", n: {$sum: 1}}}, {$sort: {_id: 1}}], {session}).toArray(),
        await cities.aggregate([{$match: {_id: 2}}, {$lookup: {from: "City", localField: "_id", foreignField: "_id", as: "same"}},
          {$project: {_id: 0, names: "$same.name"}}], {session}).toArray(),
        (await cities.findOneAndDelete({country: "FR"}, {sort: {_id: -1}, session})).name,
        await cities.count({}, {session}), await cities.deleteMany({country: "FR"}, {session}), await cities.count({}, {session}),
      ];
      await session.abortTransaction();
      return [...found, await cities.count({country: "JP"})];
      """,
      #"[3,["FR",null],[{"_id":null,"n":1},{"_id":"FR","n":3}],[{"names":["Bonn"]}],"Osaka",3,{"deletedCount":2},1,2]"#
    ),
    // It sees the store as it was at its first command.
    (
      """
      session.startTransaction();
      const before = await cities.count({}, {session});
      await cities.deleteOne({_id: 1});
      const after = [before, await cities.count({}, {session}), await cities.count()];
      await session.commitTransaction();
      return [...after, await cities.count({}, {session})];
      """,
      "[4,4,3,3]"
    ),
    // Documents that others have changed meanwhile cannot be changed, and all of it is tried again.
    (
      """
      let attempts = 0;
      const name = await session.withTransaction(async () => {
        const {population} = await cities.findOne({_id: 1}, {}, {session});
        if (++attempts < 3) await cities.updateOne({_id: 1}, {$inc: {population: 1}});
        await cities.updateOne({_id: 1}, {$set: {population: population + 10}}, {session});
        return "done";
      });
      return [attempts, name, (await cities.findOne({_id: 1})).population];
      """,
      #"[3,"done",8336611]"#
    ),
    (
      """
      session.startTransaction();
      await cities.updateOne({_id: 1}, {$set: {name: "Edo"}}, {session});
      await cities.updateOne({_id: 1}, {$set: {name: "Kyoto"}});
      const error = await session.commitTransaction().catch(error => error);
      return [error.codeName, error.hasErrorLabel("TransientTransactionError"), (await cities.findOne({_id: 1})).name];
      """,
      #"["WriteConflict",true,"Kyoto"]"#
    ),
    // An identifier that somebody else has taken meanwhile is a conflict; one that was taken before is an error for good.
    (
      """
      session.startTransaction();
      await cities.count({}, {session});
      await cities.insertOne({_id: 9, name: "Bonn"});
      const conflict = await cities.insertOne({_id: 9, name: "Bonn"}, {session}).catch(error => error);
      await session.abortTransaction();
      const attempts = [];
      const error = await session.withTransaction(async () => {
        attempts.push(1);
        await cities.insertOne({_id: 9, name: "Bonn"}, {session});
      }).catch(error => error);
      return [conflict.codeName, attempts.length, error.message];
      """,
      #"["WriteConflict",1,"Duplicate key error: E11000 duplicate key error collection: d.City"]"#
    ),
    // So is one that a command itself has twice.
    (
      """
      let attempts = 0;
      const error = await session.withTransaction(async () => {
        if (++attempts > 2) throw new Error("tried again");
        await cities.insertMany([{_id: 9, name: "a"}, {_id: 10, name: "b"}, {_id: 9, name: "c"}], {session});
      }).catch(error => error);
      return [attempts, error.message, error.errorLabels, await cities.count()];
      """,
      #"[1,"Duplicate key error: E11000 duplicate key error collection: d.City",[],4]"#
    ),
    // Or that a document has which an upsert does not find, for its other fields.
    (
      """
      const attempts = [];
      const changes = [
        () => cities.updateOne({_id: 1, name: "Edo"}, {$set: {population: 1}}, {upsert: true, session}),
        () => cities.replaceOne({_id: 1, name: "Edo"}, {name: "Kyoto"}, {upsert: true, session}),
        () => cities.findOneAndUpdate({_id: 1, name: "Edo"}, {$set: {population: 1}}, {upsert: true, session}),
      ];
      const messages = [];
      for (const change of changes) {
        let count = 0;
        const error = await session.withTransaction(async () => {
          if (++count > 2) throw new Error("tried again");
          await change();
        }).catch(error => error);
        messages.push(count, error.message.slice(0, 19));
      }
      return messages;
      """,
      #"[1,"Duplicate key error",1,"Duplicate key error",1,"Duplicate key error"]"#
    ),
    // An error that is caught comes again when the transaction is committed, and once.
    (
      """
      const duplicate = async () => { await cities.insertOne({_id: 1, name: "x"}, {session}).catch(() => {}); };
      const seen = [];
      for (const next of [async () => {}, () => cities.count({}, {session}), async () => { throw new Error("mine"); }]) {
        let attempts = 0;
        const error = await session.withTransaction(async () => {
          if (++attempts > 2) throw new Error("tried again");
          await duplicate();
          await next();
        }).catch(error => error);
        seen.push(attempts, error.message.slice(0, 19), error.hasErrorLabel?.("TransientTransactionError") ?? false);
      }
      session.startTransaction();
      await duplicate();
      const later = await cities.count({}, {session}).catch(error => error);
      const committed = await session.commitTransaction().catch(error => error);
      const afterwards = await session.commitTransaction().catch(error => error);
      return [...seen, later.codeName, later.errorLabels, committed === later.cause, afterwards.message, await cities.count()];
      """,
      #"[1,"Duplicate key error",false,1,"Duplicate key error",false,1,"mine",false,"NoSuchTransaction",[],true,"No transaction started",4]"#
    ),
    // So does one that never came to the gateway, and a conflict that is caught has all of it done again.
    (
      """
      const attempts = [0, 0];
      const error = await session.withTransaction(async () => {
        if (++attempts[0] > 2) throw new Error("tried again");
        await cities.count({name: Promise.resolve("x")}, {session}).catch(() => {});
      }).catch(error => error);
      await session.withTransaction(async () => {
        await cities.count({}, {session});
        if (++attempts[1] < 3) await cities.updateOne({_id: 1}, {$inc: {population: 1}});
        await cities.updateOne({_id: 1}, {$set: {name: "Edo"}}, {session}).catch(() => {});
        await cities.count({}, {session}).catch(() => {});
      });
      return [attempts, error instanceof Error, (await cities.findOne({_id: 1})).name];
      """,
      #"[[1,3],true,"Edo"]"#
    ),
    // An error ends it, on both sides.
    (
      """
      const error = await session.withTransaction(async () => {
        await cities.deleteOne({_id: 1}, {session});
        throw new Error("no");
      }).catch(error => error.message);
      session.startTransaction();
      await cities.deleteOne({_id: 1}, {session});
      await cities.updateOne({_id: 2}, {$set: {name: 5}}, {session}).catch(() => {});
      const second = await cities.count({}, {session}).catch(error => error.codeName);
      await session.abortTransaction();
      await session.abortTransaction();
      return [error, second, await cities.count()];
      """,
      #"["no","NoSuchTransaction",4]"#
    ),
    // An identifier that is made stays what it is.
    (
      """
      const devices = client.db("d").collection("Device");
      const [id, inside] = await session.withTransaction(async () => {
        const {insertedId} = await devices.insertOne({}, {session});
        return [insertedId, await devices.count({_id: insertedId}, {session})];
      });
      return [inside, await devices.count({_id: id})];
      """,
      "[1,1]"
    ),
    (
      """
      session.startTransaction();
      const notes = client.db("d").collection("Note");
      return notes.insertOne({text: "a"}, {session}).catch(error => error.codeName);
      """,
      #""OperationNotSupportedInTransaction""#
    ),
    // Bounds.
    (
      """
      session.startTransaction();
      const many = Array.from({length: 1001}, (_, index) => ({_id: 100 + index, name: "x"}));
      const error = await cities.insertMany(many, {session}).catch(error => error.codeName);
      return [error, await cities.count()];
      """,
      #"["TransactionTooLarge",4]"#
    ),
    (
      """
      const errors = [];
      for (let index = 0; index < 5; index++) {
        const session = client.startSession();
        session.startTransaction();
        await cities.count({}, {session}).catch(error => { errors.push(error.codeName); });
      }
      return errors;
      """,
      #"["TooManyTransactions"]"#
    ),
    // The states of a session.
    (
      """
      const errors = [];
      const note = error => { errors.push(error.message); };
      await session.commitTransaction().catch(note);
      await session.abortTransaction().catch(note);
      session.startTransaction();
      try { session.startTransaction(); } catch (error) { note(error); }
      await session.commitTransaction();
      await session.commitTransaction();
      await session.endSession();
      await cities.count({}, {session}).catch(note);
      return [errors, session.hasEnded, session.inTransaction()];
      """,
      #"[["No transaction started","No transaction started","Transaction already in progress","The session has ended."],true,false]"#
    ),
  ])
  func `commands of a session are committed together`(body: String, result: String) async throws {
    try await FunctionDataSourceTests.result(of: body) { _, answer in
      #expect((answer.status, answer.text) == (200, result))
    }
  }

  @Test func `what a call leaves open is rolled back with it`() async throws {
    let body = """
      session.startTransaction();
      await cities.deleteMany({}, {session});
      if (await cities.count({}, {session}) === 0) throw new Error("gone");
      """
    try await FunctionDataSourceTests.result(of: body) { fixture, answer in
      #expect(answer.text.contains("gone"))
      let cities = try await fixture.send(.get, "/v1/collections/City?fields=_id")
      #expect(cities.text == #"[{"_id":1},{"_id":2},{"_id":3},{"_id":4}]"#)
    }
  }

  @Test func `transfers by many callers lose nothing`() async throws {
    let body = """
      await session.withTransaction(async () => {
        const from = await cities.findOne({_id: 1}, {}, {session});
        const to = await cities.findOne({_id: 2}, {}, {session});
        await cities.updateOne({_id: 1}, {$set: {population: from.population - 1}}, {session});
        await cities.updateOne({_id: 2}, {$set: {population: to.population + 1}}, {session});
      });
      """
    try await FunctionDataSourceTests.result(of: body) { fixture, _ in
      let statuses = try await withThrowingTaskGroup { group in
        for _ in 0..<15 {
          group.addTask { try await fixture.send(.post, "/v1/functions/f", json: "[]").status }
        }
        return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
      }
      #expect(statuses == [200])
      let cities = try await fixture.send(.get, "/v1/collections/City?fields=population&limit=2")
      #expect(cities.text == #"[{"population":8336583},{"population":3426370}]"#)
    }
  }

  @Test func `no request of a client is a part of a transaction`() async throws {
    try await Fixture.with { fixture in
      let answer = try await fixture.send(
        .post, DataAPITests.target("commitTransaction"), json: DataAPITests.content("City", #""filter":{}"#))
      #expect(answer.status == 404 && answer.text.contains("command not found"), "\(answer.text)")
    }
  }
}

/// Transactions of functions that ask for several things at once, as programs may.
struct ConcurrentFunctionTransactionTests {
  private let transaction = FunctionTransaction(of: Principal(.anyone, role: .writer))
  private let operation = GatehouseStorage.Operation.delete(
    objectType: "City", id: .int(1), precondition: .none)

  private func commit(_ operations: [GatehouseStorage.Operation]) -> Commit {
    let result = Commit.Result(effect: .deleted, id: .int(1), count: 1, objectVersion: 1, object: nil)
    return Commit(version: 1, results: operations.map { _ in result })
  }

  @Test func `of two commands that are performed at once, one is refused, and none is lost`() async throws {
    await #expect(throws: FunctionTransactionError.noTransaction) {
      _ = try await transaction.add([operation, operation]) { operations in
        _ = try await transaction.add([operation]) { commit($0) }
        return commit(operations)
      }
    }
    #expect(try transaction.close().count == 1)
  }

  @Test func `a command that is performed while the transaction is committed is refused`() async throws {
    await #expect(throws: FunctionTransactionError.noTransaction) {
      _ = try await transaction.add([operation]) { operations in
        let closed = try transaction.close()
        #expect(closed.isEmpty)
        return commit(operations)
      }
    }
  }
}
