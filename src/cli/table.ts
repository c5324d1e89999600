/** Tables of commands: columns as wide as their widest cell. */

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  for (const line of tableLines(head, rows)) console.log(line)
}

export function tableLines(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const table = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  return table.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}

/** To the minute, UTC. */
export function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 16)
}
