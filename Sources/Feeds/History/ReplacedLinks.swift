import GatehouseModel
import GatehouseStorage

/// The links that changes ahead of an iterator replaced: an object that linked to another at the iterator's position does so in
/// the file too, or is found here.
struct ReplacedLinks {
  private struct Link: Hashable {
    let owner: String
    let property: Int
    let target: Mixed
  }

  private var owners: [Link: Set<Identity>] = [:]
  private var links: [Identity: Set<Link>] = [:]

  var isEmpty: Bool { owners.isEmpty && links.isEmpty }

  /// The objects of a class that may have had such a link, in the order of what identifies them.
  func owners(of property: Int, _ owner: String, to target: Mixed) -> [Identity] {
    let found = owners[Link(owner: owner, property: property, target: target)] ?? []
    return found.sorted { MixedOrder.compare($0.id, $1.id) < 0 }
  }

  /// The objects of a class that had other embedded objects in a property, whose links are not told apart, in the order of
  /// what identifies them.
  func owners(differingIn property: Int, _ owner: String) -> [Identity] {
    owners(of: property, owner, to: .null)
  }

  /// Remembers what a change, which lies ahead, replaced.
  mutating func note(_ change: LoggedChange, of identity: Identity, _ layout: ClassLayout) {
    if layout.links.isEmpty, layout.embedded.isEmpty { return }
    layout.forEachProperty(of: change.before) { property, value in
      if layout.embedded.contains(property) { note([.null], by: property, of: identity) }
      guard layout.links.contains(property) else { return }
      let type = layout.objectType.properties[property].type
      note(value.elements(of: type).flatMap { $0.targets(of: type) }, by: property, of: identity)
    }
    for collection in change.elements {
      guard let property = layout.property(storedAs: collection.property, hint: 0) else { continue }
      if layout.embedded.contains(property) { note([.null], by: property, of: identity) }
      guard layout.links.contains(property) else { continue }
      let type = layout.objectType.properties[property].type
      note(
        collection.elements.compactMap(\.before).flatMap { $0.targets(of: type) }, by: property, of: identity)
    }
  }

  /// Forgets an object of which no change lies ahead.
  mutating func remove(_ identity: Identity) {
    if links.isEmpty { return }
    for link in links.removeValue(forKey: identity) ?? [] {
      guard owners[link]?.remove(identity) != nil else {
        preconditionFailure("a link is found by its target where its owner has it")
      }
      if owners[link]?.isEmpty == true { owners[link] = nil }
    }
  }

  /// `targets` are what identifies the objects: of which class they are, whoever asks finds out.
  private mutating func note(_ targets: [Mixed], by property: Int, of identity: Identity) {
    for target in targets {
      let link = Link(owner: identity.objectType, property: property, target: target)
      owners[link, default: []].insert(identity)
      links[identity, default: []].insert(link)
    }
  }
}
