internal import GatehouseHTTP

extension RequestBody {
  /// How much is there when the handler is called.
  var size: Int {
    switch self {
    case .empty, .stream: 0
    case .bytes(let bytes): bytes.count
    }
  }
}
