/** A finding with a position, of PromQL errors, rule checks and page checks. */
export interface Diagnostic {
  readonly severity: 'error' | 'warning'
  readonly message: string
  /** What to do about it. */
  readonly help?: string
  /** Path of the file as the user named it; absent for a query typed by hand. */
  readonly file?: string
  /** Character offsets into the text that was read: `from` inclusive, `to` exclusive. */
  readonly from: number
  readonly to: number
}

/** The position of an offset: line and column count from 1. */
export function positionOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - lineStart + 1 }
}

/** The line with carets under the range, for a terminal. */
export function renderDiagnostic(
  text: string,
  diagnostic: Omit<Diagnostic, 'severity'> & { readonly severity: Diagnostic['severity'] | 'info' },
): string {
  const { line, column } = positionOf(text, diagnostic.from)
  const source = text.split('\n')[line - 1] ?? ''
  const width = Math.max(1, Math.min(diagnostic.to - diagnostic.from, source.length - column + 1))
  const gutter = String(line).padStart(4)
  const head = `${diagnostic.file ?? ''}${diagnostic.file === undefined ? '' : ':'}${line}:${column}: ${diagnostic.severity}: ${diagnostic.message}`
  const lines = [head, `${gutter} | ${source}`, `${' '.repeat(4)} | ${' '.repeat(column - 1)}${'^'.repeat(width)}`]
  if (diagnostic.help !== undefined) lines.push(`     = help: ${diagnostic.help}`)
  return lines.join('\n')
}
