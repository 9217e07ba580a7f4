/// A regular expression in PCRE's syntax, compiled to a program that takes time in proportion to the text.
///
/// All ways through the pattern are followed at once (Thompson; Pike, "Regular Expression Search with submatches"), so that no
/// pattern takes long. In return there are no back references and no assertions that look around: they are refused.
public struct Pattern: Sendable {
  let program: [Instruction]
  /// Groups with parentheses, the whole not counted.
  let groupCount: Int
  let ignoresCase: Bool

  /// The most instructions of a program, and bytes of a pattern, as PCRE has it.
  static let instructionLimit = 5_000
  static let sizeLimit = 32_764

  /// One step of the program.
  enum Instruction: Sendable {
    case scalar(Unicode.Scalar)
    case set(ScalarSet)
    case any
    case anyButNewline
    /// Goes on at both places; the first is preferred.
    case split(Int, Int)
    case jump(Int)
    case save(Int)
    case assertion(Assertion)
    case match
  }

  enum Assertion: Sendable {
    case start
    case end
    /// The end, or before a newline at the end.
    case lastLineEnd
    case lineStart
    case lineEnd
    case wordBoundary
    case noWordBoundary
  }

  /// - Parameter options: letters of `imsxu`.
  public init(_ pattern: String, options: String) throws(DocumentsError) {
    guard pattern.utf8.count <= Pattern.sizeLimit else {
      throw .at(51091, "Regular expression is invalid: regular expression is too large")
    }
    if pattern.utf8.contains(0) {
      throw .badValue("Regular expression cannot contain an embedded null byte")
    }
    var parser = PatternParser(pattern)
    for option in options {
      guard let option = PatternParser.Options(option) else {
        throw .at(51108, "invalid flag in regex options: \(option)")
      }
      parser.options.formUnion(option)
    }
    let node = try parser.parse()
    var compiler = PatternCompiler()
    try compiler.compile(node)
    program = compiler.program
    groupCount = parser.groupCount
    ignoresCase = parser.options.contains(.ignoresCase)
  }
}
