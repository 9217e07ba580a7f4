/// A place inside an object, checked against its class.
struct EditPath: Hashable, Sendable {
  /// One step into a value.
  enum Step: Hashable, Sendable {
    /// A property of the object or of an embedded one, which is always there; `empty` is what it holds when it
    /// is taken away.
    case property(ExactText, empty: DraftValue)
    /// An entry of a map.
    case key(ExactText)
    /// An element of a list or set.
    case index(Int)
    /// Behind the last element.
    case end
    /// Into a mixed value: what that holds decides what the step means.
    case any(ExactText)
  }

  /// Where in the class' properties it begins.
  let property: Int
  /// The first is that property.
  let steps: [Step]
  /// The type of what it leads to.
  let type: PropertyType

  /// The type of the elements, where it leads to a list or set; mixed where that is not known before.
  var elementType: PropertyType? {
    switch type {
    case .list(let element, let optional), .set(let element, let optional): .one(element, optional: optional)
    case .one(.mixed, _): .one(.mixed, optional: true)
    case .one, .map, .linkingObjects: nil
    }
  }
}
