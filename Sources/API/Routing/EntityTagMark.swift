import GatehouseBSON
import GatehouseCrypto
import GatehouseHTTP
import GatehouseStorage

/// The beginning of the entity tags of an app, `"x1a2b3c4d-17"`: an app that is made again under its name has the same versions, which are
/// no tags of the one before. A tag without it is taken as well: that is a version.
struct EntityTagMark {
  private static let conditions: [StaticString] = ["if-match", "if-none-match", "if-range"]

  private let store: Store

  init(of store: Store) { self.store = store }

  private var text: String {
    let digest = Digest.sha256.hash(Array("entity tags".utf8) + store.secret)
    return "\"x\(Hexadecimal.text(of: Array(digest.prefix(4))))-"
  }

  /// Has conditions of a request name tags as they are without it.
  func remove(from fields: inout Fields) {
    for name in EntityTagMark.conditions {
      guard let value = fields["\(name)"], value.contains("\"x") else { continue }
      fields.replace(name, value.replacing(text, with: "\""))
    }
  }

  /// Has the tag of an answer begin with it.
  func add(to fields: inout Fields) {
    guard let tag = fields["etag"], let quote = tag.firstIndex(of: "\"") else { return }
    fields.replace("etag", "\(tag[..<quote])\(text)\(tag[tag.index(after: quote)...])")
  }
}
