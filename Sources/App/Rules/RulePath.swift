import GatehouseModel

/// The values that MongoDB finds at the path of a condition, as paths of RQL.
///
/// MongoDB looks into lists on the way and at the end of a path. Properties have types; fields of documents are what they are in
/// each.
enum RulePath {
  /// A property that has one value; what is null and what is missing is the same.
  case single(String)
  /// All elements of a list or set, or the property of all objects in one.
  case many(String)
  /// The value of a map's key. In an empty map it is no value, and null in others.
  case entry(String)
  /// A mixed value, or a field of a document, and the names that lead into it.
  case mixed([String])

  /// The most names that lead to a field: each may have a list.
  static let mostNames = 4

  /// Returns nil where a condition of a rule has no meaning.
  init?(_ names: [Substring], on type: ObjectType, in schema: Schema) {
    var type = type
    var path = ""
    var isMany = false
    for (index, name) in names.enumerated() {
      let rest = names[(index + 1)...]
      let whole = path.isEmpty ? String(name) : "\(path).\(name)"
      guard let property = type[String(name)] else {
        guard type.isSchemaless, name != "_key", index == 0, names.count <= RulePath.mostNames else {
          return nil
        }
        self = .mixed(names.map(String.init))
        return
      }
      switch property.type {
      case .one(.object(let target), _), .list(.object(let target), _), .set(.object(let target), _):
        if case .one = property.type {} else { isMany = true }
        // In documents a link is an identifier.
        guard let next = schema[target], next.isEmbedded || rest.isEmpty else { return nil }
        type = next
      case .one(.mixed, _) where index == 0 && names.count <= RulePath.mostNames:
        self = rest.isEmpty && type.isSchemaless ? .single(whole) : .mixed(names.map(String.init))
        return
      case .one(.mixed, _), .linkingObjects: return nil
      case .one:
        guard rest.isEmpty else { return nil }
      case .list, .set:
        guard rest.isEmpty else { return nil }
        isMany = true
      case .map(let element, _):
        if case .mixed = element { return nil }
        if case .object = element { return nil }
        guard rest.count == 1, !isMany else { return nil }
        self = .entry("\(whole)['\(rest[rest.startIndex])']")
        return
      }
      path = whole
    }
    self = isMany ? .many(path) : .single(path)
  }
}

/// Which documents a filter has to hold for that cannot be just those of an expression.
enum RuleBound {
  /// No others: it gives rights.
  case inner
  /// All of them: it takes rights away.
  case outer

  var opposite: RuleBound { self == .inner ? .outer : .inner }
}

extension RulePath {
  /// Returns the condition that a value there relates so to one of the literals, of which none is null.
  func condition(_ relation: String, _ literal: String, bound: RuleBound) -> String {
    switch self {
    case .single(let path), .entry(let path): return "\(path) \(relation) \(literal)"
    case .many(let path): return RulePath.comparison(path, relation, with: literal)
    case .mixed(let names):
      let parts = RulePath.variants(of: names, bound).map { variant in
        let comparison =
          variant.path.contains("[")
          ? RulePath.comparison(variant.path, relation, with: literal)
          : "\(variant.path) \(relation) \(literal)"
        return variant.list.map { "\($0).@type == 'array' AND \(comparison)" } ?? comparison
      }
      return "(\(parts.joined(separator: " OR ")))"
    }
  }

  /// A comparison of several values. Two collections would be compared pair by pair.
  private static func comparison(_ path: String, _ relation: String, with literal: String) -> String {
    "\(relation == "IN" ? "ANY " : "")\(path) \(relation) \(literal)"
  }

  /// Returns the condition that the value is null or missing, or one of a list's elements is; nil where that cannot be asked, since
  /// lists are never missing.
  func isNull(_ bound: RuleBound) -> String? {
    switch self {
    case .many(let path): return bound == .inner ? "\(path) == NULL" : nil
    case .single(let path): return "\(path) == NULL"
    case .entry(let path): return "NOT \(path) != NULL"
    case .mixed(let names):
      let path = names.joined(separator: ".")
      let lists = names.indices.map { names[...$0].joined(separator: ".") }
      let parts: [String]
      switch bound {
      case .outer where names.count > 1:
        parts = ["NOT \(path) != NULL"] + lists.map { "\($0).@type == 'array'" }
      case .inner, .outer:
        let own = lists.dropLast().map { " AND NOT \($0).@type == 'array'" }.joined()
        parts = ["NOT \(path) != NULL\(own)", "\(path).@type == 'array' AND \(path)[*] == NULL"]
      }
      return "(\(parts.joined(separator: " OR ")))"
    }
  }

  /// Returns the condition that there is a value; nil where that cannot be asked, since null is one in MongoDB.
  func exists(_ bound: RuleBound) -> String? {
    switch (self, bound) {
    case (.single(let path), _), (.entry(let path), .inner): "\(path) != NULL"
    case (.mixed(let names), .inner): "\(names.joined(separator: ".")) != NULL"
    case (.many, _), (.entry, .outer), (.mixed, .outer): nil
    }
  }

  /// A way through names, with `[*]` behind those that are lists, and the only one of these.
  private struct Variant {
    let path: String
    let list: String?
  }

  /// Whether a value is a list is asked where one is on the way. Of several that cannot be asked of each by itself: an outer bound
  /// has them all the same.
  private static func variants(of names: [String], _ bound: RuleBound) -> [Variant] {
    precondition(names.count <= mostNames, "each name that leads to a field doubles the ways")
    var variants: [Variant] = []
    for lists in 0..<(1 << names.count) where bound == .outer || lists.nonzeroBitCount <= 1 {
      let path = names.indices.map { names[$0] + (lists & (1 << $0) == 0 ? "" : "[*]") }.joined(
        separator: ".")
      let isOne = lists.nonzeroBitCount == 1
      let list = isOne ? names[...lists.trailingZeroBitCount].joined(separator: ".") : nil
      variants.append(Variant(path: path, list: list))
    }
    return variants
  }
}
