internal import GatehouseSharing

extension WorkerPool {
  /// Whether one more worker may have calls of the caller: some are always left to others, whether callers are told apart
  /// by their addresses or by their principals.
  func mayHaveWorker(_ caller: Caller, _ workers: [UInt64: Worker]) -> Bool {
    caller.sides.allSatisfy { isSame in
      admitsOneMore(beside: workers.values.count { $0.holds(where: isSame) }, of: workers)
    }
  }

  /// Whether the busy worker may have a call of the caller: one that has no more workers then, or had none.
  func mayHave(_ worker: Worker, for caller: Caller, among workers: [UInt64: Worker]) -> Bool {
    caller.sides.allSatisfy { isSame in
      if worker.holds(where: isSame) { return true }
      let held = workers.values.count { $0.holds(where: isSame) }
      return held == 0 || admitsOneMore(beside: held, of: workers)
    }
  }

  private func admitsOneMore(beside held: Int, of workers: [UInt64: Worker]) -> Bool {
    let free = limits.workers - workers.values.count { !$0.calls.isEmpty }
    precondition(free >= 0, "the number of workers is bounded")
    return Holdings.admits(1, beside: held, of: free, factor: PoolLimits.shareFactor)
  }

  /// Puts calls back that no worker has begun.
  func putBack(_ calls: [PendingCall], _ state: inout State) {
    state.queue.putBack(calls.map { ($0, $0.caller) })
  }

  /// Charges the caller of a call that is over for the time that it took a worker, beyond what it was charged before.
  func settle(_ call: PendingCall, at now: UInt64, _ state: inout State) {
    let time = now - min(now, call.begun)
    if time > PoolLimits.leastCost { state.queue.charge(time - PoolLimits.leastCost, to: call.caller) }
  }
}

extension Caller {
  /// The tests for callers that have something in common with this one: the address, and the principal where there is one.
  fileprivate var sides: [(Caller) -> Bool] {
    let isSameAddress = { (other: Caller) in other.address == address }
    if principal.isEmpty { return [isSameAddress] }
    return [isSameAddress, { $0.principal == principal }]
  }
}
