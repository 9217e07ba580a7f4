public import GatehouseModel

/// An object as a predicate sees it. A `property` is a position in the properties of its class.
public protocol ObjectView {
  /// The object as whoever may see everything sees it.
  associatedtype Unguarded: ObjectView = Self where Unguarded.Unguarded == Unguarded
  var unguarded: Unguarded { get }
  var key: ObjectKey { get }
  /// The link by which the values of other objects lead to this one, which is of the class.
  func link(as objectType: String) -> Mixed
  /// The value of a property that is no collection; a link as ``Mixed/link(_:)``.
  func value(_ property: Int) -> Mixed
  /// Whether the object is a document of a schemaless class, in which a field that is not there is null.
  var isDocument: Bool { get }
  /// The values of a list, set (in order of values) or map (in order of keys), of links as well.
  func elements(_ property: Int) -> [Mixed]
  /// The keys of a map, in bytewise order.
  func keys(_ property: Int) -> [String]
  /// The object that a link leads to; nil where it is gone.
  func object(_ link: ObjectLink) -> Self?
  /// The objects of a class whose property links here, once per link, those inside mixed values among them.
  func linkingObjects(_ objectType: String, _ property: Int) -> [Self]
  /// The same without the links in those fields of documents.
  func linkingObjects(_ objectType: String, _ property: Int, without fields: Set<ExactText>) -> [Self]
  /// The value of a property by name, a list as ``Mixed/list(_:)``, a map as ``Mixed/dictionary(_:)``; nil
  /// where the class has no such property.
  func value(named name: String) -> Mixed?
  /// The object with a primary key, or with a `_key` where the class has none.
  func link(_ objectType: String, primaryKey: Mixed) -> ObjectLink?
  /// The class of the object, and the position in it of the property of that name; nil where it has none.
  func place(of name: String) -> (objectType: String, property: Int)?
  /// Whether a collection lacks links that may not be seen; else null stands in their place.
  func dropsHiddenLinks(_ property: Int) -> Bool
  /// Whether the evaluation, which has looked at so many values since it last asked, may go on; what it says after it
  /// may not means nothing.
  func mayContinue(after values: Int) -> Bool
}

extension ObjectView {
  public func link(as objectType: String) -> Mixed {
    .link(ObjectLink(objectType: objectType, key: key))
  }
  public func linkingObjects(
    _ objectType: String, _ property: Int, without fields: Set<ExactText>
  ) -> [Self] {
    linkingObjects(objectType, property)
  }
  public func place(of name: String) -> (objectType: String, property: Int)? { nil }
  public var isDocument: Bool { false }
  public func dropsHiddenLinks(_ property: Int) -> Bool { false }
  public func mayContinue(after values: Int) -> Bool { true }
}

extension ObjectView where Unguarded == Self {
  public var unguarded: Self { self }
}
