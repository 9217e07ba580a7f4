import GatehouseModel

/// Goes through the schema along properties, and knows by which links it came.
struct LinkPathFinder {
  let schema: Schema
  /// The class that it is at, which may be embedded.
  private(set) var type: ObjectType
  private(set) var steps: [LinkStep] = []
  /// How many properties it has followed.
  private(set) var depth = 0
  /// The last class on the way that is not embedded, and the properties that lead on from there.
  private var owner: ObjectType
  private var chain: [Int] = []

  init(_ type: ObjectType, in schema: Schema) {
    self.schema = schema
    self.type = type
    owner = type
  }

  /// The property of an object that a change of `property` is a change of: embedded objects are parts.
  func ownProperty(_ property: Int) -> Int { chain.first ?? property }

  /// Follows the links or embedded objects of a property; false where it has none, or none that lead back.
  mutating func follow(_ property: Int) -> Bool {
    switch type.properties[property].type {
    case .one(.object(let name), _), .list(.object(let name), _), .set(.object(let name), _),
      .map(.object(let name), _):
      guard let target = schema[name] else { return false }
      enter(target, by: property)
      return true
    case .linkingObjects(let source, let name):
      guard let index = schema[source]?.index(of: name) else { return false }
      return followBack(to: source, index, by: property)
    case .one, .list, .set, .map: return false
    }
  }

  /// Follows the links to objects of one class in a property's mixed values.
  mutating func followMixed(_ property: Int, to target: ObjectType) {
    enter(target, by: property)
  }

  /// Goes to the objects of a class whose property links here. Those that belong to others have no name of their own.
  mutating func followBack(to source: String, _ link: Int, by property: Int = 0) -> Bool {
    guard chain.isEmpty, let source = schema[source], !source.isEmbedded else { return false }
    steps.append(
      LinkStep(property: property, owner: source.name, path: [link], target: type.name, isBackward: true))
    (type, owner) = (source, source)
    depth += 1
    return true
  }

  /// Whether it is at an object of its own, which links can lead to, and not at one that is embedded.
  var isWhole: Bool { chain.isEmpty }

  /// Returns where objects are that link here by a property of a class, or in which objects of that class are embedded.
  func followedBack(to source: String, _ link: Int) -> [LinkPathFinder] {
    guard schema[source]?.isEmbedded == true else {
      var next = self
      return next.followBack(to: source, link) ? [next] : []
    }
    return schema.holders(of: source).compactMap { holder in
      guard let owner = schema[holder.owner] else { return nil }
      var next = self
      next.steps.append(
        LinkStep(
          property: 0, owner: owner.name, path: holder.path + [link], target: type.name, isBackward: true))
      (next.type, next.owner) = (owner, owner)
      next.depth += 1
      return next
    }
  }

  private mutating func enter(_ target: ObjectType, by property: Int) {
    depth += 1
    if target.isEmbedded {
      chain.append(property)
    } else {
      steps.append(
        LinkStep(
          property: ownProperty(property), owner: owner.name, path: chain + [property], target: target.name,
          isBackward: false))
      owner = target
      chain = []
    }
    type = target
  }
}
