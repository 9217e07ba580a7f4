import GatehouseAPI
import GatehouseAccess
import GatehouseBSON
import GatehouseFunctions
import GatehouseModel
import GatehouseTriggers

/// The files and classes that an app of App Services becomes, and what became of each of its parts.
struct AppImport {
  let source: AppFolder
  var report = ImportReport()
  /// The files of the data directory, by their paths in it.
  var files: [String: [UInt8]] = [:]
  /// The classes, in the notation of `schema.json`.
  private var classes: [(name: String, notation: Value, file: String)] = []
  private var rights = ImportedRights()
  /// The rules of collections, which mean something when all classes are known.
  private var rules: [CollectionRules] = []
  private let services: ExportedServices
  /// The functions and endpoints that webhooks become.
  var functions: [Document] = []
  var endpoints: [Value] = []
  /// The functions that there are.
  var functionNames: Set<String> = []
  /// The files that have been looked at.
  var seen: Set<String> = []

  /// Reads an app. Throws ``CommandError`` where a file is no JSON.
  init(_ source: AppFolder) throws {
    self.source = source
    services = try ExportedServices(source)
    for file in ["realm_config.json", "config.json", "stitch.json"] where source.files[file] != nil {
      seen.insert(file)
      report.add(.taken, "the app's name and id, which functions are told", in: file)
      try takeAppMembers(file)
    }
    try takeCollections()
    try takeOlderServices()
    try takeProviders()
    finishClasses()
    finishRules()
    finishRoles()
    try takeCustomData()
    try takeFunctions()
    try takeEndpoints()
    try takeTriggers()
    try takeValues()
    refuseOthers()
  }

  /// Tells the members of the app's own file that are something else here, or nothing.
  private mutating func takeAppMembers(_ file: String) throws {
    guard case .document(let members)? = try source.json(file) else { return }
    let kept = members.elements.filter { AppMembers.kept.contains($0.key) }
    if files[DataFile.app.name] == nil { write(.document(Document(kept)), to: DataFile.app.name) }
    for element in members.elements {
      guard let text = AppMembers.notes[element.key] else {
        refuse("“\(element.key)” is not known", in: file, at: [.name(element.key)])
        continue
      }
      if text.isEmpty { continue }
      report.add(.changed, text, in: file, line: place(file, [.name(element.key)]))
    }
  }

  mutating func place(_ file: String, _ path: [JSONPlace.Step]) -> Int? {
    source.line(of: path, in: file)
  }

  mutating func refuse(_ text: String, in file: String, at path: [JSONPlace.Step]) {
    report.add(.refused, text, in: file, line: place(file, path))
  }

  mutating func refuse(_ error: ConfigurationError, in file: String) {
    refuse(error.text, in: file, at: error.path)
  }

  mutating func write(_ value: Value, to path: String) {
    files[path] = value.plainJSON + [0x0A]
  }

  // Collections

  private mutating func takeCollections() throws {
    let sources = services.dataSources.filter(\.isDatabase)
    for other in services.dataSources where !other.isDatabase { refuse(other) }
    let defaults = sources.filter { source.files["\($0.folder)/default_rule.json"] != nil }.map(\.folder)
    for service in sources {
      take(service)
      let file = "\(service.folder)/default_rule.json"
      if let rules = try source.json(file) {
        seen.insert(file)
        if defaults.count == 1 {
          takeRules(rules, at: file, below: [], for: "*")
        } else {
          refuse("there is one default rule for the classes of all data sources", in: file, at: [])
        }
      }
      for database in source.folders(in: service.folder) {
        for collection in source.folders(in: "\(service.folder)/\(database)") {
          try takeCollection(collection, in: "\(service.folder)/\(database)/\(collection)")
          // The default rule is that of another data source.
          if !defaults.contains(service.folder) { rights.exclude(collection) }
        }
      }
    }
  }

  /// Tells where a data source has another name here.
  private mutating func take(_ service: ExportedServices.Service) {
    seen.insert(service.file)
    guard let note = services.note(on: service) else { return }
    report.add(.changed, note, in: service.file, line: place(service.file, [.name("name")]))
  }

  /// Tells that a service is not there, with all its files.
  private mutating func refuse(_ service: ExportedServices.Service) {
    seen.formUnion(source.paths(below: service.folder))
    refuse("services of type “\(service.type)” are not served", in: service.file, at: [.name("type")])
  }

  private mutating func takeCollection(_ name: String, in folder: String) throws {
    let (schema, relationships) = ("\(folder)/schema.json", "\(folder)/relationships.json")
    let (indexes, rules) = ("\(folder)/indexes.json", "\(folder)/rules.json")
    let files = [schema, relationships, indexes, rules].filter { source.files[$0] != nil }
    seen.formUnion(files)
    let isTaken =
      if let value = try source.json(schema) {
        takeSchema(value, at: schema, below: [], of: name, try source.json(relationships))
      } else {
        takeSchemaless(name, in: files.first ?? folder)
      }
    guard isTaken else {
      for file in files.dropFirst() { refuse("its collection is refused", in: file, at: []) }
      return
    }
    if let value = try source.json(indexes) { takeIndexes(value, at: indexes, of: name) }
    if let value = try source.json(rules) { takeRules(value, at: rules, below: [], for: name) }
  }

  /// The layout before 2021: `services/NAME/rules/DB.COLLECTION.json` has rules and schema.
  private mutating func takeOlderServices() throws {
    for service in services.others {
      let name = service.folder.split(separator: "/").last.map(String.init) ?? service.name
      let webhooks = source.folders(in: "\(service.folder)/incoming_webhooks")
      if service.isDatabase {
        if !service.type.isEmpty { take(service) }
      } else if service.type != "http" || webhooks.isEmpty {
        refuse(service)
      }
      for file in source.paths(below: "\(service.folder)/rules") where !seen.contains(file) {
        seen.insert(file)
        guard case .document(let rules)? = try source.json(file),
          case .string(let collection)? = rules["collection"]
        else {
          refuse("only rules of collections are taken", in: file, at: [])
          continue
        }
        let isTaken =
          if let schema = rules["schema"] {
            takeSchema(schema, at: file, below: [.name("schema")], of: collection, rules["relationships"])
          } else {
            takeSchemaless(collection, in: file)
          }
        if isTaken { takeRules(.document(rules), at: file, below: [], for: collection) }
      }
      for webhook in webhooks {
        try takeWebhook(webhook, of: name, in: "\(service.folder)/incoming_webhooks/\(webhook)")
      }
      seen.formUnion(source.paths(below: service.folder))
    }
  }

  /// Makes a class of a collection with a schema; false: it is refused.
  private mutating func takeSchema(
    _ value: Value, at file: String, below path: [JSONPlace.Step], of name: String, _ relationships: Value?
  ) -> Bool {
    guard case .document(let schema) = value, !schema.elements.isEmpty else {
      return takeSchemaless(name, in: file)
    }
    guard canBeClass(name, at: file, below: path) else { return false }
    var links = ClassConversion.relationships(relationships)
    for (property, link) in links.sorted(by: { $0.key < $1.key })
    where !services.collections.contains(link.collection) {
      links[property] = nil
      refuse(
        "“\(property)” of \(name) leads to “\(link.collection)”, which is not there; the values stay what they are",
        in: file, at: path)
    }
    for property in links.filter({ $0.value.foreignKey == "_id" }).keys.sorted() {
      report.add(
        .changed,
        "“\(property)” of \(name) is a link: it leads to an object that is there, and is null when that is deleted",
        in: file, line: place(file, path))
    }
    let conversion = ClassConversion(schema, of: name, relationships: links)
    for fault in conversion.faults { refuse(fault.text, in: file, at: path + fault.path) }
    for note in conversion.notes {
      report.add(.changed, note.text, in: file, line: place(file, path + note.path))
    }
    for notation in conversion.classes {
      guard case .document(let type) = notation, case .string(let typeName)? = type["name"] else { continue }
      if let known = classes.first(where: { $0.name == typeName }) {
        if known.notation != notation {
          refuse("“\(typeName)” is another class in \(known.file)", in: file, at: path)
        }
        continue
      }
      classes.append((typeName, notation, file))
    }
    if case .string(let title)? = schema["title"], title != name {
      report.add(
        .changed, "the class is “\(name)” as the collection, which models called “\(title)”", in: file)
    } else {
      report.add(.taken, "class \(name)", in: file)
    }
    return true
  }

  /// A collection without a schema has documents with any fields; false: it is refused.
  private mutating func takeSchemaless(_ name: String, in file: String) -> Bool {
    guard canBeClass(name, at: file, below: []) else { return false }
    classes.append((name, ObjectType.schemaless(name).notation, file))
    report.add(.taken, "class \(name), which is schemaless", in: file)
    return true
  }

  /// Indexes as `getIndexes()` tells them; of classes with a schema they are said there.
  private mutating func takeIndexes(_ value: Value, at file: String, of name: String) {
    guard let place = classes.firstIndex(where: { $0.name == name }),
      case .document(var notation) = classes[place].notation, notation["schemaless"] == .bool(true)
    else { return refuse("only indexes of schemaless classes are taken", in: file, at: []) }
    let indexes = CollectionIndexes(value)
    for fault in indexes.faults { refuse(fault.text, in: file, at: fault.path) }
    guard !indexes.paths.isEmpty, notation["indexes"] == nil else { return }
    notation.append("indexes", .array(indexes.paths.map { .string($0) }))
    classes[place].notation = .document(notation)
    report.add(.taken, "\(indexes.paths.count) indexes of \(name)", in: file)
  }

  /// Whether a class can have the name, and no other collection has made it. Otherwise that is told.
  private mutating func canBeClass(_ name: String, at file: String, below path: [JSONPlace.Step]) -> Bool {
    if let known = classes.first(where: { $0.name == name }) {
      refuse(
        "\(known.file) has a class “\(name)” too, as of another database: give one of them another name",
        in: file,
        at: path)
      return false
    }
    do {
      _ = try Schema(notation: .array([ObjectType.schemaless(name).notation]))
      return true
    } catch {
      refuse("no class can be called “\(name)”", in: file, at: path)
      return false
    }
  }

  // Rules

  /// The rules of one collection, or of all that have none; the class of these is `*`.
  private struct CollectionRules {
    let className: String
    let content: Document
    let file: String
    /// The way from the file's value to them.
    let path: [JSONPlace.Step]
  }

  private mutating func takeRules(
    _ value: Value, at file: String, below path: [JSONPlace.Step], for className: String
  ) {
    rights.exclude(className)
    guard case .document(let content) = value else {
      return refuse("rules are an object", in: file, at: path)
    }
    rules.append(CollectionRules(className: className, content: content, file: file, path: path))
  }

  private mutating func finishRules() {
    for rules in rules {
      if rules.className != "*" {
        if let type = schema[rules.className], !type.isEmbedded { add(rules, on: type) }
        continue
      }
      // Conditions on documents are those of each class by itself.
      if RuleConversion(rules.content, on: nil, in: schema).faults.isEmpty {
        add(rules, on: nil)
      } else {
        for type in schema.objectTypes where !type.isEmbedded && !rights.excludes(type.name) {
          add(rules, on: type)
        }
      }
    }
  }

  /// Adds the rights that rules give on a class; nil: on all that have no rules of their own.
  private mutating func add(_ rules: CollectionRules, on type: ObjectType?) {
    let (file, path) = (rules.file, rules.path)
    let className = type?.name ?? "*"
    let subject = type.map(\.name) ?? "other classes"
    let conversion = RuleConversion(rules.content, on: type, in: schema)
    for fault in conversion.faults {
      let isOfAll = rules.className == "*"
      refuse(isOfAll ? "\(fault.text), on \(subject)" : fault.text, in: file, at: path + fault.path)
    }
    for note in conversion.notes {
      let text = rules.className == "*" ? "\(note.text), on \(subject)" : note.text
      report.add(.changed, text, in: file, line: place(file, path + note.path))
    }
    let line = place(file, path)
    rights.add(
      conversion.rights ?? RuleConversion.noRights, of: GatehouseAccess.Policy.userRole, on: className,
      in: file, line: line)
    if conversion.rights != nil {
      report.add(.taken, "rights of users on \(subject)", in: file)
    } else {
      report.add(.changed, "users have no rights on \(subject)", in: file, line: line)
    }
    for role in conversion.named {
      let line = place(file, path + role.place)
      guard let name = rights.add(role, on: className, in: file, line: line) else {
        refuse("there is another role “\(role.name)”", in: file, at: path + role.place)
        continue
      }
      report.add(
        .changed,
        "role “\(name)” is for users to whom an operator gives it, as to the first role that fits a user: the condition on the user is not asked",
        in: file, line: line)
    }
  }

  /// Tells members that mean nothing: misspelt, they would have no effect. Returns whether there are any.
  mutating func refuseUnknown(
    _ members: Document, _ known: Set<String>, in file: String
  ) -> Bool {
    let others = members.elements.filter { !known.contains($0.key) }
    for element in others { refuse("“\(element.key)” is not known", in: file, at: [.name(element.key)]) }
    return !others.isEmpty
  }

  private mutating func finishRoles() {
    guard !rights.isEmpty else { return }
    let made = rights.policy(in: schema)
    for (text, file, line) in made.faults { report.add(.refused, text, in: file, line: line) }
    if !made.notation.elements.isEmpty { write(.document(made.notation), to: "auth/roles.json") }
  }

  // Classes

  /// The classes as a schema.
  private(set) var schema = Schema([])

  /// Leaves out the classes that do not fit the others, and then those that need them.
  private mutating func finishClasses() {
    while !classes.isEmpty {
      do throws(SchemaError) {
        schema = try Schema(notation: .array(classes.map(\.notation)))
        return write(.array(classes.map(\.notation)), to: "schema.json")
      } catch {
        let wrong = Set(error.problems.compactMap(\.objectType))
        let left = classes.filter { !wrong.contains($0.name) }
        let text = ErrorExplanation(error).entries.joined(separator: " ")
        if left.count == classes.count {
          return report.add(.refused, "the classes do not fit together: \(text)", in: "schema.json")
        }
        for type in classes where wrong.contains(type.name) {
          report.add(.refused, "class \(type.name) is left out: \(text)", in: type.file)
        }
        classes = left
      }
    }
  }

  // Functions

  private mutating func takeFunctions() throws {
    var entries: [Value] = functions.map { .document($0) }
    for folder in source.folders(in: "functions") where source.files["functions/\(folder)/source.js"] != nil {
      let (code, config) = ("functions/\(folder)/source.js", "functions/\(folder)/config.json")
      seen.formUnion([code, config])
      files["functions/\(folder).js"] = source.files[code]
      if let entry = try source.json(config) { entries.append(entry) }
    }
    for file in source.paths(below: "functions") where !seen.contains(file) {
      if OtherParts.isPackages(file) { continue }
      seen.insert(file)
      if file != "functions/config.json" { files[file] = source.files[file] }
    }
    takePackages()
    let file = "functions/config.json"
    if case .array(let values)? = try source.json(file) { entries += values }
    takeScripts(&entries)
    var taken: [Value] = []
    defer { if !entries.isEmpty { write(.array(taken), to: file) } }
    for (index, entry) in entries.enumerated() {
      let place: [JSONPlace.Step] = [.index(index)]
      do throws(ConfigurationError) {
        try FunctionsConfiguration.check(entry)
      } catch {
        refuse(error.text, in: file, at: place + error.path)
        continue
      }
      taken.append(entry)
      guard case .document(let members) = entry, case .string(let name)? = members["name"] else { continue }
      guard let code = files["functions/\(name).js"] else {
        refuse("function \(name) has no file", in: file, at: place)
        continue
      }
      functionNames.insert(name)
      for service in OtherParts.missingServices(
        in: String(decoding: code, as: UTF8.self), dataSource: services.dataSource)
      {
        report.add(
          .changed, "it asks for the service “\(service)”, which is not there", in: "functions/\(name).js")
      }
      report.add(.taken, "function \(name)", in: file, line: self.place(file, place))
    }
  }

  /// Tells that functions need packages, which are not taken.
  private mutating func takePackages() {
    let list = "functions/package.json"
    let text = "packages are not taken: install them in functions of the data directory (npm install)"
    for file in source.paths(below: "functions") where OtherParts.isPackages(file) {
      seen.insert(file)
      report.add(.refused, text, in: file)
    }
    if source.files[list] != nil {
      report.add(.changed, text, in: list)
    } else if source.hasPackages {
      report.add(.refused, text, in: "functions/node_modules")
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
      files["functions/\(script).js"] = Array(source.utf8)
    }
  }

  private mutating func refuseOthers() {
    for file in source.files.keys.sorted() where !seen.contains(file) {
      report.add(.refused, OtherParts.text(for: file), in: file)
    }
  }
}
