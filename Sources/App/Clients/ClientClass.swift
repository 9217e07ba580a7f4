import GatehouseModel

/// A class with the names that it has in a client.
struct ClientClass {
  let objectType: ObjectType
  /// The type of objects in answers.
  let name: String
  /// The type of objects that are created.
  let creation: String
  /// The type of merge patches.
  let patch: String

  /// The classes of a schema. Objects in answers have the names of their classes where that is possible.
  static func all(in schema: Schema, _ names: ClientNames) -> ClientClasses {
    var names = names
    let types = schema.objectTypes.map { ($0, names.take($0.name)) }
    return ClientClasses(
      schema: schema,
      all: types.map { type, name in
        ClientClass(
          objectType: type, name: name, creation: names.take("\(name)Create"),
          patch: names.take("\(name)Patch"))
      })
  }

  func name(for use: ClientUse) -> String {
    switch use {
    case .read: name
    case .create: creation
    case .patch: patch
    }
  }
}

/// The purpose of a type of a client.
enum ClientUse: CaseIterable {
  case read, create, patch
}

/// All classes of a client.
struct ClientClasses {
  /// A property of a type.
  struct Member {
    let name: String
    let type: PropertyType
    /// Whether it must be given.
    let isRequired: Bool
  }

  /// A value in one place.
  enum Single {
    case scalar(ElementType)
    case embedded(ClientClass)
    /// A link: the identifier of an object.
    case link(ElementType)
  }

  let schema: Schema
  let all: [ClientClass]

  /// The classes whose objects are not part of others.
  var collections: [ClientClass] { all.filter { !$0.objectType.isEmbedded } }

  /// Returns the properties of a type, the implicit key included. Linking objects are shown only where `fields` asks for them.
  func members(of type: ClientClass, for use: ClientUse) -> [Member] {
    let objectType = type.objectType
    var members: [Member] = []
    if objectType.primaryKeyIndex == nil, !objectType.isEmbedded, use != .patch {
      members.append(Member(name: "_key", type: .one(.int, optional: false), isRequired: use == .read))
    }
    for (index, property) in objectType.properties.enumerated() {
      if case .linkingObjects = property.type { continue }
      // Each language has its own way to say that there are any fields.
      if index == objectType.fieldsIndex { continue }
      switch use {
      case .read: members.append(Member(name: property.name, type: property.type, isRequired: true))
      case .create:
        members.append(
          Member(
            name: property.name, type: property.type,
            isRequired: property.mustBeGiven(asPrimaryKey: index == objectType.primaryKeyIndex)))
      case .patch where index == objectType.primaryKeyIndex: continue
      case .patch: members.append(Member(name: property.name, type: property.type, isRequired: false))
      }
    }
    return members
  }

  func single(_ element: ElementType) -> Single {
    guard case .object(let name) = element else { return .scalar(element) }
    guard let target = all.first(where: { $0.objectType.name == name }) else { return .scalar(.mixed) }
    return target.objectType.isEmbedded ? .embedded(target) : .link(key(of: target).element)
  }

  /// The type of what a client names an object of the class by: of a document its identifier as a path spells it.
  func nameKey(of type: ClientClass) -> (element: ElementType, optional: Bool) {
    type.objectType.isSchemaless ? (.string, false) : key(of: type)
  }

  /// The type of the identifiers of the objects of the class.
  func key(of type: ClientClass) -> (element: ElementType, optional: Bool) {
    guard case .one(let element, let optional)? = type.objectType.primaryKey?.type else {
      return (.int, false)
    }
    return (element, optional)
  }
}
