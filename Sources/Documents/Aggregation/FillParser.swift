import GatehouseBSON

/// Reads `$fill`, which is `$setWindowFields` for methods and `$set` for values, as in MongoDB.
struct FillParser {
  let variables: Set<String>

  func parse(_ document: Document) throws(DocumentsError) -> [Stage] {
    for element in document.elements
    where !["partitionBy", "partitionByFields", "sortBy", "output"].contains(element.key) {
      throw .at(40415, "BSON field '$fill.\(element.key)' is an unknown field.")
    }
    guard let output = document["output"]?.asDocument, !output.elements.isEmpty else {
      throw .at(40414, "BSON field '$fill.output' is missing but a required field")
    }
    var (methods, values) = (Document(), Document())
    for element in output.elements {
      guard let rule = element.value.asDocument, rule.elements.count == 1, let member = rule.elements.first
      else {
        throw .at(6_050_200, "each field of $fill's 'output' must have either 'value' or 'method'")
      }
      let field = Value.string("$\(element.key)")
      switch (member.key, member.value) {
      case ("value", let value): values.append(element.key, ["$ifNull": .array([field, value])])
      case ("method", .string("linear")): methods.append(element.key, ["$linearFill": field])
      case ("method", .string("locf")): methods.append(element.key, ["$locf": field])
      default: throw .at(6_050_202, "Method must be either locf or linear")
      }
    }
    var stages: [Stage] = []
    if !methods.elements.isEmpty {
      var window: Document = ["output": .document(methods)]
      if let partition = try partition(document) { window.append("partitionBy", partition) }
      if let order = document["sortBy"] { window.append("sortBy", order) }
      stages += try WindowParser(variables: variables).parse(window)
    }
    if !values.elements.isEmpty {
      stages.append(.assign(try FieldAssignment(values, "$set", variables: variables)))
    }
    return stages
  }

  private func partition(_ document: Document) throws(DocumentsError) -> Value? {
    guard let fields = document["partitionByFields"] else { return document["partitionBy"] }
    if document["partitionBy"] != nil {
      throw .at(6_050_204, "Maximum one of 'partitionBy' and 'partitionByFields' can be specified in '$fill'")
    }
    guard case .array(let names) = fields else {
      throw .typeMismatch("$fill's 'partitionByFields' must be an array of strings")
    }
    // A path is no name of a field: each has a place of its own.
    var key = Document()
    for (index, name) in names.enumerated() {
      guard case .string(let text) = name, !text.hasPrefix("$") else {
        throw .at(6_050_205, "$fill's 'partitionByFields' has names of fields")
      }
      key.append("f\(index)", .string("$\(text)"))
    }
    return key.elements.isEmpty ? nil : .document(key)
  }
}
