import GatehouseBSON

/// Reads `$setWindowFields`.
struct WindowParser {
  let variables: Set<String>

  func parse(_ document: Document) throws(DocumentsError) -> [Stage] {
    for element in document.elements where !["partitionBy", "sortBy", "output"].contains(element.key) {
      throw .at(40415, "BSON field '$setWindowFields.\(element.key)' is an unknown field.")
    }
    guard let output = document["output"]?.asDocument else {
      throw .at(40414, "BSON field '$setWindowFields.output' is missing but a required field")
    }
    var partition: Expression?
    if let value = document["partitionBy"] { partition = try Expression(value, variables: variables) }
    var order: SortPattern?
    if let value = document["sortBy"]?.asDocument { order = try SortPattern(value) }
    let fields = try output.elements.mapped { element throws(DocumentsError) in
      try field(element, order)
    }
    return [.window(WindowFields(partition: partition, order: order, fields: fields))]
  }

  private func field(
    _ element: Document.Element, _ order: SortPattern?
  ) throws(DocumentsError) -> WindowFields.Field {
    let path = try FieldPath(expression: element.key).components
    guard let document = element.value.asDocument else {
      throw .failedToParse("The field '\(element.key)' must be a window function object")
    }
    var (function, window): (Document.Element?, Document?) = (nil, nil)
    for member in document.elements {
      if member.key == "window" {
        window = member.value.asDocument
        if window == nil { throw .failedToParse("'window' field must be an object") }
      } else if function == nil, member.key.hasPrefix("$") {
        function = member
      } else {
        throw .failedToParse("Window function found an unknown argument: \(member.key)")
      }
    }
    guard let function else {
      throw .failedToParse("Expected a $-prefixed window function, in \(element.key)")
    }
    return WindowFields.Field(path: path, operation: try operation(function, over: window, order))
  }

  private func operation(
    _ function: Document.Element, over window: Document?, _ order: SortPattern?
  ) throws(DocumentsError) -> WindowFields.Operation {
    switch function.key {
    case "$rank", "$denseRank", "$documentNumber":
      if order == nil {
        throw .at(5_371_602, "\(function.key) must be specified with a top level sortBy expression")
      }
      if window != nil { throw .at(5_371_601, "Rank style window functions take no other arguments") }
      return function.key == "$rank" ? .rank : function.key == "$denseRank" ? .denseRank : .documentNumber
    case "$shift":
      guard let document = function.value.asDocument, let output = document["output"],
        let distance = document["by"]?.asInteger, distance.magnitude <= UInt64(Int32.max)
      else { throw .failedToParse("$shift requires 'output' and an integer 'by'") }
      if order == nil { throw .failedToParse("$shift requires a sortBy") }
      var otherwise: Expression?
      if let value = document["default"] { otherwise = try Expression(value, variables: variables) }
      return .shift(try Expression(output, variables: variables), by: Int(distance), otherwise: otherwise)
    case "$linearFill", "$expMovingAvg", "$derivative", "$integral", "$covariancePop", "$covarianceSamp":
      return .function(try self.function(function, over: window, order))
    case "$locf": return .lastObservation(try Expression(function.value, variables: variables))
    default:
      guard Accumulator.names.contains(function.key) else {
        throw .failedToParse("Unrecognized window function, \(function.key)")
      }
      return .accumulator(
        try Accumulator(function.key, function.value, variables: variables), try self.window(window, order))
    }
  }

  private func function(
    _ function: Document.Element, over window: Document?, _ order: SortPattern?
  ) throws(DocumentsError) -> WindowFields.Function {
    let name = function.key
    func expression(_ value: Value) throws(DocumentsError) -> Expression {
      try Expression(value, variables: variables)
    }
    if name == "$covariancePop" || name == "$covarianceSamp" {
      guard case .array(let values) = function.value, values.count == 2 else {
        throw .failedToParse("\(name) takes an array of two expressions")
      }
      return .covariance(
        try expression(values[0]), try expression(values[1]), isSample: name == "$covarianceSamp",
        try self.window(window, order))
    }
    guard let order, order.keys.count == 1 || name == "$expMovingAvg" else {
      throw .failedToParse("\(name) requires a sortBy of one field")
    }
    switch name {
    case "$linearFill":
      if window != nil { throw .failedToParse("\(name) takes no 'window'") }
      return .linearFill(try expression(function.value))
    case "$expMovingAvg":
      if window != nil { throw .failedToParse("\(name) takes no 'window'") }
      guard let document = function.value.asDocument, let input = document["input"],
        let alpha = try WindowParser.alpha(document)
      else { throw .failedToParse("$expMovingAvg requires 'input', and either 'N' or 'alpha'") }
      return .movingAverage(try expression(input), alpha: alpha)
    default:
      guard let document = function.value.asDocument, let input = document["input"] else {
        throw .failedToParse("\(name) requires an 'input' expression")
      }
      for member in document.elements where !["input", "unit"].contains(member.key) {
        throw .failedToParse("\(name) got unexpected argument: \(member.key)")
      }
      let unit = try document["unit"].map { [$0] }?.mapped { value throws(DocumentsError) in
        try DateUnit(value, name)
      }.first
      if let unit, unit.millisecondsOfFixed == nil { throw .at(5_490_704, "unit must be 'week' or smaller") }
      if name == "$derivative", window == nil {
        throw .failedToParse("$derivative requires explicit window bounds")
      }
      let bounds = try self.window(window, order)
      return name == "$derivative"
        ? .derivative(try expression(input), unit, bounds) : .integral(try expression(input), unit, bounds)
    }
  }

  /// The weight of new values, of which `N` says how many count.
  private static func alpha(_ document: Document) throws(DocumentsError) -> Number? {
    switch (document["N"], document["alpha"]) {
    case (let count?, nil):
      guard let count = count.asInteger, count > 0 else {
        throw .failedToParse("'N' must be a positive integer")
      }
      return Number(.double(2 / (Double(count) + 1)))
    case (nil, let alpha?):
      guard let value = alpha.asDouble, value > 0, value < 1 else {
        throw .failedToParse("'alpha' must be between 0 and 1 (exclusive)")
      }
      return Number(alpha)
    default: return nil
    }
  }

  private func window(_ document: Document?, _ order: SortPattern?) throws(DocumentsError)
    -> WindowFields.Window
  {
    guard let document else { return .documents(lower: nil, upper: nil) }
    if let bounds = document["documents"]?.asArray {
      guard bounds.count == 2, document["range"] == nil, document["unit"] == nil else {
        throw .failedToParse("Window bounds must be a 2-element array, and have no unit")
      }
      if order == nil, bounds.contains(where: { $0.text != "unbounded" }) {
        throw .at(5_339_901, "Document-based bounds require a sortBy")
      }
      let (lower, upper) = (try place(bounds[0]), try place(bounds[1]))
      if let lower, let upper, lower > upper { throw WindowParser.reversed }
      return .documents(lower: lower, upper: upper)
    }
    guard let bounds = document["range"]?.asArray, bounds.count == 2 else {
      throw .failedToParse("'window' field must have 'documents' or 'range', a 2-element array")
    }
    guard order?.keys.count == 1 else {
      throw .at(5_339_902, "Range-based bounds require sortBy a single field")
    }
    var unit: DateUnit?
    if document["unit"] != nil { unit = try DateUnit(document["unit"], "$setWindowFields") }
    let (lower, upper) = (try bound(bounds[0]), try bound(bounds[1]))
    if let first = lower.offset, let last = upper.offset, ValueOrder.compare(first, last) > 0 {
      throw WindowParser.reversed
    }
    return .range(lower: lower, upper: upper, unit: unit)
  }

  private static let reversed = DocumentsError.at(5_339_900, "Lower bound must not exceed upper bound")

  private func place(_ value: Value) throws(DocumentsError) -> Int? {
    if value.text == "unbounded" { return nil }
    if value.text == "current" { return 0 }
    guard let number = value.asInteger, number.magnitude <= UInt64(Int32.max) else {
      throw .failedToParse("Numeric document-based bounds must be an integer")
    }
    return Int(number)
  }

  private func bound(_ value: Value) throws(DocumentsError) -> WindowFields.Bound {
    if value.text == "unbounded" { return .unbounded }
    if value.text == "current" { return .current }
    if !value.isNumber || value.isNaN {
      throw .failedToParse("Range-based bounds expression must be a number")
    }
    return .offset(value)
  }
}
