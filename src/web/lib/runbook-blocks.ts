import { Lexer, type Token, type Tokens } from 'marked'

/**
 * The blocks of a runbook: Markdown, and three kinds of code: a command for both `kubectl` and `oc`, a live query, and any
 * other code. Pure.
 */
export type RunbookBlock =
  | { readonly kind: 'markdown'; readonly token: Token }
  | { readonly kind: 'code'; readonly lang: string; readonly text: string }
  | { readonly kind: 'cli'; readonly commands: Readonly<Partial<Record<Cli, string>>> }
  | { readonly kind: 'live'; readonly id: string; readonly text: string }

export type Cli = 'kubectl' | 'oc'
export const CLIS: readonly Cli[] = ['kubectl', 'oc']

export function lexRunbook(markdown: string): Token[] {
  return new Lexer({ gfm: true }).lex(markdown)
}

export function parseBlocks(markdown: string): RunbookBlock[] {
  return toBlocks(lexRunbook(markdown))
}

/** The blocks of a token list; also used for list items, so steps may contain commands. */
export function toBlocks(tokens: readonly Token[]): RunbookBlock[] {
  const blocks: RunbookBlock[] = []
  for (const token of tokens) {
    if (token.type === 'space') continue
    const block = toBlock(token)
    const before = blocks.at(-1)
    if (block.kind === 'cli' && before?.kind === 'cli' && isOtherHalf(before, block)) {
      blocks[blocks.length - 1] = { kind: 'cli', commands: { ...before.commands, ...block.commands } }
    } else {
      blocks.push(block)
    }
  }
  return blocks
}

type CliBlock = Extract<RunbookBlock, { kind: 'cli' }>

/** Two adjacent fences are one command only when they name different clients. */
function isOtherHalf(before: CliBlock, after: CliBlock): boolean {
  return CLIS.every((cli) => before.commands[cli] === undefined || after.commands[cli] === undefined)
}

function toBlock(token: Token): RunbookBlock {
  if (token.type !== 'code') return { kind: 'markdown', token }
  const { text, lang: info = '' } = token as Tokens.Code
  const [lang = '', variant = ''] = info.trim().split(/\s+/)
  if (lang === 'promql' && variant.startsWith('live')) {
    return { kind: 'live', id: variant.slice('live#'.length), text }
  }
  const cli = CLIS.find((name) => name === variant)
  if (cli !== undefined) return { kind: 'cli', commands: { [cli]: text } }
  return { kind: 'code', lang, text }
}

export interface SectionLink {
  readonly id: string
  readonly title: string
}

/** The second-level headings, for the jump links on top of a page. */
export function sectionsOf(blocks: readonly RunbookBlock[]): SectionLink[] {
  return blocks.flatMap((block) => {
    if (block.kind !== 'markdown' || block.token.type !== 'heading') return []
    const heading = block.token as Tokens.Heading
    return heading.depth === 2 ? [{ id: headingId(heading.text), title: heading.text }] : []
  })
}

/** The anchor of a heading: `Meaning` is `#meaning`. */
export function headingId(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
}

/** The text for the clipboard: without the prompt of a command. */
export function copyText(code: string): string {
  return code
    .split('\n')
    .map((line) => line.replace(/^\$ /, ''))
    .join('\n')
    .trimEnd()
}

/** Turns the character references that Markdown writers use back into characters. The lexer leaves them for HTML. Pure. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  hellip: '\u2026',
  ndash: '\u2013',
  mdash: '\u2014',
}

export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (typeof name === 'string') return NAMED[name] ?? whole
    const code = typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex), 16)
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    return isCharacter ? String.fromCodePoint(code) : whole
  })
}
