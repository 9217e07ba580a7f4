import Model

/// Remembers what a transaction changes, so that its net effect can be logged when it ends.
///
/// Whoever is about to change something says so first; the first time, the value before is captured. Created
/// and deleted again is no change at all, changed and deleted is a deletion of the values before.
struct ChangeRecorder {
  /// An object of a class that is not embedded.
  struct Subject: Hashable {
    let table: Int
    let key: Int64
  }

  /// What happened to one object so far.
  struct Entry {
    enum Kind: Int64 { case created, updated, deleted }

    let subject: Subject
    /// The primary key, or the object key.
    let id: Mixed
    var kind: Kind
    /// Images of the changed properties as they were, in the order of the first changes.
    var before: [(property: Int, image: [UInt8])]
    /// For Realm's `UpdatePolicy.modified`: a property that ends as it began is no change.
    var ignoresEqual: Bool
    /// What a created object was made from, as long as it says all of the object.
    var draft: ObjectDraft?
  }

  /// In the order in which the objects were first touched; nil where nothing remains.
  private(set) var entries: [Entry?] = []
  private var positions: [Subject: Int] = [:]

  var isEmpty: Bool { entries.allSatisfy { $0 == nil } }

  func entry(for subject: Subject) -> Entry? {
    positions[subject].flatMap { entries[$0] }
  }

  /// Whether the property, which is about to change, has an image before that is still to be captured.
  mutating func needsImage(of property: Int, for subject: Subject) -> Bool {
    guard let position = positions[subject], let entry = entries[position] else { return true }
    entries[position]?.draft = nil
    return entry.kind == .updated && !entry.before.contains { $0.property == property }
  }

  mutating func didCreate(_ subject: Subject, id: Mixed, from draft: ObjectDraft) {
    add(Entry(subject: subject, id: id, kind: .created, before: [], ignoresEqual: false, draft: draft))
  }

  /// The property is about to change from `image`.
  mutating func willChange(
    _ property: Int, of subject: Subject, id: Mixed, from image: [UInt8], ignoringEqual: Bool
  ) {
    guard let position = positions[subject], entries[position] != nil else {
      let before = [(property: property, image: image)]
      add(Entry(subject: subject, id: id, kind: .updated, before: before, ignoresEqual: ignoringEqual))
      return
    }
    entries[position]?.before.append((property, image))
  }

  /// The object is about to be deleted; `images` are those of the properties that need one.
  mutating func willDelete(_ subject: Subject, id: Mixed, images: [(property: Int, image: [UInt8])]) {
    guard let position = positions[subject], let entry = entries[position] else {
      add(Entry(subject: subject, id: id, kind: .deleted, before: images, ignoresEqual: false))
      return
    }
    if entry.kind == .created {
      entries[position] = nil
      positions[subject] = nil
    } else {
      entries[position]?.kind = .deleted
      entries[position]?.before += images
    }
  }

  private mutating func add(_ entry: Entry) {
    positions[entry.subject] = entries.count
    entries.append(entry)
  }
}
