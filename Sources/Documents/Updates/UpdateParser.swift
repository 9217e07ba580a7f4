import GatehouseBSON

/// Reads updates that consist of operators.
struct UpdateParser {
  /// All paths, and the paths on the way to them.
  private var paths: Set<String> = []
  private var prefixes: Set<String> = []
  private var usedFilters: Set<String> = []

  init() {}

  mutating func parse(_ document: Document, filters: Set<String>) throws(DocumentsError) -> [Update.Change] {
    var changes: [Update.Change] = []
    for element in document.elements {
      guard Self.names.contains(element.key) else {
        throw .failedToParse(
          "Unknown modifier: \(element.key). Expected a valid update modifier or pipeline-style update specified as an array"
        )
      }
      guard let fields = element.value.asDocument else {
        throw .failedToParse(
          "Modifiers operate on fields but we found type \(element.value.typeName) instead. For example: {$mod: {<field>: ...}} not {\(element.key): ...}"
        )
      }
      for field in fields.elements { changes.append(try change(element.key, field, filters: filters)) }
    }
    for name in filters.sorted() where !usedFilters.contains(name) {
      throw .failedToParse("The array filter for identifier '\(name)' was not used in the update")
    }
    precondition(
      paths.count == changes.count + changes.count(where: \.isRenaming), "a path is changed once")
    return changes.sorted { UpdatePath.precedes($0.path, $1.path) }
  }

  private static let names: Set<String> = [
    "$set", "$setOnInsert", "$unset", "$inc", "$mul", "$min", "$max", "$rename", "$currentDate", "$push",
    "$addToSet", "$pop", "$pull", "$pullAll", "$bit",
  ]

  private mutating func change(
    _ name: String, _ field: Document.Element, filters: Set<String>
  ) throws(DocumentsError) -> Update.Change {
    let path = try UpdatePath(field.key, of: name)
    for case .filtered(let identifier) in path.parts {
      if !filters.contains(identifier) {
        throw .badValue("No array filter found for identifier '\(identifier)' in path '\(field.key)'")
      }
      usedFilters.insert(identifier)
    }
    if name == "$rename" {
      let target = try target(of: field)
      try reserve(path.text)
      try reserve(target.text)
      return Update.Change(path: target, operation: .rename(from: path))
    }
    try reserve(path.text)
    return Update.Change(path: path, operation: try operation(name, field))
  }

  /// Refuses paths that are the same, or lead through each other.
  private mutating func reserve(_ path: String) throws(DocumentsError) {
    func conflict(_ place: String) -> DocumentsError {
      DocumentsError(
        .conflictingUpdateOperators, "Updating the path '\(path)' would create a conflict at '\(place)'")
    }
    var prefix = ""
    for component in path.utf8.split(separator: UInt8(ascii: ".")) {
      prefix += (prefix.isEmpty ? "" : ".") + String(Substring(component))
      if paths.contains(prefix) { throw conflict(prefix) }
      if prefix.utf8.count < path.utf8.count { prefixes.insert(prefix) }
    }
    if prefixes.contains(path) { throw conflict(path) }
    paths.insert(path)
  }

  private func target(of field: Document.Element) throws(DocumentsError) -> UpdatePath {
    guard case .string(let text) = field.value else {
      throw .badValue("The 'to' field for $rename must be a string: \(field.key)")
    }
    let target = try UpdatePath(text, of: "$rename")
    let isDynamic = try (UpdatePath(field.key, of: "$rename").parts + target.parts).contains {
      if case .field = $0 { false } else { true }
    }
    if isDynamic {
      throw .badValue("The source and target field for $rename may not be dynamic: \(field.key)")
    }
    if text == field.key {
      throw .badValue("The source and target field for $rename must differ: \(field.key)")
    }
    return target
  }

  private func number(_ name: String, _ field: Document.Element) throws(DocumentsError) -> Number {
    guard let number = Number(field.value) else {
      let verb = name == "$inc" ? "increment" : "multiply"
      throw .typeMismatch("Cannot \(verb) with non-numeric argument: {\(field.key): …}")
    }
    return number
  }

  private func operation(_ name: String, _ field: Document.Element) throws(DocumentsError) -> UpdateOperation
  {
    let value = field.value
    switch name {
    case "$set": return .set(value)
    case "$setOnInsert": return .setOnInsert(value)
    case "$unset": return .unset
    case "$inc": return .increment(try number(name, field))
    case "$mul": return .multiply(try number(name, field))
    case "$min": return .minimum(value)
    case "$max": return .maximum(value)
    case "$currentDate": return .currentDate(isTimestamp: try isTimestamp(value))
    case "$push": return .push(try ArrayInsertion(value))
    case "$addToSet": return .addToSet(try additions(value))
    case "$pop":
      guard value.isNumber else { throw .failedToParse("Expected a number in: \(field.key)") }
      guard let direction = value.asInteger, direction == 1 || direction == -1 else {
        throw .failedToParse("$pop expects 1 or -1, found another number in: \(field.key)")
      }
      return .pop(isFirst: direction == -1)
    case "$pull": return .pull(try PullCondition(value))
    case "$pullAll":
      guard case .array(let values) = value else {
        throw .badValue("$pullAll requires an array argument but was given a \(value.typeName)")
      }
      return .pullAll(values)
    default: return .bits(try bits(value))
    }
  }

  private func isTimestamp(_ value: Value) throws(DocumentsError) -> Bool {
    if case .bool = value { return false }
    guard let document = value.asDocument else {
      throw .badValue(
        "\(value.typeName) is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'})."
      )
    }
    guard document.elements.count == 1, let type = document["$type"]?.text,
      type == "date" || type == "timestamp"
    else {
      throw .badValue(
        "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}"
      )
    }
    return type == "timestamp"
  }

  private func additions(_ value: Value) throws(DocumentsError) -> [Value] {
    guard let document = value.asDocument, document.elements.first?.key == "$each" else { return [value] }
    if document.elements.count > 1 {
      throw .badValue("Found unexpected fields after $each in $addToSet: \(document.elements[1].key)")
    }
    guard case .array(let values)? = document["$each"] else {
      throw .typeMismatch(
        "The argument to $each in $addToSet must be an array but it was of type \(document["$each"].typeName)"
      )
    }
    return values
  }

  private func bits(_ value: Value) throws(DocumentsError) -> [UpdateOperation.Bits] {
    guard let document = value.asDocument else {
      throw .badValue(
        "The $bit modifier is not compatible with a \(value.typeName). You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}"
      )
    }
    if document.elements.isEmpty {
      throw .badValue(
        "You must pass in at least one bitwise operation. The format is: {$bit: {field: {and/or/xor: #}}")
    }
    return try document.elements.mapped { element throws(DocumentsError) in
      guard let kind = UpdateOperation.Bits.Kind(rawValue: element.key) else {
        throw .badValue(
          "The $bit modifier only supports 'and', 'or', and 'xor', not '\(element.key)' which is an unknown operator"
        )
      }
      guard Number(element.value)?.integer != nil else {
        throw .badValue(
          "The $bit modifier field must be an Integer(32/64 bit); a '\(element.value.typeName)' is not supported here"
        )
      }
      return UpdateOperation.Bits(kind: kind, operand: element.value)
    }
  }
}
