public import GatehouseModel

/// An object as a predicate sees it. A `property` is a position in the properties of its class.
public protocol ObjectView {
  var key: ObjectKey { get }
  /// The value of a property that is no collection; a link as ``Mixed/link(_:)``.
  func value(_ property: Int) -> Mixed
  /// The values of a list, set (in order of values) or map (in order of keys), of links as well.
  func elements(_ property: Int) -> [Mixed]
  /// The keys of a map, in bytewise order.
  func keys(_ property: Int) -> [String]
  /// The object that a link leads to; nil where it is gone.
  func object(_ link: ObjectLink) -> Self?
  /// The objects of a class whose property links here, once per link, those inside mixed values among them.
  func linkingObjects(_ objectType: String, _ property: Int) -> [Self]
  /// The value of a property by name, a list as ``Mixed/list(_:)``, a map as ``Mixed/dictionary(_:)``; nil
  /// where the class has no such property.
  func value(named name: String) -> Mixed?
  /// The object with a primary key, or with a `_key` where the class has none.
  func link(_ objectType: String, primaryKey: Mixed) -> ObjectLink?
  /// Whether the evaluation, which has looked at so many values since it last asked, may go on; what it says after it
  /// may not means nothing.
  func mayContinue(after values: Int) -> Bool
}

extension ObjectView {
  public func mayContinue(after values: Int) -> Bool { true }
}
