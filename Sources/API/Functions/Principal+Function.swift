import GatehouseAccess
import GatehouseBSON

extension Principal {
  /// The user whom rules of functions ask about; nil: the gateway itself, for which there are none.
  var functionUser: Document? {
    if case .user = kind { return values?.document ?? ["id": .string(id)] }
    if role.isAdministrator { return nil }
    // A member `id` would be one that rules find.
    return kind == .anyone
      ? ["type": .string("anyone")] : ["id": .string(id), "type": .string("server")]
  }
}
