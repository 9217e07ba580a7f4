import GatehouseAPI
import GatehouseBSON
import GatehouseFunctions
import GatehouseModel

/// Takes an app that App Services has exported, part by part.
struct AppImport {
  var result: ImportResult
  let services: ExportedServices
  /// The classes that the collections have become.
  let schema: Schema
  /// The functions and endpoints that webhooks become.
  var functions: [Document] = []
  var endpoints: [Value] = []
  /// The functions that there are.
  var functionNames: Set<String> = []

  /// Reads an app. Throws ``CommandError`` where a file is no JSON.
  ///
  /// - Parameter makesLinks: Whether the relationships of collections become links.
  init(_ source: AppFolder, makesLinks: Bool = false) throws {
    var result = ImportResult(source)
    try AppImport.takeAppMembers(&result)
    services = try ExportedServices(source)
    let collections = try CollectionImport(services, makesLinks: makesLinks, into: result)
    (self.result, schema) = (collections.result, collections.schema)
    try takeProviders()
    try takeWebhooks()
    try takeCustomData()
    try takeFunctions()
    try takeEndpoints()
    try takeTriggers()
    try takeValues()
    refuseOthers()
  }

  var source: AppFolder { result.source }

  /// Tells the members of the app's own file that are something else here, or nothing.
  private static func takeAppMembers(_ result: inout ImportResult) throws {
    for file in ["realm_config.json", "config.json", "stitch.json"] {
      guard let content = try result.source.json(file) else { continue }
      result.see(file)
      result.add(.taken, "the app's name and id, which functions are told", in: file)
      guard case .document(let members) = content else { continue }
      let kept = members.elements.filter { AppMembers.kept.contains($0.key) }
      if result.files[DataFile.app.name] == nil {
        result.write(.document(Document(kept)), to: DataFile.app.name)
      }
      for element in members.elements {
        guard let text = AppMembers.notes[element.key] else {
          result.refuse("“\(element.key)” is not known", in: file, at: [.name(element.key)])
          continue
        }
        if text.isEmpty { continue }
        result.add(.changed, text, in: file, at: [.name(element.key)])
      }
    }
  }

  // Functions

  private mutating func takeFunctions() throws {
    var entries: [Value] = functions.map { .document($0) }
    for folder in source.folders(in: "functions") where source.files["functions/\(folder)/source.js"] != nil {
      let (code, config) = ("functions/\(folder)/source.js", "functions/\(folder)/config.json")
      result.see([code, config])
      result.files["functions/\(folder).js"] = source.files[code]
      if let entry = try source.json(config) { entries.append(entry) }
    }
    for file in source.paths(below: "functions") where !result.seen.contains(file) {
      if OtherParts.isPackages(file) { continue }
      result.see(file)
      if file != "functions/config.json" { result.copy(file) }
    }
    takePackages()
    let file = "functions/config.json"
    if case .array(let values)? = try source.json(file) { entries += values }
    takeScripts(&entries)
    var taken: [Value] = []
    defer { if !entries.isEmpty { result.write(.array(taken), to: file) } }
    for (index, entry) in entries.enumerated() {
      let place: [JSONPlace.Step] = [.index(index)]
      do throws(ConfigurationError) {
        try FunctionsConfiguration.check(entry)
      } catch {
        result.refuse(error.text, in: file, at: place + error.path)
        continue
      }
      guard case .document(let members) = entry, case .string(let name)? = members["name"] else { continue }
      let code = result.files["functions/\(name).js"]
      guard members["command"] != nil || code != nil || result.files["functions/\(name)"] != nil else {
        result.refuse("function \(name) has no file", in: file, at: place)
        continue
      }
      taken.append(entry)
      functionNames.insert(name)
      checkRule(members["can_evaluate"], of: name, in: file, at: place + [.name("can_evaluate")])
      for service in OtherParts.missingServices(
        in: String(decoding: code ?? [], as: UTF8.self), dataSources: services.dataSourceNames)
      {
        result.add(
          .changed, "it asks for the service “\(service)”, which is not there", in: "functions/\(name).js")
      }
      result.add(.taken, "function \(name)", in: file, at: place)
    }
  }

  /// Tells that nobody may call a function whose rule asks for something that a call does not know.
  private mutating func checkRule(
    _ rule: Value?, of function: String, in file: String, at place: [JSONPlace.Step]
  ) {
    guard let rule, rule != .null, !FunctionsConfiguration.isKnown(rule: rule) else { return }
    let name = RuleExpansion.unknownInCalls(rule).map { "“\($0)”" } ?? "a part of it"
    result.add(
      .changed,
      "nobody may call \(function): its rule asks “%%user” and “%%args” with the operators of comparisons, and \(name) is none of that",
      in: file, at: place)
  }

  /// Tells that functions need packages, which are not taken.
  private mutating func takePackages() {
    let list = "functions/package.json"
    let text = "packages are not taken: install them in functions of the data directory (npm install)"
    for file in source.paths(below: "functions") where OtherParts.isPackages(file) {
      result.see(file)
      result.add(.refused, text, in: file)
    }
    if source.files[list] != nil {
      result.add(.changed, text, in: list)
    } else if source.hasPackages {
      result.add(.refused, text, in: "functions/node_modules")
    }
  }

  /// Makes functions of the scripts that say as whom a function runs.
  private mutating func takeScripts(_ entries: inout [Value]) {
    for index in entries.indices {
      guard case .document(var entry) = entries[index], case .string(let name)? = entry["name"],
        case .string(let source)? = entry["run_as_user_id_script_source"], !source.isEmpty
      else { continue }
      let script = "\(name)-user"
      entry.elements.removeAll { $0.key == "run_as_user_id_script_source" }
      entry.append("run_as_user_id_function", .string(script))
      entries[index] = .document(entry)
      entries.append(["name": .string(script), "private": .bool(true), "run_as_system": .bool(true)])
      result.files["functions/\(script).js"] = Array(source.utf8)
    }
  }

  private mutating func refuseOthers() {
    for file in source.files.keys.sorted() where !result.seen.contains(file) {
      result.add(.refused, OtherParts.text(for: file), in: file)
    }
  }
}
