internal import GatehouseBSON

/// The entry of one function in `config.json`: App Services' members, and of our own `command`, `time_limit_seconds`,
/// `memory_megabytes`, `max_concurrency`, `starts_processes`, `detached`, `log_arguments` and `run_as_user_id_function`.
struct FunctionEntry {
  /// The members that mean something, and those that an export of App Services has beside them.
  static let members: Set<String> = [
    "_id", "can_evaluate", "command", "detached", "disable_arg_logs", "disabled", "id", "log_arguments",
    "max_concurrency",
    "memory_megabytes", "name", "private", "run_as_authed_user", "run_as_system", "run_as_user_id",
    "run_as_user_id_function", "run_as_user_id_script_source", "starts_processes",
    "time_limit_seconds",
  ]

  let name: String
  private(set) var command: [String]?
  private let members: Document

  /// Nil if no file below the functions directory can have that name.
  init?(named name: String, members: Document = Document()) {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    let isSafe = parts.allSatisfy { part in
      !part.isEmpty && !part.hasPrefix(".") && part.utf8.allSatisfy(Self.isPlain)
    }
    guard isSafe, name.utf8.count <= 128 else { return nil }
    self.name = name
    self.members = members
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: false
    }
  }

  /// Nil if the entry has no name.
  init?(_ members: Document) {
    guard case .string(let name)? = members["name"] else { return nil }
    self.init(named: name, members: members)
    if case .array(let words)? = members["command"] {
      command = words.compactMap { if case .string(let word) = $0 { word } else { nil } }
      guard command?.count == words.count, !words.isEmpty else { return nil }
    }
  }

  func function(_ runtime: Function.Runtime, _ source: Function.Source) -> Function {
    var function = Function(name, runtime)
    function.source = source
    function.isPrivate = members["private"] == .bool(true)
    function.isDisabled = members["disabled"] == .bool(true)
    function.runsAsSystem = members["run_as_system"] == .bool(true)
    function.actingUser = actingUser
    function.logsArguments =
      members["log_arguments"] == .bool(true) && members["disable_arg_logs"] != .bool(true)
    function.rule = rule
    function.timeLimit = number("time_limit_seconds")
    function.memoryLimit = number("memory_megabytes")
    function.concurrency = number("max_concurrency")
    function.isDetached = members["detached"] == .bool(true)
    function.startsProcesses = members["starts_processes"] == .bool(true)
    return function
  }

  private var actingUser: Function.ActingUser? {
    if case .string(let id)? = members["run_as_user_id"], !id.isEmpty { return .id(id) }
    if case .string(let name)? = members["run_as_user_id_function"], !name.isEmpty {
      return .result(of: name)
    }
    return nil
  }

  /// The rule; nil if it is empty or missing, so that whoever shows a credential may call the function.
  private var rule: RuleExpression? {
    switch members["can_evaluate"] {
    case nil, .null?: nil
    case .document(let rule)? where rule.elements.isEmpty: nil
    case let rule?: RuleExpression(rule)
    }
  }

  /// Numbers beyond a thousand million count as that many: they are multiplied, and there are no more seconds or megabytes.
  private func number(_ name: String) -> Int? {
    switch members[name] {
    case .int32(let number)? where number > 0: min(Int(number), 1_000_000_000)
    case .int64(let number)? where number > 0: min(Int(number), 1_000_000_000)
    default: nil
    }
  }
}
