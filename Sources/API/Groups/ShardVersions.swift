import GatehouseStorage

/// The versions of all shards of a group, or positions in their logs, in one text: `12_3_7`, in the order of the shards.
enum ShardVersions {
  static let separator: Character = "_"

  static func text(of versions: [Int64]) -> String {
    versions.map { String($0) }.joined(separator: "\(separator)")
  }

  /// Returns the moment of one shard in a text that is a moment of all: its own version, or a time for each. Throws
  /// ``GroupError/severalShards`` where it is the version of one store; returns nil where there is none of the shard.
  static func moment(of shard: Int, in text: String) throws(GroupError) -> String? {
    let versions = text.split(separator: separator, omittingEmptySubsequences: false)
    guard versions.count > 1 else {
      if LogPosition(text: text) != nil { throw .severalShards }
      return text
    }
    return versions.indices.contains(shard) ? String(versions[shard]) : nil
  }

  /// Whether a text may be a moment of so many shards.
  static func isMoment(_ text: String, of count: Int) -> Bool {
    let separators = text.count { $0 == separator }
    return separators == 0 || separators == count - 1
  }
}
