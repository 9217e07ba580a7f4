import GatehouseTelemetry
import Glibc

/// The metrics of the process itself, under the names that Prometheus' client libraries give them, and which build it is.
///
/// Each is read from the kernel (proc(5), getrusage(2)) when the metrics are: nobody pays for them otherwise.
enum ProcessMetrics {
  static func register(in metrics: Registry, version: String) {
    metrics.read("process_resident_memory_bytes", help: "Memory of the process that is in RAM, in bytes.") {
      Double(pages(at: 1) * Int(getpagesize()))
    }
    metrics.read("process_virtual_memory_bytes", help: "Address space of the process, in bytes.") {
      Double(pages(at: 0) * Int(getpagesize()))
    }
    metrics.read("process_open_fds", help: "Descriptors that are open.") { Double(openDescriptors()) }
    metrics.read("process_max_fds", help: "Descriptors that may be open.") {
      var limit = rlimit()
      return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? Double(limit.rlim_cur) : 0
    }
    metrics.readTotal("process_cpu_seconds", help: "Processor time that the process has used, in seconds.") {
      var usage = rusage()
      guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
      return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }
    let start = CalendarTime.now()
    metrics.read("process_start_time_seconds", help: "When the process began, in seconds since 1970.") {
      Double(start.second) + Double(start.nanoseconds) / 1e9
    }
    metrics.read(
      "gatehouse_build_info", help: "1, with the version of the program.",
      labels: [.init("version", version)]
    ) { 1 }
  }

  /// Returns a number of `/proc/self/statm`; 0 where that cannot be read.
  private static func pages(at index: Int) -> Int {
    guard let file = fopen("/proc/self/statm", "re") else { return 0 }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = fread(&bytes, 1, bytes.count, file)
    let fields = bytes[..<count].split(separator: UInt8(ascii: " "))
    guard fields.indices.contains(index) else { return 0 }
    return Int(String(decoding: fields[index], as: UTF8.self)) ?? 0
  }

  /// Counts the entries of `/proc/self/fd`, but for the one that it is read by.
  private static func openDescriptors() -> Int {
    guard let directory = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(directory) }
    var count = -1
    while let entry = readdir(directory) {
      if entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
    }
    return count
  }
}
