import FoundationEssentials
import GatehouseBSON
import GatehouseFunctions
import GatehouseHTTP
import GatehouseTestSupport
import Testing

@testable import GatehouseAPI

private let hasNode = Machine.program("node") != nil

/// `context.services.get("mongodb-atlas")` in functions.
@Suite(.enabled(if: hasNode, "Node is not installed")) struct FunctionDataSourceTests {
  /// Runs a function of that source over the cities of the fixture.
  static func result(of body: String, _ test: (Fixture, Answer) async throws -> Void) async throws {
    try await withFunction(body) { functions in
      try await Fixture.with(functions: functions) { fixture in
        try await fixture.populate()
        try await test(fixture, try await fixture.send(.post, "/v1/functions/f", json: "[]"))
      }
    }
  }

  /// Runs a test with a function of that source, `f`.
  static func withFunction(_ body: String, _ test: (FunctionHost) async throws -> Void) async throws {
    let folder = "\(Machine.scratch)/functions-\(FoundationEssentials.UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let source = """
      exports = async () => {
        const client = context.services.get("mongodb-atlas");
        const session = client.startSession();
        const cities = context.services.get("mongodb-atlas").db("d").collection("City");
        \(body)
      };
      """
    try source.write(toFile: "\(folder)/f.js", atomically: false, encoding: .utf8)
    var configuration = FunctionConfiguration()
    configuration.directory = folder
    try await test(FunctionHost(configuration))
  }

  @Test(
    arguments: [
      ("return cities.findOne({_id: 2}, {name: 1});", #"{"_id":2,"name":"Berlin"}"#),
      ("return cities.findOne({_id: 99});", "null"),
      (
        "return cities.find({country: 'JP'}, {name: 1, _id: 0}).sort({name: 1}).toArray();",
        #"[{"name":"Osaka"},{"name":"Tokyo"}]"#
      ),
      (
        "return cities.find().sort({_id: -1}).skip(1).limit(2).map(city => city.name).toArray();",
        #"["Paris","Berlin"]"#
      ),
      (
        "const cursor = cities.find().sort({_id: 1}).limit(1); return [await cursor.hasNext(), (await cursor.next()).name, await cursor.hasNext(), await cursor.next()];",
        #"[true,"Tokyo",false,null]"#
      ),
      (
        "const names = []; await cities.find({_id: {$lt: 3}}).forEach(city => { names.push(city.name); }); return names;",
        #"["Tokyo","Berlin"]"#
      ),
      (
        "const names = []; for await (const city of cities.find({_id: {$gte: 3}})) names.push(city.name); return names;",
        #"["Paris","Osaka"]"#
      ),
      ("return cities.count({name: /o$/});", "1"), ("return cities.countDocuments();", "4"),
      ("return cities.distinct('country');", #"["JP","DE","FR"]"#),
      ("return cities.aggregate([{$group: {_id: null, n: {$sum: 1}}}]).toArray();", #"[{"_id":null,"n":4}]"#),
      (
        "return cities.aggregate([{$match: {_id: 1}}, {$project: {name: 1}}]).next();",
        #"{"_id":1,"name":"Tokyo"}"#
      ),
      (
        "return cities.insertOne({_id: 9, name: 'Bonn', location: {latitude: 50.5, longitude: 7}});",
        #"{"insertedId":9}"#
      ),
      ("return cities.insertMany([{_id: 8, name: 'a'}, {_id: 9, name: 'b'}]);", #"{"insertedIds":[8,9]}"#),
      (
        "return cities.updateOne({_id: 1}, {$inc: {population: 1}});",
        #"{"matchedCount":1,"modifiedCount":1}"#
      ),
      (
        "return cities.updateMany({}, {$set: {name: 'x'}}, {upsert: true});",
        #"{"matchedCount":4,"modifiedCount":4}"#
      ),
      (
        "return cities.updateOne({_id: 9}, {$set: {name: 'x'}}, {upsert: true});",
        #"{"matchedCount":0,"modifiedCount":0,"upsertedId":9}"#
      ),
      ("return cities.replaceOne({_id: 1}, {name: 'Edo'});", #"{"matchedCount":1,"modifiedCount":1}"#),
      ("return cities.deleteOne({_id: 1});", #"{"deletedCount":1}"#),
      ("return cities.deleteMany({});", #"{"deletedCount":4}"#),
      (
        """
        const commands = [
          () => cities.deleteMany(), () => cities.deleteOne(undefined), () => cities.findOneAndDelete(),
          () => cities.updateMany(undefined, {$set: {name: 'x'}}), () => cities.bulkWrite([{deleteMany: {}}]),
        ];
        const codes = [];
        for (const command of commands) await command().catch(error => codes.push(error.code));
        return [codes, await cities.count({name: {$ne: 'x'}})];
        """,
        #"[["MissingParameter","MissingParameter","MissingParameter","MissingParameter","MissingParameter"],4]"#
      ),
      (
        """
        const filter = {country: undefined};
        const commands = [
          () => cities.deleteMany(filter), () => cities.find(filter).toArray(), () => cities.findOne({_id: {$gt: undefined}}),
          () => cities.updateMany(filter, {$set: {name: 'x'}}), () => cities.deleteMany({country: {$in: [undefined]}}),
          () => cities.aggregate([{$match: filter}]).toArray(), () => cities.count({$and: [filter]}),
          () => cities.deleteMany(new Map([['country', undefined]])), () => cities.deleteMany({country: {$ne: undefined}}),
        ];
        const texts = new Set();
        for (const command of commands) await command().catch(error => texts.add(`${error.code} ${error.message}`));
        const isFunctionTold = await cities.deleteMany({country: () => 'JP'}).then(() => false, () => true);
        return [[...texts], isFunctionTold, await cities.count({name: {$ne: 'x'}})];
        """,
        #"[["2 (BadValue) cannot compare to undefined","2 (BadValue) InMatchExpression equality cannot be undefined"],true,4]"#
      ),
      (
        """
        await cities.insertOne({_id: 9, name: 'x', location: undefined, describe() {}});
        await cities.updateOne({_id: 1}, {$set: {location: undefined}});
        const code = await cities.insertOne({_id: 10, name: 'x', population: undefined}).catch(error => error.code);
        return [code, await cities.count({location: null}), (await cities.findOne({_id: 1})).location];
        """,
        #"["SchemaValidationFailedWrite",5,null]"#
      ),
      (
        "return cities.findOneAndUpdate({_id: 1}, {$set: {name: 'Edo'}}, {projection: {name: 1}, returnNewDocument: true});",
        #"{"_id":1,"name":"Edo"}"#
      ),
      (
        "return cities.findOneAndReplace({_id: 1}, {name: 'Edo'}, {projection: {name: 1}});",
        #"{"_id":1,"name":"Tokyo"}"#
      ),
      (
        "return cities.findOneAndDelete({}, {sort: {_id: -1}, projection: {name: 1}});",
        #"{"_id":4,"name":"Osaka"}"#
      ),
      (
        "return cities.bulkWrite([{insertOne: {document: {_id: 9, name: 'a'}}}, {deleteOne: {filter: {_id: 1}}}, {updateOne: {filter: {_id: 8}, update: {$set: {name: 'b'}}, upsert: true}}]);",
        #"{"insertedCount":1,"matchedCount":0,"modifiedCount":0,"deletedCount":1,"upsertedCount":1,"insertedIds":{"0":9},"upsertedIds":{"2":8}}"#
      ),
      (
        "return cities.insertOne({_id: 1, name: 'x'}).catch(error => [error.name, error.code, error.codeName, error.message]);",
        #"["MongoServerError",11000,"DuplicateKey","Duplicate key error: E11000 duplicate key error collection: d.City"]"#
      ),
      (
        "return context.services.get('x').db('d').collection('City').findOne().catch(error => error.message);",
        #""service not found: 'x'""#
      ),
      ("return cities.findOne({}, {}, {session: {}}).catch(error => error.code);", #""InvalidParameter""#),
      (
        "return cities.find({_id: {$lt: 3}}, {name: 1}).sort({_id: 1});",
        #"[{"_id":1,"name":"Tokyo"},{"_id":2,"name":"Berlin"}]"#
      ),
      ("return cities.aggregate([{$count: 'n'}]);", #"[{"n":4}]"#),
      ("return cities.find({$no: 1});", nil),
      (
        """
        const sesion = session, collation = {locale: 'en'};
        const commands = [
          () => cities.insertOne({_id: 9, name: 'x'}, {sesion}), () => cities.insertMany([{_id: 9, name: 'x'}], {sesion}),
          () => cities.updateOne({_id: 1}, {$set: {name: 'x'}}, {sesion}), () => cities.replaceOne({_id: 1}, {name: 'x'}, {sesion}),
          () => cities.updateMany({}, {$set: {name: 'x'}}, {collation}), () => cities.deleteOne({_id: 1}, {sesion}),
          () => cities.deleteMany({}, {collation}), () => cities.bulkWrite([{deleteMany: {filter: {}}}], {sesion}),
          () => cities.findOneAndUpdate({_id: 1}, {$set: {name: 'x'}}, {returnOriginal: false}),
          () => cities.findOneAndReplace({_id: 1}, {name: 'x'}, {arrayFilters: []}),
          () => cities.findOneAndDelete({_id: 1}, {upsert: true}), async () => cities.find({}, {}, {sesion}),
          () => cities.findOne({}, {}, {limit: 1}), async () => cities.aggregate([], {collation}), () => cities.count({}, {sesion}),
          () => cities.distinct('name', {}, {sesion}),
        ];
        const names = [];
        for (const command of commands) await command().then(() => names.push('none'), error => names.push(error.message.split("unknown option ").join("").slice(1, -1)));
        return [names.join(' '), await cities.count({name: {$ne: 'x'}})];
        """,
        #"["sesion sesion sesion sesion collation sesion collation sesion returnOriginal arrayFilters upsert sesion limit collation sesion sesion",4]"#
      ),
      (
        """
        return Promise.all([
          cities.findOne({_id: 1}, {session}).catch(error => error.message), cities.insertOne({_id: 9, name: 'x'}, 5).catch(error => error.message),
          cities.count({}, {comment: 'x', maxTimeMS: 5}), cities.count({}, null),
        ]);
        """,
        #"["session belongs into the options, behind the projection.","options is not a document.",4,4]"#
      ),
      (
        """
        const set = name => ({$set: {name}}), projection = {name: 1, _id: 0};
        return [
          await cities.findOneAndUpdate({_id: 1}, set('a'), {projection, returnDocument: 'after'}),
          await cities.findOneAndUpdate({_id: 1}, set('b'), {projection, returnDocument: 'before'}),
          await cities.findOneAndReplace({_id: 1}, {name: 'c'}, {projection, returnDocument: 'after'}),
          await cities.findOneAndUpdate({_id: 1}, set('d'), {returnDocument: true}).catch(error => error.message),
          await cities.count({name: 'c'}),
        ];
        """,
        #"[{"name":"a"},{"name":"a"},{"name":"c"},"returnDocument is 'after' or 'before'.",1]"#
      ),
      (
        """
        const operations = [
          {insertOne: {document: {_id: 1, name: 'a'}}}, {insertOne: {document: {_id: 9, name: 'b'}}}, {deleteOne: {filter: {$no: 1}}},
          {deleteOne: {filter: {_id: 2}}},
        ];
        const outcome = error => [error.name, error.writeErrors.map(failure => failure.index), error.result.insertedCount, error.result.deletedCount];
        const unknown = [{deleteOne: {filter: {_id: 3}}}, {find: {filter: {}}}];
        return [
          await cities.bulkWrite(operations).catch(outcome), await cities.count(),
          await cities.bulkWrite(operations, {ordered: false}).catch(outcome), await cities.count(),
          await cities.bulkWrite(operations.slice(0, 1), {ordered: false}).catch(error => error.message),
          await cities.bulkWrite(unknown).catch(error => error.message), await cities.count(),
        ];
        """,
        #"[["MongoServerError",[0],0,0],4,["MongoServerError",[0,2],1,1],4,"Duplicate key error: E11000 duplicate key error collection: d.City (1 of 1 operations failed)","unknown operation of bulkWrite: 'find'",4]"#
      ),
      (
        """
        const documents = [{_id: 8, name: 'a'}, {_id: 1, name: 'b'}, {_id: 9, name: 'c'}];
        const outcome = error => [error.code, error.writeErrors?.map(failure => failure.index), error.result?.insertedCount];
        session.startTransaction();
        await cities.insertOne({_id: 7, name: 'before'}, {session});
        const inTransaction = await cities.insertMany(documents, {session, ordered: false}).catch(outcome);
        await session.abortTransaction();
        return [
          inTransaction, await cities.insertMany(documents).catch(outcome), await cities.count(),
          await cities.insertMany(documents, {ordered: false}).catch(outcome), await cities.count(),
          await cities.insertMany([{_id: 10, name: 'd'}], {ordered: false}), await cities.insertMany([], {ordered: false}).catch(error => error.code),
        ];
        """,
        #"[[11000,[1],0],[11000,[1],1],5,[11000,[0,1],1],6,{"insertedIds":[10]},"InvalidParameter"]"#
      ),
      (
        """
        const documents = [{_id: 8, name: 'a'}, {_id: 9, name: 'b'}, {_id: 10}, {_id: 1, name: 'c'}, {_id: 11, name: 'd'}];
        const told = error => [error.message, error.writeErrors.map(({index, code}) => [index, code]), error.result];
        const ordered = await cities.insertMany(documents).catch(told);
        const others = await cities.insertMany(documents.slice(2), {ordered: false}).catch(told);
        return [ordered[0] + ' (2 of 3 operations failed)' === others[0], ordered.slice(1), others.slice(1), await cities.distinct('_id')];
        """,
        #"[true,[[[2,"SchemaValidationFailedWrite"]],{"insertedCount":2,"insertedIds":{"0":8,"1":9}}],"#
          + #"[[[0,"SchemaValidationFailedWrite"],[1,11000]],{"insertedCount":1,"insertedIds":{"2":11}}],"#
          + "[1,2,3,4,8,9,11]]"
      ),
      // As the MongoBulkWriteError of MongoDB's drivers, the error has the members of its result.
      (
        """
        const told = ({insertedIds, insertedCount, deletedCount, result}) =>
          [insertedIds, insertedCount, deletedCount, result.insertedCount];
        return [
          await cities.insertMany([{_id: 8, name: 'a'}, {_id: 1, name: 'b'}]).catch(told),
          await cities.insertMany([{_id: 1, name: 'b'}]).catch(told),
          await cities.bulkWrite([{insertOne: {document: {_id: 9, name: 'a'}}}, {insertOne: {document: {_id: 1, name: 'a'}}}]).catch(told),
        ];
        """,
        #"[[{"0":8},1,null,1],[{},0,null,0],[{"0":9},1,0,1]]"#
      ),
      (
        """
        const cursor = cities.find({_id: {$lt: 3}}, {name: 1}).map(city => city.name);
        await cursor.next();
        return {rest: cursor, all: [{all: cities.aggregate([{$count: 'n'}])}], none: cities.find({_id: 9})};
        """,
        #"{"rest":["Berlin"],"all":[{"all":[{"n":4}]}],"none":[]}"#
      ),
      ("return new Map([['a', cities.find({_id: 1}, {name: 1})]]);", #"{"a":[{"_id":1,"name":"Tokyo"}]}"#),
      ("return {a: cities.find({$no: 1})};", nil), ("return [cities.find({$no: 1})];", nil),
      (
        "return cities.insertOne({_id: 9, name: 'x', tags: cities.find()}).catch(error => [error.message, error.rule]);",
        #"["A cursor is no value; await its toArray()","notSerialisable"]"#
      ),
    ] as [(String, String?)])
  func `a function reads and writes documents`(body: String, result: String?) async throws {
    try await Self.result(of: body) { _, answer in
      guard let result else {
        #expect(
          answer.status >= 400 && answer.text.contains("unknown top level operator: $no"), "\(answer.text)")
        return
      }
      #expect((answer.status, answer.text) == (200, result))
    }
  }

  @Test func `increments of functions add up`() async throws {
    try await Self.result(of: "return cities.updateOne({_id: 1}, {$inc: {population: 1}});") { fixture, _ in
      try await withThrowingTaskGroup { group in
        for _ in 0..<15 {
          group.addTask { _ = try await fixture.send(.post, "/v1/functions/f", json: "[]") }
        }
        try await group.waitForAll()
      }
      let city = try await fixture.send(.get, "/v1/collections/City/1?fields=population")
      #expect(city.text == #"{"population":8336615}"#)
    }
  }
}
