import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { codeSpansOf } from '../../src/catalog/markdown-scan.ts'
import { parseRunbookPage, type RunbookPage } from '../../src/catalog/runbook-page.ts'
import { loadRuleFiles } from '../../src/rules/rule-file.ts'
import { shippedCatalog } from './content.ts'

/**
 * The content that an on-call engineer reads is in the field's terms. A word is found in prose only: not in code,
 * placeholders, templates and targets of links.
 */
const TERMS: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\b(?:tells?|told)\b/i, 'report, notify'],
  [/\b(?:heard|hears?|untold)\b/i, 'last seen, not reported'],
  [/\bask(?:s|ed)\b/i, 'request, require, query'],
  [/\b(?:is|are|was|were|no longer) kept\b/i, 'stored, retained'],
  [/\bstands?\b/i, 'is; no progress for'],
  [/\bmachines?\b(?! (?:types?|config))/i, 'VM; host'],
  [/\b(?:follow their|machines follow)\b/i, 'workload update'],
  [/\bsaid\b/i, 'reported, declared'],
  [/\bdeeds?\b/i, 'action'],
  [/\bedges?\b/i, 'upgrade path'],
  [/\b(?:got|gets?) (?:further|through)\b/i, 'progressed, succeeded'],
  [/\b(?:beg[au]n|begins?)\b/i, 'start'],
  [/\b\d+ of 100\b/i, 'p90'],
  [/\bended well\b/i, 'success rate'],
  [/\b(?:some|any|every|no)body\b|\bwhoever\b/i, 'the role: administrator, user, client'],
  [/\bin (?:its|the) way\b/i, 'blocked by'],
  [/\bedited past\b/i, 'out-of-band modification'],
  [/\bonly (?:me|this cluster)\?/i, 'other clusters with this alert'],
  [/\bdid it work\b/i, 'verification'],
  [/\bwhat about earlier\b/i, 'previous occurrences'],
  [/\bstand(?:s|ing)? still\b|\blet go on\b/i, 'paused, resume'],
  [/\btold off|not fit\b/i, 'not supported, misconfigured'],
  [/\bat hand\b|\bthe book\b/i, 'in memory; index'],
  [/\bbeats?\b/i, 'evaluation cycle'],
  [/\banew\b|\breckon/i, 'again, recompute'],
  [/\blooks? (?:at|into)\b|\blook-ups?\b/i, 'check, query'],
  [/\b(?:by|other|either|same) ways?\b|\bway (?:to|out)\b/i, 'source, connection'],
  [/\bsigns? of life\b/i, 'heartbeat'],
  [/\bmend(?:s|ed)?\b/i, 'fix, repair'],
  [/\bvirtual machines?\b/i, 'VM'],
]

/** Phrases in which a term has another sense, each at one place. */
const EXCEPTIONS: readonly (readonly [place: string, phrase: string])[] = [['DaytwoTokenExpiring', 'edge kit']]

interface Text {
  readonly place: string
  readonly text: string
}

function proseOf(page: RunbookPage): string {
  return page.blocks
    .filter((block) => block.kind === 'prose')
    .map(({ from, to }) => {
      const prose = page.text.slice(from, to)
      const spans = codeSpansOf(prose).reverse()
      return spans.reduce((text, span) => `${text.slice(0, span.from)}\`\`${text.slice(span.to)}`, prose)
    })
    .join('\n')
    .replace(/\]\([^)]*\)/g, ']')
}

/** The names and descriptions that a dashboard shows: those under `display`, wherever. */
function displayTextsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]: [string, unknown]) =>
    key === 'display' && typeof part === 'object' && part !== null
      ? Object.values(part).filter((text): text is string => typeof text === 'string')
      : displayTextsOf(part),
  )
}

/** Each use of a term, with its place and what to write instead. */
function findingsIn({ place, text }: Text): string[] {
  const allowed = EXCEPTIONS.filter(([where]) => where === place).map(([, phrase]) => phrase)
  const plain = allowed.reduce((rest, phrase) => rest.replaceAll(phrase, ''), text).replace(/\{\{.*?\}\}/gs, '')
  return TERMS.flatMap(([words, instead]) => {
    const found = words.exec(plain.replace(/\s+/g, ' '))
    return found === null ? [] : [`${place}: "${found[0]}", instead: ${instead}`]
  })
}

const catalog = shippedCatalog()
const pages = [...catalog.pages.values()]
const annotations = loadRuleFiles(catalog.ruleFiles)
  .groups.flatMap((group) => group.rules.filter((rule) => rule.kind === 'alerting'))
  .flatMap(({ name, annotations: { summary = '', description = '' } }) => [
    { place: `${name} summary`, text: summary },
    { place: `${name} description`, text: description },
  ])

test('runbooks use the terms of the field', () => {
  expect(pages.length).toBeGreaterThan(100)
  expect(pages.flatMap((page) => findingsIn({ place: page.name, text: proseOf(page) }))).toEqual([])
})

test('alerts use the terms of the field', () => {
  expect(annotations.length).toBeGreaterThan(200)
  expect(annotations.flatMap(findingsIn)).toEqual([])
})

test('dashboards use the terms of the field', () => {
  const texts = catalog.dashboards.flatMap(({ name, text }) =>
    displayTextsOf(parse(text)).map((shown) => ({ place: name, text: shown })),
  )
  expect(texts.length).toBeGreaterThan(50)
  expect(texts.flatMap(findingsIn)).toEqual([])
})

test.each(pages.map((page) => [page.name, page] as const))('%s: a question is a diagnosis step', (_, page) => {
  let section = ''
  for (const { level, title } of page.headings) {
    if (level === 2) section = title
    if (section !== 'Diagnosis') expect(title).not.toContain('?')
  }
})

test('every exception is used', () => {
  const places = new Map([
    ...pages.map((page) => [page.name, proseOf(page)] as const),
    ...annotations.map(({ place, text }) => [place, text] as const),
  ])
  expect(EXCEPTIONS.filter(([place, phrase]) => places.get(place)?.includes(phrase) !== true)).toEqual([])
})

describe('a term', () => {
  test.each([
    ['The machine stands still.', ['stands', 'machine']],
    ['Nobody looks\nat it.', ['Nobody', 'looks at']],
    ['Its machine type and machine config pool; a standard.', []],
    ['Template {{ printf "told" }}', []],
  ])('%j: %j', (text, words) => {
    const found = findingsIn({ place: 'A', text }).join('\n')
    for (const word of words) expect(found).toContain(`"${word}"`)
    expect(found === '').toBe(words.length === 0)
  })
  test('is not searched for in code', () => {
    const text = '# A\n\n## Meaning\n\nThe `told` [runbook](/rb/told).\n\n```bash\ntold\n```\n'
    const found = (page: string): string[] =>
      findingsIn({ place: 'A', text: proseOf(parseRunbookPage('runbooks/A.md', page).page) })
    expect(found(text)).toEqual([])
    expect(found(`${text}\nIt told.\n`)).toHaveLength(1)
  })
})
