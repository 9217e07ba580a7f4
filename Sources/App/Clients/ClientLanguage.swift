import GatehouseModel

/// A language in which `gatehouse generate` writes a client.
enum ClientLanguage: String, CaseIterable {
  case typescript, swift, python

  var fileName: String {
    switch self {
    case .typescript: "gatehouse.ts"
    case .swift: "Gatehouse.swift"
    case .python: "gatehouse.py"
    }
  }

  /// The beginning of each client, whatever the schema: the requests.
  var requests: [UInt8] {
    switch self {
    case .typescript: PackageResources.client_ts
    case .swift: PackageResources.client_swift_txt
    case .python: PackageResources.client_py
    }
  }

  /// The first line of each client.
  var mark: [UInt8] { Array(requests.prefix { $0 != UInt8(ascii: "\n") }) }

  /// Returns the client for a schema: one file that needs no other.
  func client(for schema: Schema) -> [UInt8] {
    let names = ClientNames(of: self)
    let classes = ClientClass.all(in: schema, names)
    let types =
      switch self {
      case .typescript: TypeScriptTypes(classes).text
      case .swift: SwiftTypes(classes).text
      case .python: PythonTypes(classes).text
      }
    return requests + Array("\n\(types)".utf8)
  }

  /// Words that name nothing.
  var keywords: Set<String> {
    switch self {
    case .typescript: Self.typeScriptKeywords
    case .swift: Self.swiftKeywords
    case .python: Self.pythonKeywords
    }
  }

  private static let typeScriptKeywords: Set<String> = [
    "abstract", "any", "as", "async", "await", "bigint", "boolean", "break", "case", "catch", "class",
    "const",
    "constructor", "continue", "debugger", "declare", "default", "delete", "do", "else", "enum", "export",
    "extends",
    "false", "finally", "for", "from", "function", "get", "if", "implements", "import", "in", "infer",
    "instanceof",
    "interface", "is", "keyof", "let", "module", "namespace", "never", "new", "null", "number", "object",
    "of",
    "package", "private", "protected", "prototype", "public", "readonly", "require", "return", "set",
    "static",
    "string", "super", "switch", "symbol", "this", "throw", "true", "try", "type", "typeof", "undefined",
    "unique",
    "unknown", "var", "void", "while", "with", "yield",
  ]

  private static let swiftKeywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "actor", "as", "associatedtype", "async", "await", "break", "case",
    "catch",
    "class", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough",
    "false",
    "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let",
    "nil",
    "open", "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return",
    "self",
    "some", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias",
    "var",
    "where", "while",
  ]

  private static let pythonKeywords: Set<String> = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "case", "class", "continue",
    "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda",
    "match",
    "nonlocal", "not", "or", "pass", "raise", "return", "self", "super", "try", "type", "while", "with",
    "yield",
  ]
}
