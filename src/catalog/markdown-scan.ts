/**
 * Splits a Markdown text (CommonMark) into the parts that matter for binding: fenced code, code spans, headings and
 * prose, each with offsets, which the `marked` lexer does not provide. Every character is in exactly one block.
 * Deliberately absent: indented code and HTML count as prose; pages are checked not to use placeholders in them.
 */
export type Block = Prose | Fence

/** Text between fences. */
export interface Prose {
  readonly kind: 'prose'
  readonly from: number
  readonly to: number
}

export interface Fence {
  readonly kind: 'fence'
  /** Start of the opening line, indentation included. */
  readonly from: number
  /** End of the closing line, line break included. */
  readonly to: number
  /** Blanks before the opening fence: those of its list item. */
  readonly indent: string
  /** The backticks or tildes of the opening line. */
  readonly marker: string
  /** After the marker, trimmed: `bash kubectl`, `promql live`. */
  readonly info: string
  /** The lines between, without the last line break. */
  readonly contentFrom: number
  readonly contentTo: number
  /** False when the text ends before the fence is closed. */
  readonly isClosed: boolean
}

/** @param start offset of the first line */
export function blocksOf(text: string, start: number): Block[] {
  const blocks: Block[] = []
  let proseFrom = start
  let at = start
  while (at < text.length) {
    const line = lineAt(text, at)
    const open = /^([ \t]*)(`{3,}|~{3,})([^\n]*)$/.exec(line.text)
    // An opening line of backticks must not contain another one: that would be a code span.
    if (open === null || (open[2]!.startsWith('`') && open[3]!.includes('`'))) {
      at = line.next
      continue
    }
    const fence = fenceAt(text, at, line.next, open)
    if (proseFrom < at) blocks.push({ kind: 'prose', from: proseFrom, to: at })
    blocks.push(fence)
    at = fence.to
    proseFrom = at
  }
  if (proseFrom < text.length) blocks.push({ kind: 'prose', from: proseFrom, to: text.length })
  return blocks
}

function fenceAt(text: string, from: number, contentFrom: number, open: RegExpExecArray): Fence {
  const [, indent = '', marker = '', info = ''] = open
  const close = new RegExp(`^[ \\t]*\\${marker[0]!}{${marker.length},}[ \\t]*$`)
  const base = { kind: 'fence', from, indent, marker, info: info.trim(), contentFrom } as const
  for (let at = contentFrom; at < text.length;) {
    const line = lineAt(text, at)
    if (close.test(line.text)) {
      return { ...base, contentTo: Math.max(contentFrom, at - 1), to: line.next, isClosed: true }
    }
    at = line.next
  }
  return { ...base, contentTo: text.length, to: text.length, isClosed: false }
}

interface Line {
  /** Without its line break. */
  readonly text: string
  /** Start of the next line, or the end of the text. */
  readonly next: number
}

export function lineAt(text: string, from: number): Line {
  const end = text.indexOf('\n', from)
  return end === -1
    ? { text: text.slice(from), next: text.length }
    : { text: text.slice(from, end).replace(/\r$/, ''), next: end + 1 }
}

interface CodeSpan {
  readonly from: number
  readonly to: number
  /** The displayed text. */
  readonly text: string
}

/** Code spans of a prose text, in order; offsets are into `text`. A span does not cross a blank line. */
export function codeSpansOf(text: string): CodeSpan[] {
  const spans: CodeSpan[] = []
  for (let at = 0; at < text.length;) {
    const char = text[at]
    if (char === '\\') at += 2
    else if (char !== '`') at++
    else {
      const fence = runAt(text, at)
      const end = closingRun(text, at + fence, fence)
      if (end === undefined) at += fence
      else {
        const raw = text.slice(at + fence, end).replace(/\r?\n/g, ' ')
        const isPadded = raw.length > 1 && raw.startsWith(' ') && raw.endsWith(' ') && raw.trim() !== ''
        spans.push({ from: at, to: end + fence, text: isPadded ? raw.slice(1, -1) : raw })
        at = end + fence
      }
    }
  }
  return spans
}

function runAt(text: string, from: number): number {
  let to = from
  while (text[to] === '`') to++
  return to - from
}

function closingRun(text: string, from: number, length: number): number | undefined {
  const blank = /\n[ \t]*\r?\n/g
  blank.lastIndex = from
  const limit = blank.exec(text)?.index ?? text.length
  for (let at = from; at < limit;) {
    if (text[at] !== '`') at++
    else {
      const run = runAt(text, at)
      if (run === length) return at
      at += run
    }
  }
  return undefined
}

export interface Heading {
  readonly level: number
  readonly title: string
  readonly from: number
  readonly to: number
}

/** ATX headings (`## Meaning`) of the prose blocks, in order; offsets are into `text`. */
export function headingsOf(text: string, blocks: readonly Block[]): Heading[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'fence') return []
    const prose = text.slice(block.from, block.to)
    return [...prose.matchAll(/^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*\r?$/gm)].map((match) => ({
      level: match[1]!.length,
      title: match[2]!,
      from: block.from + match.index,
      to: block.from + match.index + match[0].trimEnd().length,
    }))
  })
}
