import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { preProcessFile } from 'typescript'
import { describe, expect, test } from 'vitest'

// Who may import whom, besides itself: folders of `src`, or single files of one. `sim` lies beside `src`. A new arrow is
// a decision: it changes this map in a commit of its own that says why.
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  model: ['base'],
  contract: ['model'],
  template: ['base', 'model'],
  yaml: ['base', 'model'],
  wire: ['base', 'model'],
  ingest: ['base', 'model', 'wire'],
  store: ['base', 'model'],
  // Reads the log of the store through a port.
  forward: ['base', 'model', 'wire'],
  promql: ['base', 'model'],
  deployment: ['base', 'model'],
  fleet: ['base', 'model'],
  // PromQL answered by another store; remote read has the encoding of remote write.
  remote: ['base', 'model', 'promql', 'wire'],
  rules: ['base', 'model', 'promql', 'template', 'yaml'],
  notify: ['base', 'model', 'template', 'yaml'],
  catalog: ['base', 'model', 'promql', 'rules', 'yaml'],
  api: ['base', 'model', 'contract', 'ingest', 'promql', 'template', 'fleet', 'rules', 'notify', 'catalog', 'bundle'],
  // Shows changes of objects by field, as the fleet does.
  bundle: ['base', 'model', 'fleet/clusters/field-changes.ts'],
  web: ['model', 'contract'],
  // The options of each folder, and nothing else of it.
  config: [
    'base',
    'model',
    'ingest/options.ts',
    'ingest/otlp/options.ts',
    'promql/engine-options.ts',
    'store/options.ts',
    'store/postgres/options.ts',
  ],
  // What crosses, and nothing of who asks or answers: the entry points of the workers are wiring.
  threads: ['base', 'model', 'ingest'],
  runtime: [
    ...[
      'base',
      'model',
      'contract',
      'config',
      'threads',
      'promql',
      'rules',
      'fleet',
      'notify',
      'catalog',
      'api',
      'deployment',
    ],
    'store/writer.ts',
    'remote/remote-store.ts',
    'remote/lag.ts',
  ],
  // Commands start the program, or use its parts without a server.
  cli: [
    ...[
      'base',
      'model',
      'contract',
      'config',
      'runtime',
      'promql',
      'rules',
      'fleet',
      'notify',
      'catalog',
      'store',
      'forward',
      'bundle',
      'sim',
    ],
    ...['app.ts', 'api/prometheus/params.ts'],
  ],
  sim: ['base', 'model', 'wire'],
}

/** The wiring: the only files that may import everything. */
const WIRING: ReadonlySet<string> = new Set([
  'main.ts',
  'app.ts',
  'app-server.ts',
  'threads/app-threads.ts',
  'threads/fleet-loop-wiring.ts',
  'threads/forward-worker.ts',
  'threads/ingest-worker.ts',
  'threads/query-engines.ts',
  'threads/query-worker.ts',
  'threads/rule-tests-worker.ts',
  'threads/scrub-worker.ts',
  'threads/shipping-worker.ts',
])

const ROOT = resolve(import.meta.dirname, '..')

interface SourceFile {
  /** Path below `src`, or from `sim` on, with forward slashes. */
  readonly path: string
  readonly text: string
}

function sourceFiles(): SourceFile[] {
  return ['src', 'sim'].flatMap((top) =>
    readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => ({ path: pathOf(join(ROOT, top, path)), text: readFileSync(join(ROOT, top, path), 'utf8') })),
  )
}

/** As the map has it: below `src`, or from the root of the project on. */
function pathOf(absolute: string): string {
  return relative(ROOT, absolute).replace(/^src\//, '')
}

function fileOf(path: string): string {
  const inSource = join(ROOT, 'src', path)
  return path.startsWith('sim/') ? join(ROOT, path) : inSource
}

function folderOf(path: string): string {
  const [first, ...rest] = path.split('/')
  return rest.length === 0 ? '.' : first!
}

/** Files of ours that `file` imports, at run time or as types. */
function importsOf(file: SourceFile): string[] {
  return (
    preProcessFile(file.text, true, true)
      .importedFiles.map((imported) => imported.fileName)
      .filter((name) => name.startsWith('.'))
      .map((name) => pathOf(resolve(dirname(fileOf(file.path)), name)))
      // Build scripts are nobody's layer.
      .filter((path) => !/^(\.\.|scripts)\//.test(path))
  )
}

/** An import of more than types. */
const VALUE_OF_CONTRACT = /^import \{[^}]*\} from '[./]+contract\//m

/** One sentence for each import that the map does not allow. */
function violations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    if (WIRING.has(file.path)) return []
    const from = folderOf(file.path)
    const allowed = MAY_IMPORT[from]
    if (allowed === undefined) return [`${file.path}: folder ${from} is not in the map`]
    return importsOf(file)
      .filter((path) => folderOf(path) !== from && !allowed.includes(folderOf(path)) && !allowed.includes(path))
      .map((path) => `${file.path} imports ${path}: ${from} may import only ${allowed.join(', ') || 'nothing'}`)
  })
}

/** Groups of files that import each other, directly or through others, at run time or as types. */
function cycles(files: readonly SourceFile[]): string[][] {
  const edges = new Map(files.map((file) => [file.path, importsOf(file)]))
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const found: string[][] = []
  // Tarjan's strongly connected components.
  const visit = (path: string): void => {
    index.set(path, index.size)
    low.set(path, index.get(path)!)
    stack.push(path)
    for (const next of edges.get(path) ?? []) {
      if (!index.has(next)) visit(next)
      if (stack.includes(next)) low.set(path, Math.min(low.get(path)!, low.get(next)!))
    }
    if (low.get(path) !== index.get(path)) return
    const group = stack.splice(stack.indexOf(path))
    if (group.length > 1 || (edges.get(path) ?? []).includes(path)) found.push(group.sort())
  }
  for (const path of edges.keys()) if (!index.has(path)) visit(path)
  return found
}

/** Only these folders may speak SQL, read the environment or tell the time; each line names what to look for. */
const KEPT_IN_ONE_PLACE: readonly { readonly what: string; readonly pattern: RegExp; readonly allowed: RegExp }[] = [
  { what: 'better-sqlite3 or kysely', pattern: /from '(better-sqlite3|kysely)'/, allowed: /^store\// },
  { what: 'the environment', pattern: /process\.env\b/, allowed: /^config\/config(-sources)?\.ts$/ },
  { what: 'the clock', pattern: /\bDate\.now\(\)|new Date\(\)/, allowed: /^(base\/clock\.ts|base\/log\.ts|web\/)/ },
  { what: 'uplot', pattern: /from 'uplot'/, allowed: /^web\/panels\/plot\.tsx$/ },
]

describe('layers', () => {
  test('web imports only types of contract: a schema brings its library into the page', () => {
    const importing = sourceFiles().filter(({ path, text }) => path.startsWith('web/') && VALUE_OF_CONTRACT.test(text))
    expect(importing.map(({ path }) => path)).toEqual([])
    expect(VALUE_OF_CONTRACT.test("import { A, type B } from '../contract/now.ts'")).toBe(true)
    expect(VALUE_OF_CONTRACT.test("import type { A } from '../contract/now.ts'")).toBe(false)
  })

  test('imports follow the map', () => {
    expect(violations(sourceFiles())).toEqual([])
  })

  test.each([
    ['web/planted.ts', '../store/migrations.ts', 'web may import only model, contract'],
    ['base/planted.ts', '../model/labels.ts', 'base may import only nothing'],
  ])('a planted violation in %s is found', (path, imported, rule) => {
    const planted = { path, text: `import type { A } from '${imported}'\nexport type B = A\n` }
    expect(violations([planted])).toEqual([`${path} imports ${imported.slice(3)}: ${rule}`])
  })

  test('an unknown folder is found, and so is a file beside the folders', () => {
    const planted = ['helpers/x.ts', 'helper.ts'].map((path) => ({ path, text: '' }))
    expect(violations(planted)).toEqual([
      'helpers/x.ts: folder helpers is not in the map',
      'helper.ts: folder . is not in the map',
    ])
  })

  test('each file of the wiring exists', () => {
    expect([...WIRING].filter((path) => !existsSync(fileOf(path)))).toEqual([])
  })

  test('no files import each other in a ring, not even types', () => {
    expect(cycles(sourceFiles())).toEqual([])
  })

  test.each(['', 'type '])('a planted ring of imports %sis found', (kind) => {
    const ring = [
      { path: 'base/a.ts', text: `import ${kind}{ B } from './b.ts'\nexport const a = 1\n` },
      { path: 'base/b.ts', text: `import { C } from './c.ts'\nexport const b = 1\n` },
      { path: 'base/c.ts', text: `import { a } from './a.ts'\nexport const c = a\n` },
    ]
    expect(cycles(ring)).toEqual([['base/a.ts', 'base/b.ts', 'base/c.ts']])
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
