import CGatehouseSimulation
import Glibc

// Simulates a gateway from seeds: Scripts/simulate says how.

sim_make_repeatable(CommandLine.unsafeArgv)
exit(Runner(CommandLine.arguments.dropFirst()).run())
