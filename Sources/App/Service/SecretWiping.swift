import GatehouseFunctions
@preconcurrency import Glibc

/// Keeps the process' secrets from other processes of its user, functions among them.
public enum SecretWiping {
  /// Closes the process' memory to others, and wipes the values of secret settings from the arguments and variables
  /// that the system shows. Call it once these were read.
  public static func begin() {
    ProcessPrivacy.begin()
    let secrets = Settings.table.filter(\.isSecret)
    var variable = environ
    while let text = variable.pointee {
      for secret in secrets { wipe(text, after: secret.environmentName + "=") }
      variable += 1
    }
    var argument = CommandLine.unsafeArgv
    while let text = argument.pointee {
      argument += 1
      for secret in secrets {
        wipe(text, after: secret.flag + "=")
        if strcmp(text, secret.flag) == 0, let value = argument.pointee { wipe(value, after: "") }
      }
    }
  }

  private static func wipe(_ text: UnsafeMutablePointer<CChar>, after beginning: String) {
    guard strncmp(text, beginning, beginning.utf8.count) == 0 else { return }
    let value = text + beginning.utf8.count
    value.update(repeating: 0, count: strlen(value))
  }
}
