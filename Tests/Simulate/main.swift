import CGatehouseSimulation
import Glibc

// Simulates a gateway from seeds: Scripts/simulate says how.

sim_make_repeatable(CommandLine.unsafeArgv)
let slots = Slot.makeAll()
exit(Runner(slots, CommandLine.arguments.dropFirst()).run())
