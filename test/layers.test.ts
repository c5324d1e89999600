import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { preProcessFile } from 'typescript'
import { describe, expect, test } from 'vitest'

// Who may import whom, besides itself. The files directly in `src/` and `src/cli/` are the wiring and may import all.
// A new arrow is a decision: it changes this map in a commit of its own that says why.
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  model: ['base'],
  contract: ['model'],
  template: ['base', 'model'],
  yaml: ['base', 'model'],
  wire: ['base', 'model'],
  ingest: ['base', 'model', 'wire'],
  store: ['base', 'model'],
  promql: ['base', 'model'],
  fleet: ['base', 'model'],
  rules: ['base', 'model', 'promql', 'template', 'yaml'],
  notify: ['base', 'model', 'template', 'yaml'],
  catalog: ['base', 'model', 'promql', 'rules', 'yaml'],
  api: ['base', 'model', 'contract', 'ingest', 'promql', 'template', 'fleet', 'rules', 'notify', 'catalog'],
  sim: ['base', 'model', 'wire'],
  web: ['model', 'contract'],
}
const WIRING = new Set(['.', 'cli'])

const SRC = resolve(import.meta.dirname, '../src')

interface SourceFile {
  /** Path below `src`, with forward slashes. */
  readonly path: string
  readonly text: string
}

function sourceFiles(): SourceFile[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }))
}

function folderOf(path: string): string {
  const [first, ...rest] = path.split('/')
  return rest.length === 0 ? '.' : first!
}

/** Files below `src` that `file` imports, at run time or as types. */
function importsOf(file: SourceFile): string[] {
  return preProcessFile(file.text, true, true)
    .importedFiles.map((imported) => imported.fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(SRC, resolve(SRC, dirname(file.path), name)))
    .filter((path) => !path.startsWith('..'))
}

/** One sentence for each import that the map does not allow. */
function violations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const from = folderOf(file.path)
    if (WIRING.has(from)) return []
    const allowed = MAY_IMPORT[from]
    if (allowed === undefined) return [`${file.path}: folder ${from} is not in the map`]
    return importsOf(file)
      .filter((path) => folderOf(path) !== from && !allowed.includes(folderOf(path)))
      .map((path) => `${file.path} imports ${path}: ${from} may import only ${allowed.join(', ') || 'nothing'}`)
  })
}

/** Chains of files that import each other at run time; type imports vanish and may be mutual. */
function cycles(files: readonly SourceFile[]): string[] {
  const edges = new Map(
    files.map((file) => {
      const runtime = file.text
        .replace(/^import type [^;]*?from '[^']+'/gm, '')
        .replace(/^export type \{[^}]*\} from .*$/gm, '')
      return [file.path, importsOf({ path: file.path, text: runtime })]
    }),
  )
  const found: string[] = []
  const state = new Map<string, 'open' | 'done'>()
  const visit = (path: string, trail: readonly string[]): void => {
    if (state.get(path) === 'done') return
    if (state.get(path) === 'open') {
      found.push([...trail.slice(trail.indexOf(path)), path].join(' -> '))
      return
    }
    state.set(path, 'open')
    for (const next of edges.get(path) ?? []) visit(next, [...trail, path])
    state.set(path, 'done')
  }
  for (const path of edges.keys()) visit(path, [])
  return found
}

/** Only these folders may speak SQL, read the environment or tell the time; each line names what to look for. */
const KEPT_IN_ONE_PLACE: readonly { readonly what: string; readonly pattern: RegExp; readonly allowed: RegExp }[] = [
  { what: 'better-sqlite3 or kysely', pattern: /from '(better-sqlite3|kysely)'/, allowed: /^store\// },
  { what: 'the environment', pattern: /process\.env\b/, allowed: /^config\.ts$/ },
  { what: 'the clock', pattern: /\bDate\.now\(\)|new Date\(\)/, allowed: /^(base\/clock\.ts|base\/log\.ts|web\/)/ },
  { what: 'uplot', pattern: /from 'uplot'/, allowed: /^web\/panels\/plot\.tsx$/ },
]

describe('layers', () => {
  test('imports follow the map', () => {
    expect(violations(sourceFiles())).toEqual([])
  })

  test('a planted violation is found', () => {
    const planted = { path: 'web/planted.ts', text: "import { migrate } from '../store/migrate.ts'\nvoid migrate\n" }
    expect(violations([planted])).toEqual([
      'web/planted.ts imports store/migrate.ts: web may import only model, contract',
    ])
  })

  test('an unknown folder is found', () => {
    expect(violations([{ path: 'helpers/x.ts', text: '' }])).toEqual(['helpers/x.ts: folder helpers is not in the map'])
  })

  test('no files import each other in a ring', () => {
    expect(cycles(sourceFiles())).toEqual([])
  })

  test('a planted ring is found', () => {
    const ring = [
      { path: 'base/a.ts', text: "import { b } from './b.ts'\nexport const a = b\n" },
      { path: 'base/b.ts', text: "import { a } from './a.ts'\nexport const b = a\n" },
    ]
    expect(cycles(ring)).toEqual(['base/a.ts -> base/b.ts -> base/a.ts'])
  })

  test.each(KEPT_IN_ONE_PLACE)('$what stays in its place', ({ pattern, allowed }) => {
    const elsewhere = sourceFiles().filter((file) => pattern.test(file.text) && !allowed.test(file.path))
    expect(elsewhere.map((file) => file.path)).toEqual([])
  })

  test('there are no barrels', () => {
    expect(
      sourceFiles()
        .filter((file) => /(^|\/)index\.tsx?$/.test(file.path))
        .map((file) => file.path),
    ).toEqual([])
  })
})
