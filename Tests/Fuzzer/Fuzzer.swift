import GatehouseFuzzTargets
import Glibc

/// The target that the environment names.
private let target = getenv("GATEHOUSE_FUZZ").flatMap { FuzzTarget(rawValue: String(cString: $0)) } ?? .parser

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
  target.run(UnsafeRawBufferPointer(start: start, count: count))
  return 0
}
