/// All commands.
enum CommandTable {
  static let all: [any Command.Type] = [
    InitCommand.self, ServeCommand.self, SchemaApplyCommand.self, SchemaDiffCommand.self,
    SchemaShowCommand.self,
    MigrateCommand.self, GenerateCommand.self, ImportCommand.self,
    ExportCommand.self, AppCreateCommand.self, AppListCommand.self, AppRemoveCommand.self,
    AppGroupCommand.self, AppUngroupCommand.self,
    AppImportCommand.self, AppExportCommand.self, UsersImportCommand.self,
    BackupCommand.self, RestoreCommand.self, CheckCommand.self, CompactCommand.self, KeyCreateCommand.self,
    KeyListCommand.self,
    KeyRevokeCommand.self, ClusterStatusCommand.self, ClusterStepDownCommand.self, ClusterMoveCommand.self,
    ClusterVerifyCommand.self, ClusterSnapshotCommand.self, ClusterRecoverCommand.self, HealthCommand.self,
    TopCommand.self, DescribeCommand.self, VersionCommand.self,
    AuditAnchorCommand.self,
    AuditVerifyCommand.self,
    AuditExportCommand.self, HelpCommand.self, ManualCommand.self, CompletionsCommand.self,
  ]

  static var names: [String] { all.map { $0.synopsis.name } }

  static func named(_ name: String) -> (any Command.Type)? {
    all.first { $0.synopsis.name == name }
  }

  /// The command that the first one or two words name, and what follows them. No words ask for help, and so does the
  /// first of two.
  static func find(_ arguments: [String]) throws -> (command: any Command.Type, rest: [String]) {
    guard let first = arguments.first else { return (HelpCommand.self, []) }
    switch first {
    case "--help", "-h": return (HelpCommand.self, Array(arguments.dropFirst()))
    case "--version": return (VersionCommand.self, Array(arguments.dropFirst()))
    default: break
    }
    if let command = named(first) { return (command, Array(arguments.dropFirst())) }
    let both = arguments.prefix(2).joined(separator: " ")
    if let command = named(both) { return (command, Array(arguments.dropFirst(2))) }
    let isGroup = all.contains { $0.synopsis.name.hasPrefix("\(first) ") }
    guard isGroup else { throw CommandError.unknownCommand(first) }
    // The first word alone asks for the help on its commands.
    if arguments.count == 1 || ["--help", "-h"].contains(arguments[1]) { return (HelpCommand.self, [first]) }
    throw CommandError.unknownCommand(both)
  }
}
