/** Tables as CSV, RFC 4180. Pure. */

export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('')
}

/** A cell that a spreadsheet would take for a formula is made a text. */
function quoted(cell: string): string {
  const text = /^[=@\t\r]|^[+-](?![\d.]|Inf)/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
