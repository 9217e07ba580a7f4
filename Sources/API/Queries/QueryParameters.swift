import GatehouseBSON
import GatehouseHTTP
import GatehouseQuery

/// A query as a request has it: the same names in a URL and in the content of a request.
struct QueryParameters: Sendable {
  /// The filter, the order, and what is shown of objects.
  private(set) var request = QueryRequest()
  /// `@count,population.@sum`: values of all the objects instead of the objects.
  private(set) var aggregate: String?
  /// `country.name`, `firstLetter(name)`: the objects in sections.
  private(set) var sectionBy: String?
  /// Whether the answer says how the objects would be found.
  private(set) var explains = false
  /// The most objects of an answer, as far as the media type has a bound; nil: all.
  private(set) var limit: Int?
  /// The cursor at which the page begins, as text.
  private(set) var cursor: String?
  private var given: [Parameters.Name] = []

  /// A query of every object.
  init() {}

  /// Reads the parameters of a URL. Names that mean something else than a query are left aside.
  init(_ parameters: Parameters, _ page: PageLimit) throws(APIError) {
    limit = page.standard
    for (name, text) in parameters.values {
      switch name {
      case .args: request.arguments = try QueryParameters.arguments(text)
      case .limit: limit = try page.limit(text)
      case .explain: explains = try parameters.flag(.explain)
      default: set(name, text)
      }
      given.append(name)
    }
    try refuseContradictions()
  }

  /// Reads a document with the same names, where `args` is an array, `limit` a number and `explain` a Boolean.
  /// A cursor in the URL, as a link to the next page has it, comes before the one in the document.
  init(_ members: Document, in url: Parameters, known: [Parameters.Name], _ page: PageLimit) throws(APIError)
  {
    limit = page.standard
    for member in members.elements where member.key != QueryContent.classMember {
      guard let name = Parameters.Name(rawValue: member.key), known.contains(name) else {
        throw .unknownParameter(
          name: member.key, nearest: EditDistance.nearest(to: member.key, among: known.map(\.rawValue)),
          known: known)
      }
      guard !given.contains(name) else { throw .repeatedParameter(name) }
      try set(name, to: member.value, page)
      given.append(name)
    }
    if let cursor = url[.cursor] {
      self.cursor = cursor
      given.append(.cursor)
    }
    try refuseContradictions()
  }

  private mutating func set(_ name: Parameters.Name, to value: Value, _ page: PageLimit) throws(APIError) {
    switch (name, value) {
    case (.args, .array(let values)): request.arguments = values
    case (.limit, .int32(let number)): limit = try page.limit(Int64(number))
    case (.limit, .int64(let number)): limit = try page.limit(number)
    case (.explain, .bool(let explains)): self.explains = explains
    case (.limit, _): _ = try page.limit("")
    case (.args, _), (.explain, _): throw .invalidParameter(name)
    case (_, .string(let text)): set(name, text)
    case (_, _): throw .invalidParameter(name)
    }
  }

  private mutating func set(_ name: Parameters.Name, _ text: String) {
    switch name {
    case .filter: request.filter = text
    case .sort: request.sort = text
    case .distinct: request.distinct = text
    case .fields: request.selection.fields = text
    case .expand: request.selection.expand = text
    case .projection: request.selection.projection = text
    case .aggregate: aggregate = text
    case .sectionBy: sectionBy = text
    case .cursor: cursor = text
    // Not text, or a parameter of another resource.
    default: break
    }
  }

  /// The parameter `args`: a JSON array.
  static func arguments(_ text: String?) throws(APIError) -> [Value] {
    guard let text else { return [] }
    do {
      guard case .array(let values) = try Value(json: text) else { throw APIError.invalidParameter(.args) }
      return values
    } catch let error as JSONError {
      throw .malformedArguments(.args, error)
    } catch {
      throw .invalidParameter(.args)
    }
  }

  /// A projection says all of what is shown. Aggregates show no objects, so that there is nothing to shape or page.
  private func refuseContradictions() throws(APIError) {
    for name in [Parameters.Name.fields, .expand]
    where request.selection.projection != nil && given.contains(name) {
      throw .contradictoryParameters(.projection, name)
    }
    guard aggregate != nil else { return }
    for name in [Parameters.Name.sectionBy, .fields, .expand, .projection, .limit, .cursor]
    where given.contains(name) {
      throw .contradictoryParameters(.aggregate, name)
    }
  }
}
