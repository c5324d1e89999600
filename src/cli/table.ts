/** Tables of commands: columns as wide as their widest cell. */

export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const table = [head, ...rows]
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  for (const row of table) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column]!))
    console.log(cells.join('  ').trimEnd())
  }
}

/** To the minute, UTC. */
export function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 16)
}
