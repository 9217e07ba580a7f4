/// The use that is made of `schema.json` in the data directory when the server starts.
enum SchemaApplication: String, SettingValue {
  /// It is not read.
  case off
  /// Its differences are written to standard error.
  case plan
  /// Its differences are applied; where something would be lost by that, the server does not start.
  case additive

  static var expectation: String { "off, plan or additive" }
}
