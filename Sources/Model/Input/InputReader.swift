import GatehouseBSON

/// Turns what a client sent into values that fit the schema, and collects what does not fit.
///
/// Plain JSON's spellings and typed BSON values are both legal anywhere, so one reader serves all
/// representations. It runs for every object of an import: where nothing is wrong no text is built. A
/// problem gets its pointer on the way out, each level putting its own member in front (``locate(from:_:)``).
struct InputReader {
  /// The greatest depth of nesting: MongoDB's limit, and more than anyone has.
  static let deepest = 100

  let schema: Schema
  private(set) var problems: [ValidationProblem] = []

  init(schema: Schema) {
    self.schema = schema
  }

  /// Adds a problem with the value that is being read.
  mutating func report(_ rule: ValidationRule) {
    if problems.count < ValidationError.mostProblems {
      problems.append(ValidationProblem(pointer: "", rule))
    }
  }

  /// Tells the problems found since there were `mark` of them that they are inside `member`.
  @inline(__always)
  mutating func locate(from mark: Int, _ member: @autoclosure () -> String) {
    if problems.count != mark { prefix(from: mark, member()) }
  }

  private mutating func prefix(from mark: Int, _ member: String) {
    var prefix = "/"
    for scalar in member.unicodeScalars {
      switch scalar {
      case "~": prefix += "~0"
      case "/": prefix += "~1"
      default: prefix.unicodeScalars.append(scalar)
      }
    }
    for index in mark..<problems.count { problems[index].pointer = prefix + problems[index].pointer }
  }

  func throwProblems() throws(ValidationError) {
    if !problems.isEmpty { throw ValidationError(problems) }
  }
}
