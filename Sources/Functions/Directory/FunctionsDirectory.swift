internal import GatehouseBSON

/// The functions of a folder, in App Services' layout.
///
/// With a `config.json`, the functions are those that it lists: `NAME.js`, or the program `NAME`, or a command.
/// Without one, they are the files `NAME.js` and the programs.
struct FunctionsDirectory {
  let path: String

  /// Reads the directory. Throws ``FunctionError/malformedConfiguration(file:offset:)`` and
  /// ``FunctionError/wrongMember(_:isKnown:file:line:)``.
  func functions(defaults: FunctionDefaults) throws(FunctionError) -> [String: Function] {
    var functions: [String: Function] = [:]
    for var function in try listed() ?? found() {
      function.timeLimit = function.timeLimit ?? defaults.timeLimit
      if case .file(let file) = function.source, function.runtime == .node {
        function.parameters = parameters(of: file)
      }
      // Files of JavaScript share their workers, whose limits are one for all.
      let isShared = function.runtime == .node
      function.memoryLimit = isShared ? defaults.memoryLimit : function.memoryLimit ?? defaults.memoryLimit
      function.concurrency = isShared ? defaults.concurrency : function.concurrency ?? defaults.concurrency
      functions[function.name] = function
    }
    return functions
  }

  private func parameters(of file: String) -> [String]? {
    TextFile.bytes(at: "\(path)/\(file)").flatMap {
      ParameterNames.names(in: String(decoding: $0, as: UTF8.self))
    }
  }

  private func listed() throws(FunctionError) -> [Function]? {
    guard let text = try ConfigurationText(at: "\(path)/config.json", named: "config.json") else {
      return nil
    }
    guard case .array(let entries) = text.value else {
      throw .malformedConfiguration(file: "config.json", offset: 0)
    }
    var functions: [Function] = []
    for (index, entry) in entries.enumerated() {
      let members = try text.document(entry, at: [.index(index)], members: FunctionEntry.members)
      guard let entry = FunctionEntry(members) else {
        throw text.wrong(members["command"] == nil ? "name" : "command", at: [.index(index)])
      }
      if let function = function(entry) { functions.append(function) }
    }
    return functions
  }

  /// Returns the reasons why values and environments cannot be taken, by their files. Workers read them, and fail those functions
  /// that use one of these.
  func companionFaults() -> Document {
    var faults = Document()
    let parent = "\(path)/.."
    let companions: [(folder: String, members: Set<String>)] = [
      ("values", ["_id", "from_secret", "id", "name", "private", "value"]), ("environments", ["values"]),
    ]
    for (folder, members) in companions {
      for name in TextFile.names(in: "\(parent)/\(folder)") where name.hasSuffix(".json") {
        let file = "\(folder)/\(name)"
        do throws(FunctionError) {
          let text = try ConfigurationText(at: "\(parent)/\(file)", named: file)
          if let text { _ = try text.document(text.value, members: members) }
        } catch {
          faults.append(file, .string(error.configurationFault ?? ""))
        }
      }
    }
    return faults
  }

  private func function(_ entry: FunctionEntry) -> Function? {
    if let command = entry.command { return entry.function(.executable, .command(command)) }
    if TextFile.exists("\(path)/\(entry.name).js") { return entry.function(.node, .file("\(entry.name).js")) }
    guard TextFile.isExecutable("\(path)/\(entry.name)") else { return nil }
    return entry.function(.executable, .file(entry.name))
  }

  private func found() -> [Function] {
    TextFile.names(in: path).compactMap { name in
      if name.hasSuffix(".js") {
        let entry = FunctionEntry(named: String(name.dropLast(3)))
        return entry?.function(.node, .file(name))
      }
      guard TextFile.isExecutable("\(path)/\(name)") else { return nil }
      return FunctionEntry(named: name)?.function(.executable, .file(name))
    }
  }
}

/// The limits of functions that have none of their own.
struct FunctionDefaults {
  let timeLimit: Int
  let memoryLimit: Int
  let concurrency: Int
}
