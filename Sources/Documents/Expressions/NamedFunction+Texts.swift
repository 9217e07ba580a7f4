import GatehouseBSON

extension NamedFunction {
  static let texts: [NamedFunction] = [
    NamedFunction(
      "$regexMatch", ["input", "regex", "options"], required: ["input", "regex"]
    ) { arguments throws(DocumentsError) in
      guard let (text, pattern) = try search(arguments) else { return .bool(false) }
      return .bool(pattern.first(in: text, from: 0, isCapturing: false) != nil)
    },
    NamedFunction(
      "$regexFind", ["input", "regex", "options"], required: ["input", "regex"]
    ) { arguments throws(DocumentsError) in
      guard let (text, pattern) = try search(arguments), let match = pattern.first(in: text, from: 0) else {
        return .null
      }
      return found(match, pattern, in: text)
    },
    NamedFunction(
      "$regexFindAll", ["input", "regex", "options"], required: ["input", "regex"]
    ) { arguments throws(DocumentsError) in
      guard let (text, pattern) = try search(arguments) else { return .array([]) }
      var (results, position, bytes): ([Value], Int, Int) = ([], 0, 0)
      while position <= text.count, let match = pattern.first(in: text, from: position) {
        // A pattern may look at all of the text for each match.
        try arguments.budget.step(1 + match.steps)
        let result = found(match, pattern, in: text)
        bytes += result.memory
        try arguments.budget.charge(result.memory)
        results.append(result)
        position = match.range.isEmpty ? match.range.upperBound + 1 : match.range.upperBound
      }
      // The stage that keeps the result charges for it.
      arguments.budget.release(bytes)
      return .array(results)
    },
    NamedFunction(
      "$replaceOne", ["input", "find", "replacement"], required: ["input", "find", "replacement"]
    ) { arguments throws(DocumentsError) in
      try replaced(arguments, isFirst: true)
    },
    NamedFunction(
      "$replaceAll", ["input", "find", "replacement"], required: ["input", "find", "replacement"]
    ) { arguments throws(DocumentsError) in
      try replaced(arguments, isFirst: false)
    },
    trimming("$trim", start: true, end: true), trimming("$ltrim", start: true, end: false),
    trimming("$rtrim", start: false, end: true),
  ]

  /// The text and the pattern; nil where one of them is null.
  private static func search(_ arguments: Arguments) throws(DocumentsError) -> ([Unicode.Scalar], Pattern)? {
    guard let input = arguments["input"], !input.isNullish, let regex = arguments["regex"], !regex.isNullish
    else {
      return nil
    }
    guard let text = input.text else {
      throw .at(51104, "\(arguments.name) needs 'input' to be of type string")
    }
    var options = ""
    if let value = arguments["options"], !value.isNullish {
      guard case .string(let letters) = value else {
        throw .at(51106, "\(arguments.name) needs 'options' to be of type string")
      }
      options = letters
    }
    switch regex {
    case .string(let pattern): return (Array(text.unicodeScalars), try Pattern(pattern, options: options))
    case .regularExpression(let expression):
      if !options.isEmpty, !expression.options.isEmpty {
        throw .at(
          51107, "\(arguments.name) : found regex option(s) specified in both 'regex' and 'option' fields")
      }
      let pattern = try Pattern(
        expression.pattern, options: options.isEmpty ? expression.options : options)
      return (Array(text.unicodeScalars), pattern)
    default: throw .at(51105, "\(arguments.name) needs 'regex' to be of type string or regex")
    }
  }

  private static func found(_ match: Pattern.Match, _ pattern: Pattern, in text: [Unicode.Scalar]) -> Value {
    func string(_ range: Range<Int>) -> Value {
      var part = ""
      part.unicodeScalars.append(contentsOf: text[range])
      return .string(part)
    }
    let groups: [Value] = (1..<pattern.groupCount + 1).map { match.group($0).map(string) ?? .null }
    return [
      "match": string(match.range), "idx": .count(match.range.lowerBound), "captures": .array(groups),
    ]
  }

  private static func replaced(_ arguments: Arguments, isFirst: Bool) throws(DocumentsError) -> Value? {
    var texts: [String] = []
    for name in ["input", "find", "replacement"] {
      guard let value = arguments[name], !value.isNullish else { return .null }
      guard case .string(let text) = value else {
        throw .at(51746, "\(arguments.name) requires that '\(name)' be a string, found: \(value.typeName)")
      }
      texts.append(text)
    }
    if texts[1].isEmpty { return .string(texts[2] + texts[0]) }
    let parts = ExpressionFunction.parts(of: texts[0], texts[1])
    let added = parts.count.multipliedReportingOverflow(by: texts[2].utf8.count)
    try ExpressionFunction.checkSize(added.overflow ? .max : added.partialValue, arguments.name)
    if isFirst, parts.count > 1 {
      return .string(parts[0] + texts[2] + parts[1...].joined(separator: texts[1]))
    }
    return .string(parts.joined(separator: texts[2]))
  }

  private static let whitespace: Set<Unicode.Scalar> = Set(
    [
      0, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x20, 0xA0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005,
      0x2006, 0x2007, 0x2008, 0x2009, 0x200A,
    ].compactMap { Unicode.Scalar($0 as UInt32) })

  private static func trimming(_ name: String, start: Bool, end: Bool) -> NamedFunction {
    NamedFunction(name, ["input", "chars"], required: ["input"]) { arguments throws(DocumentsError) in
      if arguments["input"].isNullish || arguments.isNullish("chars") { return .null }
      guard case .string(let text)? = arguments["input"] else {
        throw .at(
          50699, "\(name) requires its input to be a string, got \(arguments["input"].typeName) instead.")
      }
      var characters = whitespace
      if let value = arguments["chars"] {
        guard case .string(let letters) = value else {
          throw .at(50700, "\(name) requires 'chars' to be a string, got \(value.typeName) instead.")
        }
        characters = Set(letters.unicodeScalars)
      }
      var scalars = Array(text.unicodeScalars)[...]
      if start { scalars = scalars.drop { characters.contains($0) } }
      if end { while let last = scalars.last, characters.contains(last) { scalars.removeLast() } }
      var result = ""
      result.unicodeScalars.append(contentsOf: scalars)
      return .string(result)
    }
  }
}
