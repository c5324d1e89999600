/**
 * Senders' texts on their way into a message or a log line: bounded, one line, nothing that a terminal obeys. Cut
 * texts end with an ellipsis.
 */

// Controls (C0, DEL, C1), line separators, and the marks that turn the direction of what follows.
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu

/** At most `charsMax` UTF-16 code units; no half of a surrogate pair is left behind. */
export function clipText(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text.replace(UNPRINTABLE, ' ')
  const cut = text.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, '')
  return `${cut.replace(UNPRINTABLE, ' ')}\u2026`
}

/** At most `bytesMax` bytes of UTF-8. `bytesMax` is at least 3. */
export function clipTextBytes(text: string, bytesMax: number): string {
  const line = text.replace(UNPRINTABLE, ' ')
  if (Buffer.byteLength(line) <= bytesMax) return line
  let bytes = 3 // of the ellipsis
  let end = 0
  for (const char of line) {
    bytes += Buffer.byteLength(char)
    if (bytes > bytesMax) break
    end += char.length
  }
  return `${line.slice(0, end)}\u2026`
}
