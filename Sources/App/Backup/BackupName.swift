import GatehouseBSON

/// The name of a backup among others: the time that it is of, and the version of the last commit.
struct BackupName: Hashable, Comparable, Sendable {
  let time: Date
  let version: Int64

  init(time: Date, version: Int64) {
    self.time = time
    self.version = version
  }

  /// Nil: it is the name of something else.
  init?(_ text: String) {
    guard text.hasSuffix(".json"), let end = text.firstIndex(of: "Z"),
      let time = BackupName.time(of: text[...end]), let version = Int64(text[end...].dropFirst(2).dropLast(5))
    else { return nil }
    self.init(time: time, version: version)
    guard self.text == text else { return nil }
  }

  /// The name of its file: `2026-11-25T14-45-38.123Z-42.json`.
  var text: String { "\(BackupName.text(of: time))-\(version).json" }

  /// A time without the colons that names of files should not have.
  static func text(of time: Date) -> String { "\(time.storedText.replacing(":", with: "-"))Z" }

  /// The time of ``text(of:)``; nil: it is none.
  static func time(of text: Substring) -> Date? {
    guard let start = text.firstIndex(of: "T") else { return nil }
    return Date(String(text[..<start]) + text[start...].replacing("-", with: ":"))
  }

  static func < (left: BackupName, right: BackupName) -> Bool {
    (left.time, left.version) < (right.time, right.version)
  }
}

extension BackupName: CustomStringConvertible {
  var description: String { "\(time), version \(version)" }
}
