/** Tables as CSV (RFC 4180). */

export type Cell = string | number | null | undefined

export function csvOf(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = rows.map((cells) => cells.map(cellText).join(','))
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`
}

/** A text that a spreadsheet would evaluate as a formula is quoted. */
function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell === 'number') return String(cell)
  const safe = /^[=+\-@\t]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
