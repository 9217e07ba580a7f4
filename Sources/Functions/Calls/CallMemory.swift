internal import GatehouseSharing

/// The memory that a call holds of its caller's share while it waits and runs: its arguments as they are sent, a question with
/// its reply, the result.
struct CallMemory {
  /// Messages of no more bytes are not counted: the worker's work is not thrown away for a small result.
  static let small = 64 << 10
  /// The bytes of memory that a byte of a message takes, about, together with the values that are made of it.
  static let growth = 4

  private let reservation: SharedBudget.Reservation?
  /// The reason why there was no room for something; nil: there was.
  private(set) var refusal: SharingError?

  /// `reservation` nil: nothing is counted.
  init(_ reservation: SharedBudget.Reservation?) {
    self.reservation = reservation
  }

  /// Counts the messages as held, beside each other; false: there is no room.
  mutating func hold(_ messages: [UInt8]...) -> Bool {
    let count = messages.reduce(0) { $1.count > Self.small ? $0 + $1.count : $0 }
    guard let reservation else { return true }
    do throws(BudgetError) {
      try reservation.grow(to: count * Self.growth)
      return true
    } catch {
      refusal = error.reason
      return false
    }
  }
}
