import GatehouseAccess
import GatehouseBSON

extension Principal {
  /// The user whom rules of functions ask about; nil: the gateway itself, for which there are none.
  var functionUser: Document? {
    if let values { return values.document }
    return role.isAdministrator ? nil : ["id": .string(id), "type": .string("server")]
  }
}
