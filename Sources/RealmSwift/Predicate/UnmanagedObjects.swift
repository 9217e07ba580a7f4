internal import GatehouseModel
internal import GatehouseQuery

/// Objects that are in no Realm, as predicates are asked of them. Those that links lead to get numbers as they are looked at.
final class UnmanagedObjects: _RealmWriteContext {
  private(set) var objects: [ObjectBase] = []
  private var numbers: [ObjectIdentifier: Int] = [:]

  override func link(to object: ObjectBase) -> DraftValue {
    .value(
      .link(ObjectLink(objectType: object.objectSchema.className, key: ObjectKey(Int64(number(of: object))))))
  }

  private func number(of object: ObjectBase) -> Int {
    if let number = numbers[ObjectIdentifier(object)] { return number }
    numbers[ObjectIdentifier(object)] = objects.count
    objects.append(object)
    return objects.count - 1
  }

  /// Returns the place of the first of some elements for which a predicate holds; nil: there is none. Throws where they have no such
  /// properties.
  func index<Element: RealmCollectionValue>(
    in elements: [Element], where predicate: RealmPredicate
  ) throws(RealmPredicateError) -> Int? {
    guard let type = Element.self as? ObjectBase.Type else {
      return try valueIndex(in: elements, where: predicate)
    }
    let own = ObjectSchema(type)
    let others = Schema.shared.objectSchema.filter { $0.className != own.className }
    let schema = GatehouseModel.Schema((others + [own]).map(\.stored))
    let bound = try predicate.bound(to: own.className, in: schema)
    return elements.firstIndex { element in
      guard let object = element as? ObjectBase else { return false }
      return bound.matches(UnmanagedView(objects: self, schema: schema, number: number(of: object)))
    }
  }

  /// The values are those of the only property of a class.
  private func valueIndex<Element: RealmCollectionValue>(
    in elements: [Element], where predicate: RealmPredicate
  ) throws(RealmPredicateError) -> Int? {
    let type = (Element.self as? any _RealmSchemaDiscoverable.Type)?._rlmType ?? .any
    var property = Property(name: PredicateSyntax.element, type: type)
    property.isOptional = true
    let schema = GatehouseModel.Schema([ObjectType(name: "Element", properties: [property.stored])])
    let bound = try RealmPredicate(predicate.syntax.ofElement).bound(to: "Element", in: schema)
    return elements.firstIndex { element in
      guard case .value(let value) = element._rlmDraft(in: self).value else { return false }
      return bound.matches(ElementView(element: value))
    }
  }
}

/// An object that is in no Realm, as predicates look at it.
private struct UnmanagedView: ObjectView {
  let objects: UnmanagedObjects
  let schema: GatehouseModel.Schema
  let number: Int

  var key: ObjectKey { ObjectKey(Int64(number)) }

  private var object: ObjectBase { objects.objects[number] }

  var isDocument: Bool { schema[object.objectSchema.className]?.isSchemaless == true }

  private func draft(_ property: Int) -> DraftValue {
    let layout = object.layout
    guard let name = schema[object.objectSchema.className]?.properties[property].name,
      let index = layout.index(of: name)
    else { return .value(.null) }
    return layout.draft(index, of: object, in: objects).value
  }

  func value(_ property: Int) -> Mixed { draft(property).unmanaged }

  func elements(_ property: Int) -> [Mixed] {
    switch draft(property) {
    case .list(let elements): elements.map(\.unmanaged)
    case .map(let entries): entries.map(\.value.unmanaged)
    case .value, .link, .embedded: []
    }
  }

  func keys(_ property: Int) -> [String] {
    if case .map(let entries) = draft(property) { entries.map(\.key) } else { [] }
  }

  func object(_ link: ObjectLink) -> UnmanagedView? {
    UnmanagedView(objects: objects, schema: schema, number: Int(link.key.value))
  }

  func linkingObjects(_ objectType: String, _ property: Int) -> [UnmanagedView] { [] }

  func value(named name: String) -> Mixed? {
    schema[object.objectSchema.className]?.index(of: name).map { draft($0).unmanaged }
  }

  func link(_ objectType: String, primaryKey: Mixed) -> ObjectLink? { nil }
}

/// A value of a collection, as the only property of an object.
private struct ElementView: ObjectView {
  let element: Mixed
  let key = ObjectKey(0)

  func value(_ property: Int) -> Mixed { element }
  func elements(_ property: Int) -> [Mixed] { [] }
  func keys(_ property: Int) -> [String] { [] }
  func object(_ link: ObjectLink) -> ElementView? { nil }
  func linkingObjects(_ objectType: String, _ property: Int) -> [ElementView] { [] }
  func value(named name: String) -> Mixed? { element }
  func link(_ objectType: String, primaryKey: Mixed) -> ObjectLink? { nil }
}

extension DraftValue {
  /// The value of an object that is in no Realm, whose links lead to numbered objects.
  fileprivate var unmanaged: Mixed {
    switch self {
    case .value(let value): value
    case .list(let elements): .list(elements.map(\.unmanaged))
    case .map(let entries):
      .dictionary(entries.map { Mixed.Entry(key: $0.key, value: $0.value.unmanaged) })
    case .link, .embedded: .null
    }
  }
}

extension PredicateSyntax {
  /// The name of the property that stands for an element.
  static let element = "self"

  /// The predicate of an object whose only property is an element, which paths of no names lead to.
  fileprivate var ofElement: PredicateSyntax {
    switch self {
    case .truth: return self
    case .all(let parts): return .all(parts.map(\.ofElement))
    case .any(let parts): return .any(parts.map(\.ofElement))
    case .not(let part): return .not(part.ofElement)
    case .comparison(var comparison):
      comparison.left = comparison.left.ofElement
      comparison.right = comparison.right.ofElement
      return .comparison(comparison)
    }
  }
}

extension PredicateTerm {
  fileprivate var ofElement: PredicateTerm {
    switch self {
    case .path(let path) where path.elements.isEmpty: .path(PredicatePath(names: [PredicateSyntax.element]))
    case .list(let terms): .list(terms.map(\.ofElement))
    case .constant, .path, .subquery, .function: self
    }
  }
}
