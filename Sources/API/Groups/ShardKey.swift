import GatehouseBSON
import GatehouseCrypto
public import GatehouseModel

/// Which of a group's shards has an object: the first 8 bytes of the SHA-256 of its primary key, as BSON, modulo their number.
public enum ShardKey {
  /// The numbers of shards that a group may have.
  public static let counts = 2...64

  /// The shard of the object with that primary key.
  public static func shard(of id: Mixed, among count: Int) -> Int {
    precondition(count > 0, "a group of shards has one")
    // Primary keys are never links.
    let key: Document = ["": id.value { _ in .null }]
    guard let bytes = try? key.bson() else { preconditionFailure("a key of one value") }
    let digest = Digest.sha256.hash(bytes)
    return Int(digest[..<8].reduce(0) { $0 << 8 | UInt64($1) } % UInt64(count))
  }
}
