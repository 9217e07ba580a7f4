import GatehouseBSON

extension SequenceFormat {
  /// Returns the format that an option names, or else the name of the file; lines of JSON where neither does.
  init(option text: String?, path: String = "") throws(CommandError) {
    guard let text else {
      let name = path.hasSuffix(".gz") ? path.dropLast(3).lowercased() : path.lowercased()
      self = SequenceFormat.byEnding.first { name.hasSuffix($0.ending) }?.format ?? .ndjson
      return
    }
    guard let format = SequenceFormat(rawValue: text) else {
      throw .invalidValue(name: "--format", text: text, expected: "csv, json, ndjson or bson")
    }
    self = format
  }

  private static let byEnding: [(ending: String, format: SequenceFormat)] = [
    (".csv", .csv), (".json", .json), (".bson", .bson), (".ndjson", .ndjson), (".jsonl", .ndjson),
  ]
}
