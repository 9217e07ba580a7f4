import GatehouseModel
import GatehouseStorage

/// The head of an array's or a long string's allocation, and what the allocator rounds up to, about.
private let allocation = 40

extension Mixed {
  /// The bytes that the value takes beside the place where it is kept, about.
  var heapSize: Int {
    switch self {
    case .string(let text): text.heapSize
    case .data(let bytes): allocation + bytes.count
    case .list(let values):
      values.reduce(allocation + values.count * MemoryLayout<Mixed>.stride) { $0 + $1.heapSize }
    case .dictionary(let entries):
      entries.reduce(allocation + entries.count * MemoryLayout<Mixed.Entry>.stride) {
        $0 + $1.key.heapSize + $1.value.heapSize
      }
    case .null, .bool, .int, .float, .double, .decimal128, .date, .objectID, .uuid, .link: 0
    }
  }
}

extension String {
  /// The bytes that the text takes beside its sixteen: short ones are in these.
  fileprivate var heapSize: Int { utf8.count > 15 ? allocation + utf8.count : 0 }
}

extension LoggedChange {
  /// The bytes that the change takes in memory, about.
  var memorySize: Int {
    let images = (before?.heapSize ?? 0) + (after?.heapSize ?? 0) + id.heapSize
    return elements.reduce(MemoryLayout<LoggedChange>.stride + images) { size, collection in
      collection.elements.reduce(size + allocation + MemoryLayout<CollectionChange>.stride) {
        $0 + MemoryLayout<ElementChange>.stride + ($1.before?.heapSize ?? 0) + ($1.after?.heapSize ?? 0)
      }
    }
  }
}

extension Identity {
  /// The bytes that the name takes as the key of a hash table, half of whose places are empty, about.
  var memorySize: Int { 2 * MemoryLayout<Identity>.stride + id.heapSize }
}

extension ObjectState {
  /// The bytes that the state takes in a hash table, half of whose places are empty, about.
  var memorySize: Int {
    values.reduce(
      2 * MemoryLayout<ObjectState?>.stride + allocation + values.count * MemoryLayout<Mixed>.stride
    ) { $0 + $1.heapSize }
  }
}
