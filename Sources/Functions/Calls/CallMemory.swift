internal import GatehouseBSON
internal import GatehouseSharing

/// The memory that a call holds of its caller's share while it waits and runs: its arguments as they are sent, a question with
/// its reply, the result.
struct CallMemory {
  /// Messages of no more bytes are not counted: the worker's work is not thrown away for a small result.
  static let small = 64 << 10
  /// The bytes of memory that a byte of a message takes, about, together with the texts that are made of it.
  static let growth = 4

  private let framing: Framing
  private let reservation: SharedBudget.Reservation?
  /// The reason why there was no room for something; nil: there was.
  private(set) var refusal: SharingError?

  /// `reservation` nil: nothing is counted.
  init(_ reservation: SharedBudget.Reservation?, for framing: Framing) {
    self.reservation = reservation
    self.framing = framing
  }

  /// Counts messages as held, beside each other, and the values of the one that the worker sent, which is decoded; false:
  /// there is no room.
  mutating func hold(_ sent: [UInt8]..., received: [UInt8] = []) -> Bool {
    guard let reservation else { return true }
    var memory = (sent + [received]).reduce(0) { $1.count > Self.small ? $0 + $1.count * Self.growth : $0 }
    if received.count > Self.small { memory += ValueCount(of: received, isBSON: framing == .frames).memory }
    do throws(BudgetError) {
      try reservation.grow(to: memory)
      return true
    } catch {
      refusal = error.reason
      return false
    }
  }
}
