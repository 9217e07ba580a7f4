import GatehouseBSON
import GatehouseModel
import GatehouseQuery

extension Constraint {
  /// The values of an enumeration that a sentence names.
  private static let mostNamed = 20

  /// The rule of a class as clients are told of it.
  func wording(of objectType: String) -> (code: String, detail: String) {
    switch self {
    case .allowed(let values):
      let names = values.prefix(Self.mostNamed).map(\.text).joined(separator: ", ")
      let more = values.count > Self.mostNamed ? ", …" : ""
      return ("value_not_allowed", "Class “\(objectType)” allows these values only: \(names)\(more).")
    case .range(let minimum, let maximum):
      let range = Self.range(minimum?.text, maximum?.text)
      return ("out_of_range", "Class “\(objectType)” wants a value of \(range).")
    case .length(let bounds, let isText):
      let unit = isText ? "characters (Unicode scalars)" : "bytes"
      return ("length_out_of_range", "Class “\(objectType)” wants \(Self.range(bounds)) \(unit).")
    case .count(let bounds):
      return (
        "count_out_of_range",
        "Class “\(objectType)” wants \(Self.range(bounds)) element\(bounds.isOfOne ? "" : "s")."
      )
    case .check(let text?):
      return ("check_failed", "Objects of class “\(objectType)” have to meet: \(text)")
    case .check(nil):
      return ("check_failed", "An object would break a rule of class “\(objectType)”.")
    }
  }

  private static func range(_ bounds: CountBounds) -> String {
    range(bounds.minimum?.description, bounds.maximum?.description)
  }

  private static func range(_ minimum: String?, _ maximum: String?) -> String {
    switch (minimum, maximum) {
    case (let minimum?, let maximum?): "\(minimum) to \(maximum)"
    case (let minimum?, nil): "at least \(minimum)"
    case (nil, let maximum?): "at most \(maximum)"
    case (nil, nil): "any number of"
    }
  }
}

extension CountBounds {
  fileprivate var isOfOne: Bool { maximum ?? minimum == 1 }
}

extension Value {
  fileprivate var text: String { String(decoding: plainJSON, as: UTF8.self) }
}

extension CheckError {
  var problem: Problem {
    let (code, detail): (String, String) =
      switch rule {
      case .query(let error):
        (error.wording.code, error.wording.detail + (error.wording.offset.map { " (byte \($0))" } ?? ""))
      case .hasClauses: ("check_with_clauses", "It is a predicate, without SORT, DISTINCT and LIMIT.")
      case .looksAtOthers:
        (
          "check_of_other_objects",
          "It depends on nothing but the object and those embedded in it: it leads through no link."
        )
      }
    return Problem(
      .invalidSchema, "The content is no valid schema.",
      errors: [
        Problem.Entry(
          .schema(objectType: objectType, property: nil), code, detail: "“check” \(index), from 0: \(detail)")
      ])
  }
}
