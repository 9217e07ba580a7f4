/// A step from an object to others, by the links of a property.
struct LinkStep: Hashable {
  /// The property by which the step leaves the class where it begins.
  let property: Int
  /// The class whose objects have the links.
  let owner: String
  /// The way from there to the property with the links; all but the last lead to embedded objects.
  let path: [Int]
  /// The class that the links lead to.
  let target: String
  /// Whether the step goes to the objects that have the links.
  let isBackward: Bool

  /// The class that it arrives at.
  var end: String { isBackward ? owner : target }
}

/// A way from an object to others whose changes concern it.
struct LinkPath: Hashable {
  /// At least one.
  let steps: [LinkStep]
  /// The properties, at the end, whose changes count; nil: all.
  var properties: CountedProperties?

  /// The class that it arrives at.
  var end: String { steps.last?.end ?? "" }
}
