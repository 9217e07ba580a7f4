import Testing

@testable import GatehouseServer

// The states of an event loop, without events.

@Suite struct LoopTimerTests {
  @Test func `a tick is late by what has passed since it was due, of which the first knows nothing`() {
    var timer = LoopTimer(interval: 100)
    let started = [timer.start(), timer.start()]
    let late = [1_000, 1_130, 1_200].map { timer.tick(at: $0) }
    timer.stop()
    let isOff = !timer.isOn
    let lateWhenOff = timer.tick(at: 9_999)
    let startedAgain = timer.start()
    let first = timer.tick(at: 20_000)
    #expect(started == [true, false])
    #expect(late == [nil, 30, 0])
    #expect(isOff && lateWhenOff == nil)
    #expect(startedAgain && first == nil)
  }

  @Test func `a loop is quiet when nothing was done between two ticks`() {
    var timer = LoopTimer(interval: 100)
    #expect(timer.isQuiet)
    timer.wake()
    #expect(!timer.isQuiet)
    timer.noteActivity()
    _ = timer.tick(at: 1)
    #expect(!timer.isQuiet)
    _ = timer.tick(at: 2)
    #expect(timer.isQuiet)
    timer.wake()
    timer.rest()
    #expect(timer.isQuiet)
  }
}

@Suite struct LoopLifeTests {
  @Test func `whoever drains a loop is called once`() {
    var calls = 0
    var life = LoopLife.running
    life.takeDone()?()
    #expect(calls == 0)
    life = .draining { calls += 1 }
    life.takeDone()?()
    life.takeDone()?()
    #expect(calls == 1 && !life.isStopped)
    life = .stopped
    life.takeDone()?()
    #expect(calls == 1 && life.isStopped)
  }
}
