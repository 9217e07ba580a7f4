import GatehouseModel

/// A place in an object of the store: what a ``ResourcePath`` leads to.
struct Location {
  /// One element of a list or map.
  enum Element: Hashable {
    case key(String)
    case index(Int)
  }

  /// The object whose version changes with what is there.
  let owner: RowAddress
  /// The object that has the property: the owner, or an embedded object in it.
  let holder: RowAddress
  /// Where in the owner the holder is.
  let root: Root?
  let property: Int
  var element: Element?
  /// The way into a mixed value.
  var nested: [String] = []

  /// The property of the owner, or the element of it, that an embedded object is part of.
  struct Root {
    let property: Int
    let element: Element?
  }
}
