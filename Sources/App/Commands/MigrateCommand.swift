import GatehouseAPI
import GatehouseAccess
import GatehouseModel
import GatehouseStorage

/// `gatehouse migrate`.
struct MigrateCommand: Command {
  static let synopsis = Synopsis(
    "migrate", summary: "Applies the steps in the folder migrations that were not applied yet.",
    options: [
      Synopsis.Option(
        name: "--dry-run", value: nil,
        help: "Try all of it on the data, and say what it does, but leave everything as it is."),
      Synopsis.Option(name: "--to", value: "N", help: "Go no further than the step of that number."),
    ],
    settings: .some(["data"]),
    details: """
      The files NNNN_name.json of the folder in the data directory are applied in the order of their numbers, each as a whole \
      or not at all, and the store notes which: the next run goes on behind them. A file that was applied may neither change \
      nor go, nor may a function that it names. No server may use the data directory meanwhile.
      """)

  private let isTrial: Bool
  private let target: Int?
  private let directory: String
  private let functions: MigrationFunctions

  init(_ arguments: Arguments, settings: Settings) throws {
    isTrial = try arguments.isSet("--dry-run")
    target = try arguments.count("--to")
    directory = settings.data
    functions = MigrationFunctions(settings)
  }

  func run() async throws {
    let folder = try MigrationFolder(directory)
    defer { functions.close() }
    try await Store.with(directory) { store in
      let pending = try MigrationHistory(of: store).pending(of: folder.files, through: target)
      if isTrial { try await attempt(pending, on: store) } else { try await apply(pending, to: store) }
      let steps = pending.count == 1 ? "1 step" : "\(pending.count) steps"
      Output.error.write(
        pending.isEmpty
          ? "nothing to apply\n" : isTrial ? "\(steps) would be applied\n" : "\(steps) applied\n")
    }
  }

  private func apply(_ files: [MigrationFile], to store: Store) async throws {
    for file in files {
      let step = try step(of: file, on: store.schema, for: store)
      do throws(OperationError) {
        let version = try await store.migrate(by: [step.step])
        Output.standard.write("\(file.name): version \(version)\n")
      } catch {
        throw MigrationError.file(file.path, line: nil, error)
      }
    }
  }

  /// Tries all in one transaction, since each needs those before it.
  private func attempt(_ files: [MigrationFile], on store: Store) async throws {
    var schema = store.schema
    var steps: [MigrationStep] = []
    for file in files {
      let planned = try step(of: file, on: schema, for: store)
      steps.append(planned.step)
      schema = planned.schema
    }
    do throws(OperationError) {
      _ = try await store.migrate(by: steps, isTrial: true)
    } catch {
      throw MigrationError.file(files[error.operation].path, line: nil, error)
    }
  }

  /// Says what a file does, and returns it.
  private func step(
    of file: MigrationFile, on schema: Schema, for store: Store
  ) throws -> (step: MigrationStep, schema: Schema) {
    let migration = try file.migration()
    let plan = try file.naming { try migration.plan(on: schema, calling: functions) }
    for line in plan.lines { Output.standard.write("\(file.name): \(line)\n") }
    var step = MigrationStep(
      plan.changes, record: MigrationHistory.record(of: file, at: CommitClock().now()))
    step.others = try AccessControl.records(renaming: migration.renames.classes, in: store)
    try warn(of: migration.renames.classes)
    return (step, plan.schema)
  }

  /// Names files that are not the store's, and still call classes by the names that they had.
  private func warn(of renames: [ClassRename]) throws {
    guard !renames.isEmpty, let roles = try AuthFolder(directory).roles else { return }
    for rename in renames where roles.roles.values.contains(where: { $0.classes[rename.from] != nil }) {
      Output.error.write(
        """
        gatehouse: auth/roles.json names \(rename.from), which is called \(rename.to): no server starts before it says so too

        """)
    }
  }
}
