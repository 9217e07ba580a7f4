import GatehouseBSON
import GatehouseHTTP

extension Response {
  /// An answer to a client of App Services: canonical Extended JSON, whose numbers have types that it relies on,
  /// under a media type without parameters, which it compares as text (realm-core, `check_for_errors`).
  init(appServices status: Status, _ value: Value) {
    self.init(appServices: status, value.inMilliseconds.extendedJSON)
  }

  /// The same of a value that is written already.
  init(appServices status: Status, _ json: [UInt8]) {
    self.init(status: status, body: .bytes(json))
    fields.append("content-type", "application/json")
  }

  /// Makes an answer with tokens or secrets in it, or of which clients must not use an old one.
  init(privateAppServices status: Status, _ value: Value) {
    self.init(appServices: status, value)
    fields.append("cache-control", "no-store")
  }
}

extension Value {
  /// The value with its dates cut to milliseconds, of which alone Extended JSON has a form that clients of App Services read.
  var inMilliseconds: Value {
    switch self {
    case .date(let date): .date(Date(milliseconds: date.milliseconds))
    case .array(let values): .array(values.map(\.inMilliseconds))
    case .document(let document):
      .document(
        Document(document.elements.map { Document.Element(key: $0.key, value: $0.value.inMilliseconds) }))
    default: self
    }
  }
}
