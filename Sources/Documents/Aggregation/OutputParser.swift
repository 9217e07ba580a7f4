import GatehouseBSON

/// Reads `$out` and `$merge`.
struct OutputParser {
  let variables: Set<String>

  func parse(_ element: Document.Element) throws(DocumentsError) -> PipelineOutput {
    if element.key == "$out" {
      if let document = element.value.asDocument, document["db"] != nil, document["coll"] == nil {
        throw .failedToParse("$out requires a collection")
      }
      return .replace(try StageParser.source(element.value, "$out"))
    }
    return .merge(try merge(element.value))
  }

  private func merge(_ value: Value) throws(DocumentsError) -> PipelineOutput.Merge {
    var document: Document = ["into": value]
    if let given = value.asDocument { document = given }
    for element in document.elements
    where !["into", "on", "let", "whenMatched", "whenNotMatched"].contains(element.key) {
      throw .at(40415, "BSON field '$merge.\(element.key)' is an unknown field.")
    }
    var fields = ["_id"]
    switch document["on"] {
    case nil: break
    case .string(let name)?: fields = [name]
    case .array(let values)? where !values.isEmpty && values.allSatisfy { $0.text != nil }:
      fields = values.compactMap(\.text)
    default: throw .at(51186, "$merge 'on' field must be either a string or an array of strings")
    }
    var bindings: [Expression.Member] = []
    for element in document["let"]?.asDocument?.elements ?? [] {
      bindings.append(
        Expression.Member(name: element.key, expression: try Expression(element.value, variables: variables)))
    }
    var whenNotMatched = PipelineOutput.Merge.NotMatched.insert
    if let value = document["whenNotMatched"] {
      guard let text = value.text, let rule = PipelineOutput.Merge.NotMatched(rawValue: text) else {
        throw .badValue("Enumeration value for field '$merge.whenNotMatched' is not a valid value.")
      }
      whenNotMatched = rule
    }
    return PipelineOutput.Merge(
      target: try StageParser.source(document["into"], "$merge's 'into'"), fields: fields,
      whenMatched: try matched(document["whenMatched"], bindings.map(\.name)), whenNotMatched: whenNotMatched,
      bindings: bindings)
  }

  private func matched(_ value: Value?, _ names: [String]) throws(DocumentsError)
    -> PipelineOutput.Merge.Matched
  {
    switch value {
    case nil, .string("merge")?: return .merge
    case .string("replace")?: return .replace
    case .string("keepExisting")?: return .keepExisting
    case .string("fail")?: return .fail
    case .array(let values)?:
      return .pipeline(try UpdatePipeline.parse(values, variables: variables.union(names).union(["new"])))
    default: throw .badValue("Enumeration value for field '$merge.whenMatched' is not a valid value.")
    }
  }
}

/// A pipeline that changes one document: that of an update, or of `$merge`.
enum UpdatePipeline {
  private static let names: Set<String> = [
    "$addFields", "$set", "$project", "$unset", "$replaceRoot", "$replaceWith",
  ]

  static func parse(_ values: [Value], variables: Set<String>) throws(DocumentsError) -> Pipeline {
    for value in values {
      guard let name = value.asDocument?.elements.first?.key else { continue }
      if name.hasPrefix("$"), !names.contains(name) {
        throw DocumentsError(.invalidOptions, "\(name) is not allowed to be used within an update")
      }
    }
    return try Pipeline(values, variables: variables)
  }
}
