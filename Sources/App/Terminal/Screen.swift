import Glibc

/// The whole terminal, on which lines replace those before; elsewhere they follow them.
struct Screen: Sendable {
  private let output = Output.standard

  private var size: winsize {
    var size = winsize()
    guard ioctl(output.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return winsize(ws_row: .max, ws_col: .max, ws_xpixel: 0, ws_ypixel: 0)
    }
    return size
  }

  var width: Int { Int(size.ws_col) }
  var height: Int { Int(size.ws_row) - 1 }

  /// Keeps what is there for later, and hides the cursor.
  func open() {
    if output.isTerminal { output.write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[H") }
  }

  func close() {
    if output.isTerminal { output.write("\u{1B}[?25h\u{1B}[?1049l") }
  }

  func show(_ lines: [String]) {
    // Line by line, so that nothing flickers.
    output.write(
      output.isTerminal
        ? "\u{1B}[H" + lines.map { $0 + "\u{1B}[K\r\n" }.joined() + "\u{1B}[J"
        : (lines + [""]).map { $0 + "\n" }.joined())
  }
}
