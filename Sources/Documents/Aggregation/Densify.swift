import GatehouseBSON

/// `$densify`: documents in the gaps of a sequence of numbers or dates.
struct Densify: Sendable {
  enum Bounds: Sendable {
    /// From the least to the greatest value of all documents, in each partition.
    case full
    /// From the least to the greatest value of the partition.
    case partition
    case explicit(Value, Value)
  }

  /// The most documents that may be made, as in MongoDB.
  private static let limit = 500_000

  private let path: [String]
  private let partitions: [[String]]
  private let step: Value
  private let unit: DateUnit?
  private let bounds: Bounds

  init(_ document: Document) throws(DocumentsError) {
    for element in document.elements where !["field", "partitionByFields", "range"].contains(element.key) {
      throw .at(40415, "BSON field '$densify.\(element.key)' is an unknown field.")
    }
    guard case .string(let field)? = document["field"] else {
      throw .at(40414, "BSON field '$densify.field' is missing but a required field")
    }
    let path = try FieldPath(expression: field).components
    self.path = path
    partitions = try Densify.paths(document["partitionByFields"])
    if partitions.contains(where: { $0.starts(with: path) || path.starts(with: $0) }) {
      throw .at(5_733_400, "the field to densify cannot be a field of the partition")
    }
    guard let range = document["range"]?.asDocument else {
      throw .at(40414, "BSON field '$densify.range' is missing but a required field")
    }
    for element in range.elements where !["step", "unit", "bounds"].contains(element.key) {
      throw .at(40415, "BSON field '$densify.range.\(element.key)' is an unknown field.")
    }
    guard let step = range["step"], let amount = step.asDouble, amount > 0, amount.isFinite else {
      throw .at(
        5_733_401, "the step parameter in a range statement must be a strictly positive numeric value")
    }
    self.step = step
    unit = try range["unit"].map { [$0] }?.mapped { value throws(DocumentsError) in
      try DateUnit(value, "$densify")
    }.first
    if unit != nil, step.asInteger == nil {
      throw .at(
        6_586_400,
        "the step parameter in a range statement must be a whole number when densifying a date range")
    }
    bounds = try Densify.bounds(range["bounds"], isOfDates: unit != nil)
  }

  private static func paths(_ value: Value?) throws(DocumentsError) -> [[String]] {
    guard let value else { return [] }
    guard case .array(let names) = value else {
      throw .typeMismatch("$densify's 'partitionByFields' must be an array of strings")
    }
    return try names.mapped { name throws(DocumentsError) in
      guard case .string(let text) = name else {
        throw .typeMismatch("$densify's 'partitionByFields' must be an array of strings")
      }
      return try FieldPath(expression: text).components
    }
  }

  private static func bounds(_ value: Value?, isOfDates: Bool) throws(DocumentsError) -> Bounds {
    switch value {
    case .string("full")?: return .full
    case .string("partition")?: return .partition
    case .array(let ends)? where ends.count == 2:
      let areRight = ends.allSatisfy { end in
        if case .date = end { isOfDates } else { !isOfDates && end.isNumber && !end.isNaN }
      }
      guard areRight else {
        throw .at(
          5_733_402,
          "a bounding array must contain either both dates, with a unit, or both numbers, without one")
      }
      guard ValueOrder.compare(ends[0], ends[1]) <= 0 else {
        throw .at(5_733_403, "the bounds in a range statement must be in ascending order")
      }
      return .explicit(ends[0], ends[1])
    default:
      throw .at(5_946_802, "bounds string must either be 'full' or 'partition', or an array of two values")
    }
  }

  func documents(of input: any DocumentCursor, in context: PipelineContext) throws(DocumentsError)
    -> [Document]
  {
    var (results, groups): ([Document], [(key: Document, entries: [(value: Value, document: Document)])]) = (
      [], []
    )
    var places: [ValueKey: Int] = [:]
    for document in try input.rest(charging: context.budget) {
      // A document without the value stays as it is.
      guard let value = document.value(at: path), !value.isNullish else {
        results.append(document)
        continue
      }
      try check(value)
      var key = Document()
      for path in partitions {
        key = Lookup.setting(document.value(at: path) ?? .null, at: path[...], of: key)
      }
      let place = places[ValueKey(.document(key))] ?? groups.count
      if place == groups.count {
        places[ValueKey(.document(key))] = place
        groups.append((key, []))
      }
      groups[place].entries.append((value, document))
    }
    precondition(places.count == groups.count, "what is equal in the order of values is one partition")
    let all = groups.flatMap { $0.entries.map(\.value) }
    let ends = Densify.ends(of: all)
    if groups.isEmpty, case .explicit = bounds, partitions.isEmpty { groups = [([:], [])] }
    groups.sort { ValueOrder.compare(.document($0.key), .document($1.key)) < 0 }
    var room = Densify.limit
    for group in groups {
      results += try filled(group, within: ends, room: &room, charging: context.budget)
    }
    return results
  }

  private func check(_ value: Value) throws(DocumentsError) {
    if case .date = value, unit != nil { return }
    guard value.isNumber, unit == nil else {
      throw .at(5_733_201, "Densify field type must be numeric, or a date with a unit")
    }
  }

  private static func ends(of values: [Value]) -> (Value, Value)? {
    guard var (least, most) = values.first.map({ ($0, $0) }) else { return nil }
    for value in values {
      if ValueOrder.compare(value, least) < 0 { least = value }
      if ValueOrder.compare(value, most) > 0 { most = value }
    }
    return (least, most)
  }

  /// The documents of a partition, in order, with those that were made.
  private func filled(
    _ group: (key: Document, entries: [(value: Value, document: Document)]), within all: (Value, Value)?,
    room: inout Int, charging budget: Budget
  ) throws(DocumentsError) -> [Document] {
    let entries = group.entries.enumerated().sorted {
      let order = ValueOrder.compare($0.element.value, $1.element.value)
      return order != 0 ? order < 0 : $0.offset < $1.offset
    }.map(\.element)
    let range: (Value, Value)? =
      switch bounds {
      case .full: all
      case .partition: Densify.ends(of: entries.map(\.value))
      case .explicit(let lower, let upper): (lower, upper)
      }
    guard let (lower, upper) = range else { return entries.map(\.document) }
    var (results, next): ([Document], Int) = ([], 0)
    var count = 0
    let roomBefore = room
    var previous: Value?
    while let value = try value(count, after: lower), ValueOrder.compare(value, upper) < 0 {
      try budget.step()
      if let previous, ValueOrder.compare(value, previous) <= 0 {
        throw .at(
          5_733_401, "the step parameter in a range statement is too small to change the values of the field")
      }
      previous = value
      count += 1
      while next < entries.count, ValueOrder.compare(entries[next].value, value) < 0 {
        results.append(entries[next].document)
        next += 1
      }
      if next < entries.count, ValueOrder.compare(entries[next].value, value) == 0 { continue }
      room -= 1
      if room < 0 {
        throw .at(5_897_900, "Generated \(Self.limit) documents in $densify, which is the limit")
      }
      let made = Lookup.setting(value, at: path[...], of: group.key)
      try budget.charge(made.memory)
      results.append(made)
    }
    precondition(
      results.count == next + roomBefore - room,
      "documents stay, and those between them that are made are counted")
    return results + entries[next...].map(\.document)
  }

  /// The value so many steps from the first one; nil where it is out of range.
  private func value(_ count: Int, after first: Value) throws(DocumentsError) -> Value? {
    guard count > 0 else { return first }
    if case .date(let date) = first, let unit, let amount = step.asInteger {
      let (steps, overflow) = Int(amount).multipliedReportingOverflow(by: count)
      return overflow ? nil : unit.adding(steps, to: date, offset: 0).map { .date($0) }
    }
    guard let start = Number(first), let step = Number(step), let factor = Number(.count(count)) else {
      return nil
    }
    return (start + step * factor).value
  }
}
