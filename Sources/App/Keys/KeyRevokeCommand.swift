import GatehouseAPI
import GatehouseBSON
import GatehouseStorage

/// `gatehouse key revoke`.
struct KeyRevokeCommand: Command {
  static let synopsis = Synopsis(
    "key revoke", summary: "Takes an API key away.", operands: ["ID"], settings: .some(["data"]),
    details: "ID is what “key list” shows. Where a server runs, DELETE /v1/keys/ID does it.")

  let directory: String
  let id: ObjectID

  init(_ arguments: Arguments, settings: Settings) throws {
    directory = settings.data
    guard let id = ObjectID(arguments.operands[0]) else {
      throw CommandError.invalidValue(
        name: "ID", text: arguments.operands[0], expected: "24 hexadecimal digits, as “key list” shows them")
    }
    self.id = id
  }

  func run() async throws {
    let isDone = try await Store.with(directory) { store in
      try await AccessControl(store).revokeKey(id)
    }
    guard isDone else { throw CommandError.unknownKey(id.description) }
  }
}
