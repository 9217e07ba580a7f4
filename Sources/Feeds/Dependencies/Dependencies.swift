import GatehouseModel
import GatehouseQuery

/// Which changes make an object count as changed: some of its own, and some of objects that it has links to.
///
/// A change by which it begins or ceases to be watched counts always.
struct Dependencies: Hashable {
  /// The object's own properties that count; nil: all.
  var own: CountedProperties?
  var linkPaths: [LinkPath]

  /// All that the object has itself.
  static let itself = Dependencies(own: nil, linkPaths: [])
  /// Nothing but what belongs to those that are watched, or no longer.
  static let nothing = Dependencies(own: CountedProperties(), linkPaths: [])

  /// How far links are followed where nothing is said (C:impl/deep_change_checker.hpp).
  private static let depth = 3

  /// Reads the parameter `keyPaths`: `name,country.name`, each prefix of a path counting as well.
  init(keyPaths text: String, of type: ObjectType, in schema: Schema) throws(SubscriptionError) {
    own = CountedProperties()
    linkPaths = []
    if text.isEmpty { return }
    for path in text.split(separator: ",", omittingEmptySubsequences: false) {
      try add(path.split(separator: ".", omittingEmptySubsequences: false), LinkPathFinder(type, in: schema))
    }
  }

  /// Everything that links lead to, three of them at most; not what links here.
  init(around type: ObjectType, in schema: Schema) {
    own = nil
    linkPaths = []
    extend(LinkPathFinder(type, in: schema))
  }

  /// Returns the same with all that a projection shows of other objects, however far away, and with which objects link here
  /// where it shows that.
  func showing(_ projection: Projection, of type: ObjectType, in schema: Schema) -> Dependencies {
    var all = self
    all.add(projection, LinkPathFinder(type, in: schema))
    return all
  }

  /// Returns the same with the objects behind links that a path leads through.
  func following(_ path: KeyPath, from type: ObjectType, in schema: Schema) -> Dependencies {
    var all = self
    for linkPath in path.linkPaths(from: type, in: schema) where !all.linkPaths.contains(linkPath) {
      all.linkPaths.append(linkPath)
    }
    return all
  }

  private init(own: CountedProperties?, linkPaths: [LinkPath]) {
    self.own = own
    self.linkPaths = linkPaths
  }

  private mutating func add(_ names: [Substring], _ start: LinkPathFinder) throws(SubscriptionError) {
    var finder = start
    for (index, name) in names.enumerated() {
      guard let property = finder.type.index(of: String(name)) ?? finder.type.fieldsIndex else {
        throw .unknownKeyPath(String(name), objectType: finder.type.name)
      }
      // Names behind that of a document's field lead into its value.
      if property == finder.type.fieldsIndex {
        return note(property, finder, field: ExactText(String(name)))
      }
      let isLast = index == names.count - 1
      if case .linkingObjects = finder.type.properties[property].type {
        guard finder.follow(property), let link = finder.steps.last?.path.first else {
          throw .unwatchableKeyPath(String(name))
        }
        note(link, finder)
      } else {
        note(property, finder)
        guard isLast || finder.follow(property) else { throw .unwatchableKeyPath(String(names[index + 1])) }
      }
    }
  }

  /// Counts changes of a property where the finder is.
  private mutating func note(_ property: Int, _ finder: LinkPathFinder, field: ExactText? = nil) {
    let property = finder.ownProperty(property)
    if finder.steps.isEmpty {
      own?.insert(property, field: field)
    } else if let index = linkPaths.firstIndex(where: { $0.steps == finder.steps }) {
      linkPaths[index].properties?.insert(property, field: field)
    } else {
      var properties = CountedProperties()
      properties.insert(property, field: field)
      linkPaths.append(LinkPath(steps: finder.steps, properties: properties))
    }
  }

  private mutating func add(_ projection: Projection, _ finder: LinkPathFinder) {
    for field in projection.fields {
      var next = finder
      let isFollowed = next.follow(field.property)
      if case .linkingObjects = finder.type.properties[field.property].type {
        guard isFollowed, let link = next.steps.last?.path.first else { continue }
        note(link, next)
      } else {
        note(field.property, finder, field: field.key)
      }
      if let target = field.target, isFollowed { add(target, next) }
    }
  }

  /// To objects of any class, but not to what lies behind these: there would be as many ways as there are chains of
  /// three classes.
  private mutating func dependThroughMixed(_ property: Int, _ finder: LinkPathFinder) {
    for target in finder.schema.objectTypes where !target.isEmbedded {
      var next = finder
      next.followMixed(property, to: target)
      linkPaths.append(LinkPath(steps: next.steps, properties: nil))
    }
  }

  private mutating func extend(_ finder: LinkPathFinder) {
    guard finder.depth < Dependencies.depth else { return }
    for index in finder.type.storedProperties {
      let property = finder.type.properties[index]
      if property.type.stored?.element == .mixed { dependThroughMixed(index, finder) }
      var next = finder
      guard next.follow(index) else { continue }
      if next.steps.count > finder.steps.count {
        linkPaths.append(LinkPath(steps: next.steps, properties: nil))
      }
      extend(next)
    }
  }
}
