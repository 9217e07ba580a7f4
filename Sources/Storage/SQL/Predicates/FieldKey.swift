import GatehouseBSON
import GatehouseModel

/// The places of values in an index of documents: bytes whose order is nearly that of mixed values, of few bytes whatever the value.
///
/// A scalar has the beginning of its ``MixedSortKey``; of a list, a dictionary and a link there is the rank of the type alone. What the index
/// finds is so asked again of the values themselves, and each range is as wide as the roughest of the comparisons that there are: a
/// query takes a double beside a decimal for 15 digits and a float for 7 (``MixedOrder``), and MongoDB takes the exact numbers.
enum FieldKey {
  /// The most bytes of a place.
  private static let mostBytes = 256
  /// By which part of itself a number may differ from another that equals it.
  private static let tolerance = 4e-6

  /// Returns the place of the value that the steps lead to, null where there is none. A list on the way has the place of a list: values in
  /// it may be meant. A link has that of a link, behind which there may be a value.
  static func key(of value: Mixed, at steps: ArraySlice<Mixed>) -> [UInt8]? {
    switch value {
    case .null: return nil
    case .list, .link: return mark(value.rank)
    case .dictionary:
      guard let step = steps.first else { return mark(.dictionary) }
      return key(of: value.part(step), at: steps.dropFirst())
    case .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectID, .uuid:
      return steps.isEmpty ? Array(value.sortKey.prefix(mostBytes)) : nil
    }
  }

  /// The place of all values of a type that have one place.
  static func mark(_ rank: Mixed.Rank) -> [UInt8] { [UInt8(rank.rawValue)] }

  /// The places before and behind all others.
  static let lowest: [UInt8] = []
  static let highest: [UInt8] = [0xFF]

  /// Whether the values of the place's type have one order, in which their places are: those of different types, lists and documents are
  /// in another one in MongoDB.
  static func hasOneOrder(_ place: [UInt8]) -> Bool {
    switch rank(of: place) {
    case .bool, .numeric, .string, .date, .objectID, .uuid: true
    case .null, .data, .link, .list, .dictionary, nil: false
    }
  }

  /// Whether all values that have the place are equal: it has not been cut, and no double been rounded to it.
  static func isExact(_ place: [UInt8]) -> Bool {
    switch rank(of: place) {
    case .bool, .date, .objectID, .uuid: true
    case .string: place.count < mostBytes
    case .numeric: isWhole(place)
    case .null, .data, .link, .list, .dictionary, nil: false
    }
  }

  private static func rank(of place: [UInt8]) -> Mixed.Rank? {
    place.first.flatMap { Mixed.Rank(rawValue: Int($0)) }
  }

  /// Whether a number is whole and has fifteen digits at most: rank, sign, exponent, digits, and an end (``MixedSortKey``). No other double is
  /// as near to one of them as the 34 digits are that places have.
  private static func isWhole(_ place: [UInt8]) -> Bool {
    // Not a number, and zero.
    guard place.count > 5 else { return place.count == 2 }
    let mask: UInt8 = place[1] == 1 ? 0xFF : 0
    let exponent = Int(place[2] ^ mask) << 8 + Int(place[3] ^ mask) - 0x4000
    return exponent < 15 && place.count - 5 <= exponent + 1
  }

  /// An end of a range of places.
  enum Bound: Hashable {
    /// The first place, and the last, of what may equal a value.
    case first, last
    /// Before all values of its type, and behind them.
    case start, end
    /// The first place, and the last, of texts that begin with it.
    case firstPrefixed, lastPrefixed
  }

  /// Returns an end of the range that a value has, which is a scalar but null and NaN.
  static func bound(_ bound: Bound, for value: Mixed) -> [UInt8] {
    switch bound {
    case .first: near(value, by: -tolerance) ?? start(of: value)
    case .last: near(value, by: tolerance) ?? end(of: value)
    case .start: start(of: value)
    case .end: end(of: value)
    case .firstPrefixed: prefix(of: value)
    case .lastPrefixed: prefix(of: value) + [0xFF]
    }
  }

  private static func start(of value: Mixed) -> [UInt8] { mark(value.rank) }

  private static func end(of value: Mixed) -> [UInt8] { [UInt8(value.rank.rawValue) + 1] }

  /// Without the two bytes that end a text.
  private static func prefix(of value: Mixed) -> [UInt8] {
    Array(value.sortKey.dropLast(2).prefix(mostBytes))
  }

  /// Nil where the bound has to be that of all numbers.
  private static func near(_ value: Mixed, by part: Double) -> [UInt8]? {
    if value.hasOnePlace || value.sortKey == Mixed.int(0).sortKey {
      return Array(value.sortKey.prefix(mostBytes))
    }
    guard let double = value.approximation, double.magnitude < 1e300, double.magnitude > 1e-300 else {
      return nil
    }
    return Mixed.double(double + double.magnitude * part).sortKey
  }
}

extension Mixed {
  /// A number as a double; nil for others.
  fileprivate var approximation: Double? {
    switch self {
    case .int(let value): Double(value)
    case .float(let value): Double(value)
    case .double(let value): value
    case .decimal128(let value): Double(value.description)
    case .null, .bool, .string, .data, .date, .objectID, .uuid, .link, .list, .dictionary: nil
    }
  }
}
