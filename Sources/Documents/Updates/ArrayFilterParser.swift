import GatehouseBSON

/// Reads the conditions of `$[name]`.
enum ArrayFilterParser {
  static func parse(_ documents: [Document]) throws(DocumentsError) -> [String: Filter] {
    var filters: [String: Filter] = [:]
    for document in documents {
      var names: [String] = []
      collect(document, into: &names, depth: 0)
      guard let name = names.first else {
        throw .failedToParse("Cannot use an expression without a top-level field name in arrayFilters")
      }
      if let other = names.first(where: { $0 != name }) {
        throw .failedToParse(
          "Error parsing array filter :: caused by :: Expected a single top-level field name, found '\(name)' and '\(other)'"
        )
      }
      guard let first = name.utf8.first, 0x61...0x7A ~= first,
        name.unicodeScalars.allSatisfy({ $0.isWord && $0 != "_" })
      else {
        throw .badValue(
          "Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '\(name)'"
        )
      }
      if filters[name] != nil {
        throw .failedToParse("Found multiple array filters with the same top-level field name \(name)")
      }
      filters[name] = try Filter(document)
    }
    return filters
  }

  private static func collect(_ document: Document, into names: inout [String], depth: Int) {
    if depth > FilterParser.depthLimit { return }
    for element in document.elements {
      if element.key.hasPrefix("$") {
        for value in element.value.asArray ?? [] {
          if let inner = value.asDocument { collect(inner, into: &names, depth: depth + 1) }
        }
      } else {
        names.append(String(element.key.prefix { $0 != "." }))
      }
    }
  }
}
