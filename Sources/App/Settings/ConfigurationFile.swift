import BSON
extension Settings {
  static func file(named name: String?) throws -> Document? { nil }
}
