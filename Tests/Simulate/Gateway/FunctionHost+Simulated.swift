import GatehouseBSON
import GatehouseFunctions
import GatehouseModel
import GatehouseStorage

extension FunctionHost {
  /// Functions of the program itself, which take BSON and write to the store.
  static func simulated(on store: Store) -> FunctionHost {
    let host = FunctionHost()
    // Makes an object of a document; the result is the version.
    host.register("insert", parameters: ["object"]) { call in
      let type = try itemType(of: store)
      let draft = try type.draft(from: try argument(0, of: call), in: store.schema, mode: .create)
      return try await commit(.create(objectType: "Item", draft: draft, policy: .error), to: store)
    }
    // Changes an object; the result is the version.
    host.register("update", parameters: ["id", "values"]) { call in
      let type = try itemType(of: store)
      let id = try type.identifier(from: try argument(0, of: call), in: store.schema)
      let patch = try type.patch(from: try argument(1, of: call), in: store.schema)
      return try await commit(
        .update(objectType: "Item", id: id, patch: patch, precondition: .exists), to: store)
    }
    host.register("echo", parameters: ["value"]) { call in try argument(0, of: call) }
    return host
  }

  private static func itemType(of store: Store) throws -> ObjectType {
    guard let type = store.schema["Item"] else { throw FunctionError.thrown(message: "there is no class") }
    return type
  }

  private static func argument(_ index: Int, of call: Invocation) throws -> Value {
    guard index < call.arguments.count else { throw FunctionError.thrown(message: "an argument is missing") }
    return call.arguments[index]
  }

  private static func commit(_ operation: GatehouseStorage.Operation, to store: Store) async throws -> Value {
    do throws(OperationError) {
      return .int64(try await store.perform(Transaction([operation])).version)
    } catch {
      // Writes that have certainly not been done are told apart from those that may have been.
      switch error.reason {
      case .objectExists, .objectNotFound, .invalid: throw FunctionError.thrown(message: "refused")
      default: throw FunctionError.thrown(message: "unclear: \(error.reason)")
      }
    }
  }
}
