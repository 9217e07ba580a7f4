import GatehouseBSON

extension NamedFunction {
  static let dateParts: [NamedFunction] = [
    part("$year") { $0.year }, part("$month") { $0.month }, part("$dayOfMonth") { $0.day },
    part("$hour") { $0.hour }, part("$minute") { $0.minute }, part("$second") { $0.second },
    part("$millisecond") { $0.millisecond }, part("$dayOfWeek") { $0.dayOfWeek },
    part("$dayOfYear") { $0.dayOfYear }, part("$week") { $0.week }, part("$isoWeek") { $0.isoWeek.week },
    part("$isoDayOfWeek") { $0.isoDayOfWeek },
    NamedFunction(
      "$isoWeekYear", ["date", "timezone"], required: ["date"], takesValue: true
    ) { arguments throws(DocumentsError) in
      try parts(arguments).map { .int64(Int64($0.isoWeek.year)) } ?? .null
    },
    NamedFunction(
      "$dateToParts", ["date", "timezone", "iso8601"], required: ["date"]
    ) { arguments throws(DocumentsError) in
      guard let parts = try parts(arguments) else { return .null }
      var document = Document()
      if case .bool(true)? = arguments["iso8601"] {
        document.append("isoWeekYear", .count(parts.isoWeek.year))
        document.append("isoWeek", .count(parts.isoWeek.week))
        document.append("isoDayOfWeek", .count(parts.isoDayOfWeek))
      } else {
        document.append("year", .count(parts.year))
        document.append("month", .count(parts.month))
        document.append("day", .count(parts.day))
      }
      document.append("hour", .count(parts.hour))
      document.append("minute", .count(parts.minute))
      document.append("second", .count(parts.second))
      document.append("millisecond", .count(parts.millisecond))
      return .document(document)
    },
    NamedFunction(
      "$dateFromParts",
      [
        "year", "month", "day", "isoWeekYear", "isoWeek", "isoDayOfWeek", "hour", "minute", "second",
        "millisecond", "timezone",
      ], required: []
    ) { arguments throws(DocumentsError) in try fromParts(arguments) },
  ]

  private static func part(_ name: String, _ part: @escaping @Sendable (DateParts) -> Int) -> NamedFunction {
    NamedFunction(name, ["date", "timezone"], required: ["date"], takesValue: true) {
      arguments throws(DocumentsError) in
      try parts(arguments).map { .count(part($0)) } ?? .null
    }
  }

  /// Nil where date or time zone are null.
  private static func parts(_ arguments: Arguments) throws(DocumentsError) -> DateParts? {
    if arguments["date"].isNullish || arguments.isNullish("timezone") { return nil }
    let zone = try TimeZone(arguments["timezone"], arguments.name)
    let date = try DateValue.date(arguments["date"], arguments.name)
    return DateParts(date, offset: zone.offset(at: date))
  }

  private static func fromParts(_ arguments: Arguments) throws(DocumentsError) -> Value? {
    var numbers: [String: Int] = [:]
    for name in arguments.parameters where name != "timezone" && arguments.has(name) {
      guard let value = arguments[name], !value.isNullish else { return .null }
      guard let number = value.asInteger, number.magnitude < 1 << 40 else {
        throw .at(40515, "'\(name)' must evaluate to an integer, found \(value.typeName)")
      }
      numbers[name] = Int(number)
    }
    if arguments.isNullish("timezone") { return .null }
    let zone = try TimeZone(arguments["timezone"], arguments.name)
    let days: Int
    if let year = numbers["isoWeekYear"] {
      guard 1...9999 ~= year else {
        throw .at(31095, "'isoWeekYear' must evaluate to an integer in the range 1 to 9999")
      }
      let fourth = DateParts.days(year: year, month: 1, day: 4)
      let parts = DateParts(Date(seconds: Int64(fourth) * 86_400), offset: 0)
      let monday = fourth - parts.isoDayOfWeek + 1
      days = monday + ((numbers["isoWeek"] ?? 1) - 1) * 7 + (numbers["isoDayOfWeek"] ?? 1) - 1
    } else if let year = numbers["year"] {
      guard 1...9999 ~= year else {
        throw .at(40523, "'year' must evaluate to an integer in the range 1 to 9999")
      }
      days = DateParts.days(year: year, month: numbers["month"] ?? 1, day: 1) + (numbers["day"] ?? 1) - 1
    } else {
      throw .at(40516, "$dateFromParts requires either 'year' or 'isoWeekYear' to be present")
    }
    let seconds = (numbers["hour"] ?? 0) * 3600 + (numbers["minute"] ?? 0) * 60 + (numbers["second"] ?? 0)
    guard
      let date = DateParts.date(
        days: days, seconds: seconds, milliseconds: numbers["millisecond"] ?? 0, offset: 0)
    else { throw DocumentsError(.overflow, "date overflow in $dateFromParts") }
    return .date(zone.date(ofLocal: date))
  }

  static let dateArithmetic: [NamedFunction] = [
    moved("$dateAdd", by: 1), moved("$dateSubtract", by: -1),
    NamedFunction(
      "$dateDiff", ["startDate", "endDate", "unit", "timezone", "startOfWeek"],
      required: ["startDate", "endDate", "unit"]
    ) { arguments throws(DocumentsError) in
      if ["startDate", "endDate", "unit", "timezone", "startOfWeek"].contains(where: {
        arguments.isNullish($0)
      }) {
        return .null
      }
      let zone = try TimeZone(arguments["timezone"], arguments.name)
      let unit = try DateUnit(arguments["unit"], arguments.name)
      let firstDay = try DateUnit.weekday(arguments["startOfWeek"], arguments.name)
      let start = try DateValue.date(arguments["startDate"], arguments.name)
      let end = try DateValue.date(arguments["endDate"], arguments.name)
      // Hours that have passed, between those of the clock at the start.
      let offset = zone.offset(at: start)
      let last = unit.index(of: end, unit.isOfCalendar ? zone.offset(at: end) : offset, firstDay: firstDay)
      return .int64(Int64(last - unit.index(of: start, offset, firstDay: firstDay)))
    },
    NamedFunction(
      "$dateTrunc", ["date", "unit", "binSize", "timezone", "startOfWeek"], required: ["date", "unit"]
    ) { arguments throws(DocumentsError) in
      if ["date", "unit", "binSize", "timezone", "startOfWeek"].contains(where: { arguments.isNullish($0) }) {
        return .null
      }
      let zone = try TimeZone(arguments["timezone"], arguments.name)
      let unit = try DateUnit(arguments["unit"], arguments.name)
      let firstDay = try DateUnit.weekday(arguments["startOfWeek"], arguments.name)
      let size = arguments["binSize"]?.asInteger ?? 1
      if size <= 0 || size > 100_000_000_000 {
        throw .at(5_439_018, "$dateTrunc requires 'binSize' value to be a positive integer")
      }
      let date = try DateValue.date(arguments["date"], arguments.name)
      let isOfCalendar = unit.isOfCalendar
      let offset = isOfCalendar ? 0 : zone.offset(at: date)
      guard
        let result = unit.truncated(
          isOfCalendar ? zone.local(date) : date, bin: Int(size), (offset, firstDay))
      else { throw DocumentsError(.overflow, "date overflow in $dateTrunc") }
      return .date(isOfCalendar ? zone.date(ofLocal: result) : result)
    },
  ]

  private static func moved(_ name: String, by sign: Int) -> NamedFunction {
    NamedFunction(
      name, ["startDate", "unit", "amount", "timezone"], required: ["startDate", "unit", "amount"]
    ) { arguments throws(DocumentsError) in
      if ["startDate", "unit", "amount", "timezone"].contains(where: { arguments.isNullish($0) }) {
        return .null
      }
      let zone = try TimeZone(arguments["timezone"], arguments.name)
      let unit = try DateUnit(arguments["unit"], arguments.name)
      guard let amount = arguments["amount"]?.asInteger, amount.magnitude < 1 << 45 else {
        throw .at(5_166_405, "\(name) expects integer amount of time units")
      }
      let date = try DateValue.date(arguments["startDate"], arguments.name)
      // Clocks show the same time a day later, also where they have been put forward.
      let isOfCalendar = unit.isOfCalendar
      guard
        let result = unit.adding(Int(amount) * sign, to: isOfCalendar ? zone.local(date) : date, offset: 0)
      else { throw DocumentsError(.overflow, "\(name) overflowed") }
      return .date(isOfCalendar ? zone.date(ofLocal: result) : result)
    }
  }

  static let dateText: [NamedFunction] = [
    NamedFunction(
      "$dateToString", ["date", "format", "timezone", "onNull"], required: ["date"]
    ) { arguments throws(DocumentsError) in
      if arguments.isNullish("date") { return arguments.has("onNull") ? arguments["onNull"] : .null }
      if arguments.isNullish("timezone") || arguments.isNullish("format") { return .null }
      let zone = try TimeZone(arguments["timezone"], arguments.name)
      let date = try DateValue.date(arguments["date"], arguments.name)
      let offset = zone.offset(at: date)
      guard let format = arguments["format"] else {
        return .string(DateParts(date, offset: offset).isoText + (offset == 0 ? "Z" : ""))
      }
      guard case .string(let format) = format else {
        throw .at(18533, "$dateToString requires that 'format' be a string, found: \(format.typeName)")
      }
      return .string(try DateText.format(date, format, offset: offset))
    },
    NamedFunction(
      "$dateFromString", ["dateString", "format", "timezone", "onError", "onNull"], required: ["dateString"]
    ) { arguments throws(DocumentsError) in
      if arguments.isNullish("dateString") { return arguments.has("onNull") ? arguments["onNull"] : .null }
      if arguments.isNullish("timezone") || arguments.isNullish("format") { return .null }
      let zone = try TimeZone(arguments["timezone"], arguments.name)
      var date: Date?
      if case .string(let text)? = arguments["dateString"] {
        if case .string(let format)? = arguments["format"] {
          date = DateText.parse(text, format: format, in: zone)
        } else {
          date = DateText.parse(text, in: zone)
        }
      }
      if let date { return .date(date) }
      if arguments.has("onError") { return arguments["onError"] }
      throw DocumentsError(.conversionFailure, "Error parsing date string in $dateFromString")
    },
  ]
}

extension NamedFunction.Arguments {
  fileprivate var parameters: [String] {
    [
      "year", "month", "day", "isoWeekYear", "isoWeek", "isoDayOfWeek", "hour", "minute", "second",
      "millisecond",
    ]
  }
}
