import { createHash } from 'node:crypto'
import { codeSpansOf } from '../../src/catalog/markdown-scan.ts'
import { placeholdersOf } from '../../src/catalog/placeholder.ts'
import type { RunbookPage } from '../../src/catalog/runbook-page.ts'

/**
 * What a rewritten sentence must not change, as text: the facts of a page in the order of its steps, and those of an
 * annotation. A fact is a code block, a code span, a placeholder, the target of a link, or a number with its unit.
 * Within one paragraph or list item the order is free, and a fact may be repeated.
 */
const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']
    .map((word, i): [string, string] => [word, String(i + 1)])
    .concat([
      ['a', '1'],
      ['an', '1'],
      ['fifteen', '15'],
      ['twenty', '20'],
      ['thirty', '30'],
      ['sixty', '60'],
    ]),
)

/** Fractions in words, and what they are in digits. */
const FRACTIONS: readonly (readonly [RegExp, string])[] = [
  [/half\s+an\s+hour|half\s+hour/gi, '30 min'],
  [/(?:a\s+)?quarter\s+of\s+an\s+hour/gi, '15 min'],
  [/half\s+a\s+minute/gi, '30 s'],
  [/three\s+quarters/gi, '75 %'],
  [/nine\s+tenths/gi, '90 %'],
  [/\btwice\b/gi, '2 times'],
]

/** Spellings of a unit. A number in words is a fact only before a unit: "two hours", not "the other two". */
const UNITS: ReadonlyMap<string, string> = new Map([
  ...[
    ['s', 'sec', 'secs', 'second', 'seconds'],
    ['min', 'm', 'minute', 'minutes'],
    ['h', 'hour', 'hours'],
    ['d', 'day', 'days'],
    ['week', 'weeks'],
    ['month', 'months'],
    ['year', 'years'],
    ['%', 'percent'],
    ['times'],
    ['KiB'],
    ['MiB'],
    ['GiB'],
  ].flatMap((spellings) => spellings.map((spelling): [string, string] => [spelling, spellings[0]!])),
])

const UNIT = [...UNITS.keys()].join('|')
const WORD = [...NUMBER_WORDS.keys()].join('|')
const NUMBER = new RegExp(
  `(?<![\\w.#-])(?:(\\d+(?:[.,]\\d+)*)(?:[\\s-]?(${UNIT})(?!\\w))?(?!\\w)|(${WORD})[\\s-]+(${UNIT})(?!\\w))`,
  'gi',
)

function numbersOf(text: string): string[] {
  const inDigits = FRACTIONS.reduce((rest, [words, digits]) => rest.replace(words, digits), text)
  return [...inDigits.matchAll(NUMBER)].map(([, digits, unit = '', word = '', unitOfWord = unit]) => {
    const number = digits ?? NUMBER_WORDS.get(word.toLowerCase())
    return [number, UNITS.get(unitOfWord.toLowerCase()) ?? unitOfWord].join(' ').trimEnd()
  })
}

/** Of one paragraph, list item or row of a table. */
function factsOfProse(text: string): string[] {
  const facts: string[] = []
  let rest = text
  const take = (from: number, to: number, fact: string): void => {
    facts.push(fact)
    rest = rest.slice(0, from) + '\u0000'.repeat(to - from) + rest.slice(to)
  }
  for (const { from, to, text: code } of codeSpansOf(text)) take(from, to, `\`${code}\``)
  for (const match of text.matchAll(/\]\(([^)]*)\)/g)) {
    const target = match[1] ?? ''
    const from = rest.lastIndexOf('[', match.index)
    take(from, match.index + match[0].length, `link ${target}`)
  }
  for (const { from, to, name } of placeholdersOf(rest)) take(from, to, `{{${name}}}`)
  return [...new Set([...facts, ...numbersOf(rest)])].sort()
}

/** Paragraphs together, each list item and each row of a table alone: their order is that of the steps. */
function piecesOf(prose: string): string[] {
  const pieces: string[] = ['']
  let isItem = false
  let isAfterBlank = false
  for (const line of prose.split('\n')) {
    const item = /^\s*(?:(?:[-*]|\d+\.)\s+|\|)(.*)$/.exec(line)
    if (item !== null) {
      if (!/^[\s|:-]+$/.test(line)) pieces.push(`- ${item[1]}`)
      isItem = true
    } else if (isItem && isAfterBlank && /^\S/.test(line)) {
      pieces.push(line)
      isItem = false
    } else pieces.push(`${pieces.pop() ?? ''}\n${line}`)
    isAfterBlank = line.trim() === ''
  }
  return pieces
}

/** One line for each code block, paragraph and list item that has facts, each with its place in the page. */
export function factsOfPage({ name, text, blocks, headings }: RunbookPage): string[] {
  const lines: string[] = []
  let section = ''
  let step = 0
  headings.forEach((heading, i) => {
    if (heading.level === 2) [section, step] = [heading.title, 0]
    else if (heading.level > 2) step++
    const place = [name, section, ...(step > 0 ? [step] : [])].filter((part) => part !== '').join(' ')
    const end = headings[i + 1]?.from ?? text.length
    for (const block of blocks) {
      const [from, to] = [Math.max(block.from, heading.to), Math.min(block.to, end)]
      if (from >= to) continue
      if (block.kind === 'fence') {
        const content = text.slice(block.contentFrom, block.contentTo)
        const hash = createHash('sha256').update(content).digest('hex').slice(0, 12)
        lines.push(`${place}: \`\`\`${block.info} ${hash}`)
        continue
      }
      for (const piece of piecesOf(text.slice(from, to))) {
        const facts = factsOfProse(piece).join(', ')
        const isItem = piece.startsWith('- ')
        if (isItem || facts !== '') lines.push(`${place}:${isItem ? ' -' : ''} ${facts}`.trimEnd())
      }
    }
  })
  return lines
}

/** The templates and numbers of an alert's summary or description. */
export function factsOfAnnotation(text: string): string[] {
  const templates = text.match(/\{\{.*?\}\}/gs) ?? []
  return [...new Set([...templates, ...numbersOf(text.replace(/\{\{.*?\}\}/gs, '\u0000'))])].sort()
}
