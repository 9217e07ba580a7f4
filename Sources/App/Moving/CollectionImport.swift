import GatehouseAPI
import GatehouseBSON
import GatehouseModel

/// The collections of an app's data sources, which become classes, and rights on these.
struct CollectionImport {
  private(set) var result: ImportResult
  private let services: ExportedServices
  /// Whether relationships become links.
  private let makesLinks: Bool
  /// The classes, in the notation of `schema.json`.
  private var classes: [(name: String, notation: Value, file: String)] = []
  /// The classes as a schema, when all are known.
  private(set) var schema = Schema([])
  private var rules: RulesImport

  /// Takes the collections into a result. Throws ``CommandError`` where a file is no JSON.
  init(_ services: ExportedServices, makesLinks: Bool, into result: ImportResult) throws {
    (self.services, self.makesLinks, self.result) = (services, makesLinks, result)
    rules = RulesImport()
    try takeDataSources()
    try takeOlderServices()
    finishClasses()
    rules.finish(in: schema, &self.result)
  }

  private var source: AppFolder { result.source }

  // Data sources

  private mutating func takeDataSources() throws {
    let sources = services.dataSources.filter(\.isDatabase)
    for other in services.dataSources where !other.isDatabase { other.refuse(&result) }
    let defaults = sources.filter { source.files["\($0.folder)/default_rule.json"] != nil }.map(\.folder)
    for service in sources {
      try service.take(&result)
      let file = "\(service.folder)/default_rule.json"
      if !result.refuseMalformed(file), let content = try source.json(file) {
        result.see(file)
        if defaults.count == 1 {
          rules.take(content, at: file, below: [], for: "*", &result)
        } else {
          result.refuse("there is one default rule for the classes of all data sources", in: file, at: [])
        }
      }
      for database in source.folders(in: service.folder) {
        for collection in source.folders(in: "\(service.folder)/\(database)") {
          try takeCollection(collection, in: "\(service.folder)/\(database)/\(collection)")
          // The default rule is that of another data source.
          if !defaults.contains(service.folder) { rules.exclude(collection) }
        }
      }
    }
  }

  private mutating func takeCollection(_ name: String, in folder: String) throws {
    let (schema, relationships) = ("\(folder)/schema.json", "\(folder)/relationships.json")
    let (indexes, rules) = ("\(folder)/indexes.json", "\(folder)/rules.json")
    let files = [schema, relationships, indexes, rules].filter { source.files[$0] != nil }
    result.see(files)
    let malformed = Set(files.filter { result.refuseMalformed($0) })
    func json(_ file: String) throws(CommandError) -> Value? {
      malformed.contains(file) ? nil : try source.json(file)
    }
    let isTaken =
      if malformed.contains(schema) { false } else if let value = try json(schema) {
        takeSchema(value, at: schema, below: [], of: name, try json(relationships))
      } else {
        takeSchemaless(name, in: files.first ?? folder)
      }
    guard isTaken else {
      for file in files.dropFirst() where !malformed.contains(file) {
        result.refuse("its collection is refused", in: file, at: [])
      }
      if files.contains(rules) { self.rules.excludeLater() }
      return
    }
    if let value = try json(indexes) { takeIndexes(value, at: indexes, of: name) }
    if let value = try json(rules) { self.rules.take(value, at: rules, below: [], for: name, &result) }
    // Whatever its rules were, they were not the default ones.
    if malformed.contains(rules) { self.rules.exclude(name) }
  }

  /// The layout before 2021: `services/NAME/rules/DB.COLLECTION.json` has rules and schema.
  private mutating func takeOlderServices() throws {
    for service in services.others {
      if service.isDatabase {
        if !service.type.isEmpty { try service.take(&result) }
      } else if service.type != "http" || service.webhooks.isEmpty {
        service.refuse(&result)
      }
      for file in source.paths(below: "\(service.folder)/rules") where !result.seen.contains(file) {
        result.see(file)
        if result.refuseMalformed(file) { continue }
        guard case .document(let content)? = try source.json(file),
          case .string(let collection)? = content["collection"]
        else {
          result.refuse("only rules of collections are taken", in: file, at: [])
          continue
        }
        let isTaken =
          if let schema = content["schema"] {
            takeSchema(schema, at: file, below: [.name("schema")], of: collection, content["relationships"])
          } else {
            takeSchemaless(collection, in: file)
          }
        if isTaken { rules.take(.document(content), at: file, below: [], for: collection, &result) }
      }
      result.see(source.paths(below: service.folder))
    }
  }

  // Classes

  /// Makes a class of a collection with a schema; false: it is refused.
  private mutating func takeSchema(
    _ value: Value, at file: String, below path: [JSONPlace.Step], of name: String, _ relationships: Value?
  ) -> Bool {
    guard case .document(let schema) = value, !schema.elements.isEmpty else {
      return takeSchemaless(name, in: file)
    }
    guard canBeClass(name, at: file, below: path) else { return false }
    let links = links(ClassConversion.relationships(relationships), at: file, below: path, of: name)
    let conversion = ClassConversion(schema, of: name, relationships: links)
    for fault in conversion.faults { result.refuse(fault.text, in: file, at: path + fault.path) }
    for note in conversion.notes {
      result.add(.changed, note.text, in: file, at: path + note.path, of: name)
    }
    for notation in conversion.classes {
      guard case .document(let type) = notation, case .string(let typeName)? = type["name"] else { continue }
      if let known = classes.first(where: { $0.name == typeName }) {
        if known.notation != notation {
          result.refuse("“\(typeName)” is another class in \(known.file)", in: file, at: path)
        }
        continue
      }
      classes.append((typeName, notation, file))
    }
    if case .string(let title)? = schema["title"], title != name {
      result.add(
        .changed, "the class is “\(name)” as the collection, which models called “\(title)”", in: file,
        of: name)
    } else {
      result.add(.taken, "class \(name)", in: file, of: name)
    }
    return true
  }

  /// Returns the relationships that become links. What MongoDB holds of a document that is gone, a link would refuse or lose.
  private mutating func links(
    _ relationships: [String: ClassConversion.Relationship], at file: String, below path: [JSONPlace.Step],
    of name: String
  ) -> [String: ClassConversion.Relationship] {
    var links = relationships
    for (property, link) in relationships.sorted(by: { $0.key < $1.key }) {
      if !makesLinks {
        links[property] = nil
        result.add(
          .changed,
          "“\(property)” of \(name) stays a value of “\(link.collection)”, which nothing checks, as in MongoDB (--links: a link)",
          in: file, at: path, of: name)
      } else if !services.collections.contains(link.collection) {
        links[property] = nil
        result.refuse(
          "“\(property)” of \(name) leads to “\(link.collection)”, which is not there; the values stay what they are",
          in: file, at: path)
      } else if link.foreignKey == "_id" {
        result.add(
          .changed,
          "“\(property)” of \(name) is a link: it leads to an object that is there, and is null when that is deleted",
          in: file, at: path, of: name)
      }
    }
    return links
  }

  /// A collection without a schema has documents with any fields; false: it is refused.
  private mutating func takeSchemaless(_ name: String, in file: String) -> Bool {
    guard canBeClass(name, at: file, below: []) else { return false }
    classes.append((name, ObjectType.schemaless(name).notation, file))
    result.add(.taken, "class \(name), which is schemaless", in: file, of: name)
    return true
  }

  /// Indexes as `getIndexes()` tells them; of classes with a schema they are said there.
  private mutating func takeIndexes(_ value: Value, at file: String, of name: String) {
    guard let place = classes.firstIndex(where: { $0.name == name }),
      case .document(var notation) = classes[place].notation, notation["schemaless"] == .bool(true)
    else { return result.refuse("only indexes of schemaless classes are taken", in: file, at: []) }
    let indexes = CollectionIndexes(value)
    for fault in indexes.faults { result.refuse(fault.text, in: file, at: fault.path) }
    guard !indexes.paths.isEmpty, notation["indexes"] == nil else { return }
    notation.append("indexes", .array(indexes.paths.map { .string($0) }))
    classes[place].notation = .document(notation)
    result.add(.taken, "\(indexes.paths.count) indexes of \(name)", in: file, of: name)
  }

  /// Whether a class can have the name, and no other collection has made it. Otherwise that is told.
  private mutating func canBeClass(_ name: String, at file: String, below path: [JSONPlace.Step]) -> Bool {
    if let known = classes.first(where: { $0.name == name }) {
      result.refuse(
        "\(known.file) has a class “\(name)” too, as of another database: give one of them another name",
        in: file, at: path)
      return false
    }
    do {
      _ = try Schema(notation: .array([ObjectType.schemaless(name).notation]))
      return true
    } catch {
      result.refuse("no class can be called “\(name)”", in: file, at: path)
      return false
    }
  }

  /// Leaves out the classes that do not fit the others, and then those that need them.
  private mutating func finishClasses() {
    while !classes.isEmpty {
      do throws(SchemaError) {
        schema = try Schema(notation: .array(classes.map(\.notation)))
        return result.write(.array(classes.map(\.notation)), to: "schema.json")
      } catch {
        let wrong = Set(error.problems.compactMap(\.objectType))
        let left = classes.filter { !wrong.contains($0.name) }
        let text = ErrorExplanation(error).entries.joined(separator: " ")
        if left.count == classes.count {
          for type in classes { result.leaveOut(type.name, because: text, in: type.file) }
          return
        }
        for type in classes where wrong.contains(type.name) {
          result.leaveOut(type.name, because: text, in: type.file)
        }
        classes = left
      }
    }
  }
}
