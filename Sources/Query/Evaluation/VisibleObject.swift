package import GatehouseModel

/// An object as somebody sees it who may not see all others.
package struct VisibleObject<Base: ObjectView>: ObjectView {
  package let base: Base
  private let scope: VisibilityScope<Base>

  package init(_ base: Base, in scope: VisibilityScope<Base>) {
    self.base = base
    self.scope = scope
  }

  package var key: ObjectKey { base.key }
  package var unguarded: Base.Unguarded { base.unguarded }

  package func value(_ property: Int) -> Mixed { scope.concealed(base.value(property), beside: base) }

  package func elements(_ property: Int) -> [Mixed] {
    let elements = base.elements(property)
    guard base.dropsHiddenLinks(property) else {
      return elements.map { scope.concealed($0, beside: base) }
    }
    return elements.filter { $0 == .null || scope.concealed($0, beside: base) != .null }
  }

  package func keys(_ property: Int) -> [String] { base.keys(property) }

  package func object(_ link: ObjectLink) -> VisibleObject? {
    guard let object = base.object(link), scope.shows(object, link) else { return nil }
    return VisibleObject(object, in: scope)
  }

  package func linkingObjects(_ objectType: String, _ property: Int) -> [VisibleObject] {
    if scope.visibility.hidden[objectType]?.contains(property) == true { return [] }
    return base.linkingObjects(objectType, property).compactMap { object in
      let link = ObjectLink(objectType: objectType, key: object.key)
      return scope.shows(object, link) ? VisibleObject(object, in: scope) : nil
    }
  }

  package func value(named name: String) -> Mixed? {
    if let (objectType, property) = base.place(of: name),
      scope.visibility.hidden[objectType]?.contains(property) == true
    {
      return nil
    }
    return base.value(named: name).map { scope.concealed($0, beside: base) }
  }

  package func link(_ objectType: String, primaryKey: Mixed) -> ObjectLink? {
    guard let link = base.link(objectType, primaryKey: primaryKey) else { return nil }
    return scope.shows(link, beside: base) ? link : nil
  }

  package func dropsHiddenLinks(_ property: Int) -> Bool { base.dropsHiddenLinks(property) }
  package func place(of name: String) -> (objectType: String, property: Int)? { base.place(of: name) }
  package func mayContinue(after values: Int) -> Bool { base.mayContinue(after: values) }
}

/// A visibility, and what it was found to conceal in one state of the store.
package final class VisibilityScope<Base: ObjectView> {
  /// Links that are remembered at most.
  private static var capacity: Int { 65_536 }

  package let visibility: Visibility
  private var known: [ObjectLink: Bool] = [:]

  package init(_ visibility: Visibility) {
    self.visibility = visibility
  }

  /// Whether the object may be seen that the link leads to.
  package func shows(_ object: Base, _ link: ObjectLink) -> Bool {
    guard let condition = visibility.conditions[link.objectType] else { return true }
    if let shown = known[link] { return shown }
    let shown = condition.matches(object.unguarded)
    if known.count >= Self.capacity { known = [:] }
    known[link] = shown
    return shown
  }

  /// Whether the link leads to an object that may be seen, or to one that is gone.
  package func shows(_ link: ObjectLink, beside object: Base) -> Bool {
    guard visibility.restricted.contains(link.objectType) else { return true }
    if let shown = known[link] { return shown }
    guard let target = object.object(link) else { return true }
    return shows(target, link)
  }

  /// The value with null in place of each link that leads to an object that may not be seen.
  package func concealed(_ value: Mixed, beside object: Base) -> Mixed {
    switch value {
    case .link(let link): shows(link, beside: object) ? value : .null
    case .list(let values): .list(values.map { concealed($0, beside: object) })
    case .dictionary(let entries):
      .dictionary(entries.map { Mixed.Entry(key: $0.key, value: concealed($0.value, beside: object)) })
    case .null, .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid: value
    }
  }
}
