/** The revision of a runbook: a hash of its text, and its steps with their keys. Pure. */
import { createHash } from 'node:crypto'
import { Lexer } from 'marked'
import { stepPlaces } from '../model/runbook-steps.ts'
import type { RunbookRevision, RunbookStep } from '../model/runbook-work.ts'
import { unboundText } from './placeholder.ts'
import type { RunbookPage } from './runbook-page.ts'

/** Characters of the text of a step. */
const TEXT_CHARS_MAX = 200
/** Hexadecimal digits of keys and revisions. */
const HASH_CHARS = 12

/** Without the time from which it is in use. A change of the front matter is not a change of the runbook. */
export function revisionOf({ name, text, blocks }: Pick<RunbookPage, 'name' | 'text' | 'blocks'>) {
  const body = text.slice(blocks[0]?.from ?? text.length)
  return { runbook: name, revision: hashOf(body), steps: stepsOf(body) } satisfies Omit<RunbookRevision, 'fromMs'>
}

function stepsOf(body: string): readonly RunbookStep[] {
  const counts = new Map<string, number>()
  return stepPlaces(new Lexer({ gfm: true }).lex(body)).map(({ section, text }) => {
    const hash = hashOf(`${section}\n${text.replace(/\s+/g, ' ')}`)
    const count = (counts.get(hash) ?? 0) + 1
    counts.set(hash, count)
    return { key: count === 1 ? hash : `${hash}-${count}`, section, text: plainText(text) }
  })
}

function hashOf(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, HASH_CHARS)
}

/** Without markup, on one line, shortened. */
function plainText(markdown: string): string {
  const plain = markdown
    .replace(/\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}/g, (_, name: string) => unboundText(name))
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  return plain.length <= TEXT_CHARS_MAX ? plain : `${plain.slice(0, TEXT_CHARS_MAX - 1).trimEnd()}…`
}
