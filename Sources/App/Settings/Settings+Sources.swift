import GatehouseAPI
import GatehouseBSON
import GatehouseHTTP

extension Settings {
  /// The defaults, changed by the configuration file, then by the environment, then by the flags. What none of the places
  /// should hold is an error: silence would hide what was mistyped.
  init(_ sources: SettingsSources) throws {
    self.init()
    if let file = try sources.file { try apply(file) }
    try apply(sources.variables.filter { $0.name != SettingsSources.fileVariable })
    for (flag, text) in sources.arguments {
      try assign(text, to: Settings.table.first { $0.flag == flag }, named: flag)
    }
    guard !proxyProtocol || !proxies.isEmpty else {
      throw CommandError.invalidValue(
        name: "server.proxyProtocol", text: "true", expected: "false where server.proxies is none")
    }
    // Events that must be recorded, or not happen, are not left out because of another setting.
    guard audit != .off || (auditAlways.kinds.isEmpty && auditEvents.kinds.isEmpty) else {
      throw CommandError.invalidValue(
        name: "audit", text: "off", expected: "onDemand where audit.always or audit.events is set")
    }
  }

  private mutating func apply(_ variables: [(name: String, value: String)]) throws {
    for (name, value) in variables {
      let setting = Settings.table.first { $0.environmentName == name }
      guard let setting else {
        let known = Settings.table.map(\.environmentName) + [SettingsSources.fileVariable]
        throw CommandError.unknownSetting(
          name, source: "the environment", nearest: EditDistance.nearest(to: name, among: known))
      }
      try assign(value, to: setting, named: name)
    }
  }

  /// Sets what a file says. Throws ``CommandError`` with the line of what is wrong.
  mutating func apply(_ file: ConfigurationFile) throws {
    try apply(file.document, of: file)
  }

  /// Sets what a document of the file says, to which the names lead.
  private mutating func apply(_ document: Document, of file: ConfigurationFile, at names: [String] = [])
    throws
  {
    for element in document.elements where names != [] || element.key != Settings.schemaMember {
      let names = names + [element.key]
      let path = names.joined(separator: ".")
      if case .document(let inner) = element.value,
        Settings.table.contains(where: { $0.name.hasPrefix(path + ".") })
      {
        try apply(inner, of: file, at: names)
        continue
      }
      guard let setting = Settings.table.first(where: { $0.name == path }) else {
        throw CommandError.unknownSetting(
          path, source: file.place(of: names),
          nearest: EditDistance.nearest(to: path, among: Settings.table.map(\.name)))
      }
      guard let text = element.value.scalarText else {
        throw CommandError.invalidValue(
          name: "\(path) (in \(file.place(of: names)))", text: "…", expected: setting.expectation)
      }
      try assign(text, to: setting, named: path, in: file.place(of: names))
    }
  }

  private mutating func assign(
    _ text: String, to setting: Setting?, named name: String, in place: String? = nil
  ) throws {
    guard let setting else { return }
    guard setting.assign(&self, text) else {
      throw CommandError.invalidValue(
        name: place.map { "\(name) (in \($0))" } ?? name, text: text, expected: setting.expectation)
    }
  }
}

extension Value {
  /// A string, whole number or Boolean as text, or a list of strings with commas between them; nil: something
  /// else.
  fileprivate var scalarText: String? {
    switch self {
    case .array(let values):
      let texts = values.compactMap { if case .string(let text) = $0 { text } else { nil } }
      return texts.count == values.count ? texts.joined(separator: ",") : nil
    default: return oneText
    }
  }

  private var oneText: String? {
    switch self {
    case .string(let text): text
    case .int32(let number): String(number)
    case .int64(let number): String(number)
    case .bool(let value): String(value)
    default: nil
    }
  }
}
