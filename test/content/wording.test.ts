import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { codeSpansOf } from '../../src/catalog/markdown-scan.ts'
import { parseRunbookPage, type RunbookPage } from '../../src/catalog/runbook-page.ts'
import { loadRuleFiles } from '../../src/rules/rule-file.ts'
import { shippedCatalog } from './content.ts'
import { textsOf } from './source-texts.ts'
import { EXCEPTIONS, TERMS } from './terms.ts'

/**
 * No text that a person reads has a word of `terms.ts`: strings of the source, runbooks, alerts, dashboards, documents.
 * Not searched are code, placeholders, templates, addresses, paths and names of files.
 */
interface Text {
  readonly place: string
  /** Of the start of the text; absent in content. */
  readonly line?: number
  readonly text: string
}

const ROOT = resolve(import.meta.dirname, '../..')
const FOLDERS = ['src', 'docs', 'deploy', 'sim', 'bench', 'test'] as const
const PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']

const ANY_TERM = new RegExp(TERMS.map(([words]) => words.source).join('|'), 'i')
const MACHINE_TEXT = /\{\{.*?\}\}|`[^`]*`|\S*[\w.]\/[\w.$…]\S*|\b[\w.-]+\.(?:json|md|sqlite|tsx?|yaml)\b/gs

/** Each use of a term, with its place and what to write instead. */
function findingsIn({ place, line, text }: Text): string[] {
  const plain = EXCEPTIONS.reduce(
    (rest, { place: where, phrase }) => (where === place ? rest.replaceAll(phrase, '') : rest),
    text.replace(MACHINE_TEXT, '``').replace(/\s+/g, ' '),
  )
  if (!ANY_TERM.test(plain)) return []
  return TERMS.flatMap(([words, instead]) => {
    const found = words.exec(plain)
    const where = line === undefined ? place : `${place}:${line}`
    return found === null ? [] : [`${where}: "${found[0]}", instead: ${instead}`]
  })
}

function filesOf(folder: string, ending: RegExp): { readonly place: string; readonly text: string }[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => ({ place: `${folder}/${name}`, text: readFileSync(join(ROOT, folder, name), 'utf8') }))
}

/** The strings of a source file. Only a file with a term somewhere is parsed, which is less than half of them. */
function stringsOf({ place, text }: Text): Text[] {
  if (!ANY_TERM.test(text.replace(/\\[nrt]|\s+/g, ' '))) return []
  return textsOf(place, text).map((string) => ({ place, ...string }))
}

/** The paragraphs of Markdown, without code. */
function paragraphsOf({ place, text }: Text): Text[] {
  const prose = text
    .replace(/^([ \t]*)(`{3,}|~{3,})[^\n]*\n.*?^\1\2/gms, (fence) => '\n'.repeat(fence.split('\n').length - 1))
    .replace(/\]\([^)]*\)/g, ']')
  let line = 1
  return prose.split(/\n(?=\s*\n|\s*[-*|#]|\s*\d+\.)/).map((paragraph) => {
    const start = line
    line += paragraph.split('\n').length
    return { place, line: start, text: paragraph }
  })
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

const catalog = shippedCatalog()
const runbooks = [...catalog.pages.values()]
const TEXTS = {
  strings: filesOf('src', /\.tsx?$/).flatMap(stringsOf),
  documents: [
    ...FOLDERS.flatMap((folder) => filesOf(folder, /^(?!.*fixtures|.*golden\/stored-data\/content).*\.md$/)),
    ...PAGES.map((place) => ({ place, text: readFileSync(join(ROOT, place), 'utf8') })),
  ].flatMap(paragraphsOf),
  runbooks: runbooks.map((page) => ({ place: page.name, text: proseOf(page) })),
  alerts: loadRuleFiles(catalog.ruleFiles)
    .groups.flatMap((group) => group.rules.filter((rule) => rule.kind === 'alerting'))
    .flatMap(({ name, annotations: { summary = '', description = '' } }) => [
      { place: `${name} summary`, text: summary },
      { place: `${name} description`, text: description },
    ]),
  dashboards: catalog.dashboards.flatMap(({ name, text }) =>
    displayTextsOf(parse(text)).map((shown) => ({ place: name, text: shown })),
  ),
} satisfies Record<string, readonly Text[]>

describe('texts use the terms of the field', () => {
  test.each([
    ['strings', 2000],
    ['documents', 800],
    ['runbooks', 100],
    ['alerts', 200],
    ['dashboards', 50],
  ] as const)('%s', (kind, atLeast) => {
    expect(TEXTS[kind].length).toBeGreaterThan(atLeast)
    expect((TEXTS[kind] as readonly Text[]).flatMap(findingsIn)).toEqual([])
  })
  test('with exceptions that are needed', () => {
    const texts: readonly Text[] = Object.values(TEXTS).flat()
    const unused = EXCEPTIONS.filter(
      ({ place, phrase }) =>
        !texts.some((text) => text.place === place && text.text.replace(/\s+/g, ' ').includes(phrase)),
    )
    expect(unused).toEqual([])
  })
})

test.each(runbooks.map((page) => [page.name, page] as const))('%s: a question is a diagnosis step', (_, page) => {
  let section = ''
  for (const { level, title } of page.headings) {
    if (level === 2) section = title
    if (section !== 'Diagnosis') expect(title).not.toContain('?')
  }
})

describe('a term', () => {
  const found = (texts: readonly Text[]): string => texts.flatMap(findingsIn).join('\n')
  test.each([
    ['The machine stands.', ['stands', 'machine']],
    ['Nobody looks\nat it.', ['Nobody', 'looks at']],
    ['It is no number; there is no number.', ['is no ']],
    ['Its machine type, machine-config and state machine; a standard.', []],
    ['Template {{ printf "told" }}, /api/edges, ?state=gone of /fleet/clusters?state=gone', ['gone']],
  ])('%j: %j', (text, words) => {
    const lines = found([{ place: 'A', text }])
    for (const word of words) expect(lines).toContain(`"${word}"`)
    expect(lines.split('\n').filter((line) => line !== '')).toHaveLength(words.length)
  })
  test('is not searched for in code of runbooks', () => {
    const text = '# A\n\n## Meaning\n\nThe `told` [runbook](/rb/told).\n\n```bash\ntold\n```\n'
    const inPage = (page: string): string =>
      found([{ place: 'A', text: proseOf(parseRunbookPage('runbooks/A.md', page).page) }])
    expect(inPage(text)).toBe('')
    expect(inPage(`${text}\nIt told.\n`)).toContain('"told"')
  })
  test.each([
    ['Text of `told`.\n\n```sh\ntold\n```\n- [x](/told)\n', ''],
    ['One\none.\n\n```sh\nx\n```\n\nTwo\ntold.\n', 'A:7: "told"'],
    ['| a | told |\n', 'A:1: "told"'],
  ])('is found in %j: %j', (text, want) => {
    const lines = found(paragraphsOf({ place: 'A', text }))
    expect(want === '' ? lines === '' : lines.includes(want)).toBe(true)
  })
  test.each([
    ["log.info({ a: 'told' }, 'it was told')", ['it was told']],
    ['throw new Error(`${name} is told off ${how}`)', ['… is told off …']],
    ["const told = 'told'; type Told = 'it was told'; f('told')", []],
    ["import x from 'a told b'; db.prepare('SELECT told FROM a b')", []],
    ["const STATE_WORDS = { a: 'told', b: ['told'] }", ['told']],
    [
      "<p className=\"is told\" title=\"told\">told {x === 'told' ? 'told' : f('told')} now</p>",
      ['told', 'told ', 'told', ' now'],
    ],
    ["f('a\\ntold')", ['a\ntold']],
  ])('of %s: %j', (source, texts) => {
    const all = textsOf('a.tsx', source).map(({ text }) => text)
    expect(all.filter((text) => text.trim() !== '')).toEqual(texts)
    expect(stringsOf({ place: 'a.tsx', text: source }).map(({ text }) => text)).toEqual(all)
  })
})
