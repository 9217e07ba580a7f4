extension PropertyType {
  /// How many values a stored property holds, and in what order.
  public enum Container: Hashable, Sendable {
    case one
    case list
    case set
    case map

    /// The characters that the notation appends to the type of the elements.
    var suffix: String {
      switch self {
      case .one: ""
      case .list: "[]"
      case .set: "<>"
      case .map: "{}"
      }
    }
  }

  /// A stored property's type.
  public init(_ container: Container, of element: ElementType, optional: Bool) {
    self =
      switch container {
      case .one: .one(element, optional: optional)
      case .list: .list(element, optional: optional)
      case .set: .set(element, optional: optional)
      case .map: .map(element, optional: optional)
      }
  }

  /// The parts of a stored property's type; nil for linking objects.
  public var stored: (container: Container, element: ElementType, optional: Bool)? {
    switch self {
    case .one(let element, let optional): (.one, element, optional)
    case .list(let element, let optional): (.list, element, optional)
    case .set(let element, let optional): (.set, element, optional)
    case .map(let element, let optional): (.map, element, optional)
    case .linkingObjects: nil
    }
  }

  /// The type in one word of realm-js' notation, such as `string?[]`.
  public var shorthand: String {
    guard let (container, element, optional) = stored else { return "linkingObjects" }
    return element.name
      + (showsOptional(container: container, element: element, optional: optional) ? "?" : "")
      + container.suffix
  }

  /// To-one links carry their `?` though they are always optional, as realm-js prints them.
  private func showsOptional(container: Container, element: ElementType, optional: Bool) -> Bool {
    if container == .one && element.isObject { return optional }
    return optional && !element.isOptionalByNature(in: container)
  }
}

/// A type as `string?[]` spells it, taken apart.
struct TypeShorthand {
  var container = PropertyType.Container.one
  var name: String
  /// Whether the text has a `?`.
  var isMarkedOptional = false

  /// Splits off the collection's suffix and the question mark; nil where a name is missing or marked twice.
  init?(_ text: String) {
    var rest = text[...]
    for container in [PropertyType.Container.list, .set, .map] where rest.hasSuffix(container.suffix) {
      rest = rest.dropLast(2)
      self.container = container
      break
    }
    // realm-js: a dictionary of whatever.
    if rest.isEmpty && container == .map { rest = "mixed" }
    if rest.hasSuffix("?") {
      rest = rest.dropLast()
      isMarkedOptional = true
    }
    if rest.isEmpty || rest.contains(where: { "?[]<>{}".contains($0) }) { return nil }
    name = String(rest)
  }
}
