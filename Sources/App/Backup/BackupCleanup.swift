import GatehouseBSON

/// Removes backups that are no longer to be kept, and blobs that no backup needs.
struct BackupCleanup {
  /// The blobs that a backup needs, by their numbers.
  private struct Needs {
    let base: UInt32
    let others: [UInt32]
  }

  /// Each name once, however many backups need the blob.
  private var numbers: [String: UInt32] = [:]
  private var needs: [BackupName: Needs] = [:]
  /// The blobs that each base lists.
  private var lists: [UInt32: [UInt32]] = [:]
  private var isFirst = true

  /// How many seconds a blob may be without a backup that needs it: that one may be under way.
  private static let patience: Int64 = 86_400

  /// Returns how many backups were removed. A process that is ended half-way leaves blobs, which the next one removes.
  mutating func run(in place: any BackupPlace, _ retention: BackupRetention, now: Date) async throws -> Int {
    let names = try await place.names(in: .backups).compactMap(BackupName.init)
    let surplus = retention.surplus(of: names, now: now)
    guard isFirst || !surplus.isEmpty else { return 0 }
    for name in surplus { try await place.remove(name.text, in: .backups) }
    try await removeBlobs(from: place, now)
    isFirst = false
    return surplus.count
  }

  /// Backups are looked for when those that go have gone: whoever relies on one of those finds out, or is found here.
  private mutating func removeBlobs(from place: any BackupPlace, _ now: Date) async throws {
    let names = Set(try await place.names(in: .backups).compactMap(BackupName.init))
    needs = needs.filter { names.contains($0.key) }
    for name in names where needs[name] == nil { try await add(name, of: place) }
    let bases = Set(needs.values.map(\.base))
    lists = lists.filter { bases.contains($0.key) }
    precondition(
      needs.count == names.count && lists.count == bases.count,
      "no blob is removed before it is known what each backup needs")
    var needed = bases
    for needs in needs.values { needed.formUnion(needs.others) }
    for list in lists.values { needed.formUnion(list) }
    for text in try await place.names(in: .blobs).sorted() {
      if let number = numbers[text], needed.contains(number) { continue }
      guard let time = BackupRun.time(of: text), time.seconds < now.seconds - BackupCleanup.patience else {
        continue
      }
      try await place.remove(text, in: .blobs)
    }
  }

  private mutating func add(_ name: BackupName, of place: any BackupPlace) async throws {
    let backup = try await StoredBackup.read(name, from: place)
    let base = number(backup.pages.base)
    if lists[base] == nil {
      lists[base] = try await backup.pages.parts(from: place).map { number($0) }
    }
    needs[name] = Needs(base: base, others: backup.blobs.map { number($0) })
  }

  private mutating func number(_ name: BlobName) -> UInt32 {
    if let number = numbers[name.text] { return number }
    let number = UInt32(numbers.count)
    numbers[name.text] = number
    return number
  }
}
