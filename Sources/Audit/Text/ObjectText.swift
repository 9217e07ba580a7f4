import GatehouseStorage

/// The JSON of one object, and the places of its links in it: a link that is followed later is replaced by the object
/// that it leads to.
struct ObjectText: Hashable, Sendable {
  /// The value of a property that links to objects, inside the object's text.
  struct Link: Hashable, Sendable {
    /// The stored name of the property.
    let property: String
    let range: Range<Int>
  }

  var bytes: [UInt8]
  var links: [Link] = []
}
