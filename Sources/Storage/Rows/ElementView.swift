public import GatehouseModel
public import GatehouseQuery

/// A value of a collection as a predicate sees it: an object with one property, `self`.
public struct ElementView: ObjectView {
  /// The class of such objects; no class of a schema has this name.
  public static func objectType(of element: ElementType) -> ObjectType {
    ObjectType(name: "", properties: [Property(name: "self", type: .one(element, optional: true))])
  }

  let element: Mixed
  public let key: ObjectKey

  public func value(_ property: Int) -> Mixed { element }
  public func elements(_ property: Int) -> [Mixed] { [] }
  public func keys(_ property: Int) -> [String] { [] }
  public func object(_ link: ObjectLink) -> ElementView? { nil }
  public func linkingObjects(_ objectType: String, _ property: Int) -> [ElementView] { [] }
  public func value(named name: String) -> Mixed? { name == "self" ? element : nil }
  public func link(_ objectType: String, primaryKey: Mixed) -> ObjectLink? { nil }
}

/// An object, and where in its collection it is.
struct IndexedElement<Base: ObjectView>: ObjectView {
  let base: Base
  let number: Int

  var unguarded: Base.Unguarded { base.unguarded }
  var key: ObjectKey { base.key }
  var isDocument: Bool { base.isDocument }
  func value(_ property: Int) -> Mixed { base.value(property) }
  func elements(_ property: Int) -> [Mixed] { base.elements(property) }
  func keys(_ property: Int) -> [String] { base.keys(property) }
  func value(named name: String) -> Mixed? { base.value(named: name) }

  func object(_ link: ObjectLink) -> IndexedElement? {
    base.object(link).map { IndexedElement(base: $0, number: number) }
  }

  func linkingObjects(_ objectType: String, _ property: Int) -> [IndexedElement] {
    base.linkingObjects(objectType, property).map { IndexedElement(base: $0, number: number) }
  }

  func link(_ objectType: String, primaryKey: Mixed) -> ObjectLink? {
    base.link(objectType, primaryKey: primaryKey)
  }

  func place(of name: String) -> (objectType: String, property: Int)? { base.place(of: name) }
  func dropsHiddenLinks(_ property: Int) -> Bool { base.dropsHiddenLinks(property) }
  func mayContinue(after values: Int) -> Bool { base.mayContinue(after: values) }
}
