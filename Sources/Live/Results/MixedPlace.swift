public import GatehouseModel
public import GatehouseStorage

/// The place of a list or a dictionary inside of a mixed value.
public struct MixedPlace: Hashable, Sendable {
  public let row: RowAddress
  /// The position of the property whose value, or one of whose elements, is mixed.
  public let property: Int
  /// The element of the property; nil: the property's value is meant.
  public let element: ElementPlace?
  /// The way from there: keys of dictionaries, and indexes of lists in decimal digits.
  public let path: [String]

  public init(row: RowAddress, property: Int, element: ElementPlace? = nil, path: [String] = []) {
    self.row = row
    self.property = property
    self.element = element
    self.path = path
  }

  /// Returns the place of an element of the list or dictionary.
  public func appending(_ element: ElementPlace) -> MixedPlace {
    let step: String
    switch element {
    case .key(let key): step = key
    case .index(let index): step = String(index)
    }
    return MixedPlace(row: row, property: property, element: self.element, path: path + [step])
  }
}

extension LiveRealm {
  /// Returns what is at a place; nil where nothing is.
  public func value(at place: MixedPlace) -> Mixed? {
    var value: Mixed?
    if let element = place.element {
      value = read { reader throws(StorageError) in
        try reader.element(at: element, in: place.property, of: place.row)
      }
    } else {
      value = values(of: place.row)?[place.property]
    }
    for step in place.path { value = value?.part(step) }
    return value
  }
}

extension Mixed {
  /// Whether it is a list or a dictionary.
  public var isCollection: Bool {
    switch self {
    case .list, .dictionary: true
    case .null, .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid, .link:
      false
    }
  }

  /// The elements of a list, or the values of a dictionary in the order of its keys.
  public var parts: [Mixed] {
    switch self {
    case .list(let elements): elements
    case .dictionary(let entries): entries.map(\.value)
    default: []
    }
  }

  /// The keys of a dictionary.
  public var keys: [String] { if case .dictionary(let entries) = self { entries.map(\.key) } else { [] } }

  fileprivate func part(_ step: String) -> Mixed? {
    switch self {
    case .list(let elements): Int(step).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
    default: entry(step)
    }
  }
}
