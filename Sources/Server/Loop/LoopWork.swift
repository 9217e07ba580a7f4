internal import GatehouseHTTP

/// The work that events of a loop lead to, and who does it.
struct LoopWork {
  var requestIDs = RequestIDSource()
  /// Requests for tasks.
  var waiting: [WaitingRequest] = []
  var idleTasks: [RequestTask] = []
  /// The connections with a step to do once the current batch has been handled.
  var postponing: [SocketConnection] = []
  /// Room for the next jobs.
  var spareJobs: [JobQueue.Job] = []
}
