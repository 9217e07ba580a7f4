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
  package func link(as objectType: String) -> Mixed { base.link(as: objectType) }
  package var unguarded: Base.Unguarded { base.unguarded }

  package var isDocument: Bool { base.isDocument }
  package func value(_ property: Int) -> Mixed { scope.concealed(base.value(property), finding: base.object) }

  package func elements(_ property: Int) -> [Mixed] { seen(base.elements(property), of: property) }

  /// The elements of a collection as they may be seen.
  private func seen(_ elements: [Mixed], of property: Int) -> [Mixed] {
    guard base.dropsHiddenLinks(property) else {
      return elements.map { scope.concealed($0, finding: base.object) }
    }
    return elements.filter { $0 == .null || scope.concealed($0, finding: base.object) != .null }
  }

  package func keys(_ property: Int) -> [String] { base.keys(property) }

  package func object(_ link: ObjectLink) -> VisibleObject? {
    guard let object = base.object(link), scope.shows(object, link) else { return nil }
    return VisibleObject(object, in: scope)
  }

  package func linkingObjects(_ objectType: String, _ property: Int) -> [VisibleObject] {
    if scope.visibility.hidden[objectType]?.contains(property) == true { return [] }
    let fields = scope.visibility.hiddenFields[objectType] ?? []
    return base.linkingObjects(objectType, property, without: fields).compactMap { object in
      let link = ObjectLink(objectType: objectType, key: object.key)
      return scope.showsLinking(object, link) ? VisibleObject(object, in: scope) : nil
    }
  }

  package func value(named name: String) -> Mixed? {
    let place = base.place(of: name)
    if let place, scope.visibility.hiddenFields[place.objectType]?.contains(ExactText(name)) == true {
      return nil
    }
    if let place, scope.visibility.hidden[place.objectType]?.contains(place.property) == true { return nil }
    let value = base.value(named: name)
    if let place, case .list(let elements)? = value { return .list(seen(elements, of: place.property)) }
    return value.map { scope.concealed($0, finding: base.object) }
  }

  package func link(_ objectType: String, primaryKey: Mixed) -> ObjectLink? {
    guard let link = base.link(objectType, primaryKey: primaryKey) else { return nil }
    return scope.shows(link, finding: base.object) ? link : nil
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
    remember(shown, of: link)
    return shown
  }

  /// Whether the object may be seen, which was not reached from the one that it is embedded in, if it is.
  package func showsLinking(_ object: Base, _ link: ObjectLink) -> Bool {
    guard let holders = visibility.holders[link.objectType] else { return shows(object, link) }
    if let shown = known[link] { return shown }
    let shown = holders.contains { holder in
      object.linkingObjects(holder.objectType, holder.property).contains {
        showsLinking($0, ObjectLink(objectType: holder.objectType, key: $0.key))
      }
    }
    remember(shown, of: link)
    return shown
  }

  private func remember(_ shown: Bool, of link: ObjectLink) {
    if known.count >= Self.capacity { known = [:] }
    known[link] = shown
  }

  /// Whether the link leads to an object that may be seen, or to one that is gone; `find` finds it.
  package func shows(_ link: ObjectLink, finding find: (ObjectLink) -> Base?) -> Bool {
    guard visibility.restricted.contains(link.objectType) else { return true }
    if let shown = known[link] { return shown }
    guard let target = find(link) else { return true }
    return shows(target, link)
  }

  /// The value with null in place of each link that leads to an object that may not be seen; `find` finds objects.
  package func concealed(_ value: Mixed, finding find: (ObjectLink) -> Base?) -> Mixed {
    switch value {
    case .link(let link): shows(link, finding: find) ? value : .null
    case .list(let values): .list(values.map { concealed($0, finding: find) })
    case .dictionary(let entries):
      .dictionary(entries.map { Mixed.Entry(key: $0.key, value: concealed($0.value, finding: find)) })
    case .null, .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid: value
    }
  }
}
