internal import GatehouseModel
internal import GatehouseQuery

/// A condition on objects, in Cocoa's language of predicates.
///
/// It stands where Apple's systems have `NSPredicate`, whose formats Foundation does not read elsewhere, and which
/// cannot be another type's name beside Foundation:
///
///     dogs.filter(RealmPredicate(format: "age > %@ AND name BEGINSWITH[c] %@", 3, "r"))
public struct RealmPredicate: Sendable {
  let syntax: PredicateSyntax
  /// The format as it was given; nil: there was none.
  private let format: String?

  /// Takes a predicate that was read already, or made of the closure of a `where`.
  init(_ syntax: PredicateSyntax, format: String? = nil) {
    self.syntax = syntax
    self.format = format
  }

  /// Reads a format; arguments take the places of `%@`, `%K` and others in their order. Traps where it is none, since
  /// formats are part of a program; ``init(parsing:arguments:)`` throws.
  public init(format predicateFormat: String, _ args: Any...) {
    self.init(format: predicateFormat, argumentArray: args)
  }

  /// Reads a format; arguments take the places of `%@`, `%K` and others in their order. Traps where it is none.
  public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
    do throws(RealmPredicateError) {
      try self.init(parsing: predicateFormat, arguments: arguments ?? [])
    } catch {
      fatalError(error.reason)
    }
  }

  /// Reads a format that a user may have written.
  ///
  /// - Throws: a ``RealmPredicateError`` where it is none.
  public init(parsing format: String, arguments: [Any] = []) throws(RealmPredicateError) {
    self.init(try FormatParser.parse(format, arguments: arguments), format: format)
  }

  /// A predicate that holds for all objects, or for none.
  public init(value: Bool) {
    self.init(.truth(value))
  }

  /// A predicate that holds where all of the predicates do.
  public init(andPredicateWithSubpredicates subpredicates: [RealmPredicate]) {
    self.init(.all(subpredicates.map(\.syntax)))
  }

  /// A predicate that holds where one of the predicates does.
  public init(orPredicateWithSubpredicates subpredicates: [RealmPredicate]) {
    self.init(.any(subpredicates.map(\.syntax)))
  }

  /// A predicate that holds where another does not.
  public init(notPredicateWithSubpredicate predicate: RealmPredicate) {
    self.init(.not(predicate.syntax))
  }

  /// The format that the predicate was read from; of others a description.
  public var predicateFormat: String { format ?? "\(syntax)" }

  /// Returns the predicate of objects of a class, as the store answers it.
  ///
  /// - Throws: a ``RealmPredicateError`` where the class has no such properties, or values do not have their types.
  func bound(
    to className: String, in schema: GatehouseModel.Schema
  ) throws(RealmPredicateError) -> GatehouseQuery.Predicate {
    guard let type = schema[className] else { throw .unknownClass(className) }
    var binder = PredicateBinder(schema)
    return try binder.predicate(syntax, on: type)
  }
}

extension RealmPredicate: CustomStringConvertible, Equatable {
  /// The format that the predicate was read from.
  public var description: String { predicateFormat }

  /// Whether both ask the same of the same names, however they are spelled.
  public static func == (lhs: RealmPredicate, rhs: RealmPredicate) -> Bool { lhs.syntax == rhs.syntax }
}
