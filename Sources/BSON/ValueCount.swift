/// A count of the values in an encoded content, made in one pass before they are decoded, and of the memory that they will
/// take: up to a hundred times the content's bytes.
///
/// It is never less than what a reader makes of the content. It ends where no reader goes on: at a level that is too deep, and
/// in BSON at a type or a length that is none.
public struct ValueCount: Sendable {
  /// Elements of arrays, and values beside each other outside of any.
  public private(set) var elements = 0
  /// Members of documents.
  public private(set) var members = 0
  /// Documents and arrays.
  public private(set) var containers = 0
  /// The most elements and members of containers that are open at once: a reader keeps them on stacks until the container
  /// ends.
  private var most = (elements: 0, members: 0)

  private struct Open {
    let isDocument: Bool
    var count = 0
  }

  /// The containers that are open, outermost first.
  private var open: [Open] = []
  private var current = (elements: 0, members: 0)

  /// The levels beyond which all readers refuse a content: those of workers' messages allow three more than others.
  static let depth = Limits().depth + 4

  /// Bytes of a buffer of the heap before its elements, with what the allocator adds.
  private static let bufferHead = 48
  /// Bytes for each member of the tables in which a document's names are compared: see `KeyMark`.
  private static let tableEntry = 64

  /// The bytes of memory that the values take while they are read, but for the characters of texts: what they are kept in,
  /// and the stacks, which double when they are full.
  public var memory: Int {
    let (element, member) = (MemoryLayout<Value>.stride, MemoryLayout<Document.Element>.stride)
    let kept = elements * element + members * member + containers * Self.bufferHead
    let stacks = 2 * (most.elements * element + most.members * (member + MemoryLayout<KeyMark>.stride))
    return kept + stacks + most.members * Self.tableEntry
  }

  init() {}

  /// Counts the values of a content in BSON or JSON.
  public init(of bytes: [UInt8], isBSON: Bool) {
    self = bytes.withUnsafeBufferPointer { isBSON ? ValueCount(bson: $0) : ValueCount(json: $0) }
  }

  /// Counts the cells of CSV as members, and what can be a container of JSON in them.
  public init(ofCellsIn bytes: [UInt8]) {
    (members, containers) = (1, 1)
    for byte in bytes {
      switch byte {
      case UInt8(ascii: ","): members += 1
      case UInt8(ascii: "\n"): (members, containers) = (members + 1, containers + 1)
      case UInt8(ascii: "["), UInt8(ascii: "{"): containers += 1
      default: break
      }
    }
  }

  /// Whether the container that was begun last is a document.
  var isInDocument: Bool { open.last?.isDocument ?? false }
  /// The number of containers that are open.
  var level: Int { open.count }

  mutating func begin(document isDocument: Bool) {
    containers += 1
    open.append(Open(isDocument: isDocument))
  }

  /// Counts a value of the container that was begun last.
  mutating func add() {
    guard let last = open.indices.last else {
      elements += 1
      return
    }
    open[last].count += 1
    if open[last].isDocument {
      members += 1
      current.members += 1
      most.members = max(most.members, current.members)
    } else {
      elements += 1
      current.elements += 1
      most.elements = max(most.elements, current.elements)
    }
  }

  mutating func end() {
    guard let ended = open.popLast() else { return }
    if ended.isDocument { current.members -= ended.count } else { current.elements -= ended.count }
  }

}
