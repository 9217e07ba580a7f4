import GatehouseAccess
import GatehouseBSON
import GatehouseFeeds

extension AccessControl {
  /// Returns why a caller's key or role is none any more; nil: they have them still.
  func end(of principal: Principal) -> EndReason? {
    let keyring = current
    switch principal.kind {
    case .anyone: return keyring.anyone?.role == principal.role ? nil : .accessChanged
    case .user:
      let roles = principal.values?.roles ?? []
      return keyring.role(ofUserWith: roles) == principal.role ? nil : .accessChanged
    case .key(let id):
      // The operator's own key, and what runs as the system, last as long as the process.
      guard let id = ObjectID(id) else { return nil }
      guard let key = keyring.keys[id] else { return .keyRevoked }
      return keyring.policy[key.role]?.limited(to: key.classes) == principal.role ? nil : .accessChanged
    }
  }
}
