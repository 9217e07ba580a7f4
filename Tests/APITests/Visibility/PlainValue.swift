/// The name of an object of a generated world.
struct PlainLink: Hashable {
  let objectType: String
  let number: Int
}

/// A value of a generated world.
indirect enum PlainValue: Hashable {
  case null
  case number(Int)
  case fraction(Double)
  case text(String)
  case link(PlainLink)
  case list([PlainValue])
  case map([String: PlainValue])
  /// An embedded object.
  case object([String: PlainValue])

  /// The links in it, each as often as it is there; those of embedded objects are theirs.
  var links: [PlainLink] {
    switch self {
    case .link(let link): [link]
    case .list(let values): values.flatMap(\.links)
    case .map(let entries): entries.values.flatMap(\.links)
    case .null, .number, .fraction, .text, .object: []
    }
  }

  var elements: [PlainValue] { if case .list(let values) = self { values } else { [] } }

  /// The value with null in place of links that are not shown.
  func concealed(_ shows: (PlainLink) -> Bool) -> PlainValue {
    switch self {
    case .link(let link): shows(link) ? self : .null
    case .list(let values): .list(values.map { $0.concealed(shows) })
    case .map(let entries): .map(entries.mapValues { $0.concealed(shows) })
    case .null, .number, .fraction, .text, .object: self
    }
  }
}
