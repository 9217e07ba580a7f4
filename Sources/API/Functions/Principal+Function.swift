import GatehouseAccess
import GatehouseBSON
import GatehouseHTTP

extension Principal {
  /// The user whom rules of functions ask about; nil: the gateway itself, for which there are none.
  var functionUser: Document? {
    if let values { return values.document }
    return role.isAdministrator ? nil : ["id": .string(id), "type": .string("server")]
  }

  /// Returns whose share of the functions' workers the calls take: its own, or its address' where it is anyone.
  func share(at peer: PeerAddress) -> String {
    kind == .anyone ? peer.share : id
  }
}
