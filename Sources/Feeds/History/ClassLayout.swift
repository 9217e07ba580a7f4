import GatehouseBSON
import GatehouseModel

/// A class, and where its properties are in the images of the change log.
final class ClassLayout: Sendable {
  let objectType: ObjectType
  /// The names of the properties as they are written.
  let keys: [PreparedKey]
  /// The properties that link to objects, or may do so from mixed values; embedded objects are not linked to.
  let links: Set<Int>
  /// How many properties an object stores.
  let storedCount: Int
  /// The properties that hold embedded objects.
  let embedded: Set<Int>
  /// The sets that links may be in: they are in an order that the images do not tell.
  let linkSets: Set<Int>
  private let places: [String: Int]

  init(_ objectType: ObjectType, in schema: Schema) {
    self.objectType = objectType
    links = Set(
      objectType.properties.indices.filter { index in
        switch objectType.properties[index].type.stored?.element {
        case .mixed?: true
        case .object(let name)?: schema[name]?.isEmbedded == false
        default: false
        }
      })
    linkSets = links.filter { if case .set = objectType.properties[$0].type { true } else { false } }
    storedCount = objectType.properties.count { $0.type.stored != nil }
    embedded = Set(
      objectType.properties.indices.filter { index in
        guard case .object(let name)? = objectType.properties[index].type.stored?.element else {
          return false
        }
        return schema[name]?.isEmbedded == true
      })
    keys = objectType.properties.map { PreparedKey($0.name) }
    places = Dictionary(
      objectType.properties.enumerated().map { ($0.element.storedName, $0.offset) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Whether its objects, or those embedded in them, may link to others.
  var mayLink: Bool {
    !links.isEmpty
      || objectType.properties.contains { property in
        if case .object? = property.type.stored?.element { true } else { false }
      }
  }

  /// The property that is stored under that name; `hint` is where it mostly is, since images are in the order of
  /// the class.
  func property(storedAs name: String, hint: Int) -> Int? {
    let properties = objectType.properties
    if hint < properties.count, properties[hint].storedName == name { return hint }
    return places[name]
  }
}
