import GatehouseAPI
import GatehouseBSON

/// The files that an app becomes, and what became of each of its parts.
struct ImportResult {
  let source: AppFolder
  private(set) var report = ImportReport()
  /// The files of the data directory, by their paths in it.
  var files: [String: [UInt8]] = [:]
  /// The files of the app that have been looked at.
  private(set) var seen: Set<String> = []

  init(_ source: AppFolder) { self.source = source }

  mutating func see(_ file: String) { seen.insert(file) }
  mutating func see(_ files: [String]) { seen.formUnion(files) }

  /// Tells what became of a part; `path` leads to it in the file's JSON. What is told of a class can be taken back
  /// (``leaveOut(_:because:in:)``).
  mutating func add(
    _ outcome: ImportReport.Outcome, _ text: String, in file: String, at path: [JSONPlace.Step]? = nil,
    of className: String? = nil
  ) {
    let line = path.flatMap { source.line(of: $0, in: file) }
    report.add(ImportReport.Item(outcome, text, in: file, line: line, of: className))
  }

  mutating func refuse(_ text: String, in file: String, at path: [JSONPlace.Step]) {
    add(.refused, text, in: file, at: path)
  }

  /// Refuses a file that is no JSON, or has a malformed value of Extended JSON; returns whether it is refused.
  mutating func refuseMalformed(_ file: String) -> Bool {
    do throws(CommandError) {
      _ = try source.json(file)
      return false
    } catch {
      guard case .json(_, let line, let column, let reason) = error else { return false }
      see(file)
      let text = "column \(column): \(ErrorExplanation(reason).detail)"
      report.add(ImportReport.Item(.refused, text, in: file, line: line, of: nil))
      return true
    }
  }

  mutating func refuse(_ error: ConfigurationError, in file: String) {
    refuse(error.text, in: file, at: error.path)
  }

  /// Tells that a class is left out, and nothing else that was taken of it.
  mutating func leaveOut(_ className: String, because text: String, in file: String) {
    report.removeTaken(of: className)
    add(.refused, "class \(className) is left out: \(text)", in: file)
  }

  mutating func write(_ value: Value, to path: String) {
    files[path] = value.plainJSON + [0x0A]
  }

  /// Copies a file of the app to where the data directory has it.
  mutating func copy(_ file: String, to path: String? = nil) {
    files[path ?? file] = source.files[file]
  }

  /// Tells members that mean nothing: misspelt, they would have no effect. Returns whether there are any.
  mutating func refuseUnknown(_ members: Document, _ known: Set<String>, in file: String) -> Bool {
    let others = members.elements.filter { !known.contains($0.key) }
    for element in others { refuse("“\(element.key)” is not known", in: file, at: [.name(element.key)]) }
    return !others.isEmpty
  }
}
