import { relative, resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

// A name that somebody sent may be `constructor` or `toString`. In a plain object such a look-up finds what nobody put there,
// so tables are Maps, and records of senders are read by `ownValue`. This test reports every other look-up of a text that is
// not known at compile time. Writing is not reported: it makes an own property. The pages (src/web) are not part of it.

/** Files whose look-ups are by names of the program itself. */
const ALLOWED: Readonly<Record<string, readonly [why: string, ...codes: readonly string[]]>> = {
  'src/api/alertmanager/silences.ts': ["names of the API's fields", 'record[name]'],
  'src/api/fleet/deliveries.ts': ["names of the route's parameters", 'params[name]'],
  'src/api/prometheus/expr-tree.ts': ['functions that the parser knows', 'FUNCTIONS[expr.func]'],
  'src/base/own-value.ts': ['own properties', 'record[name]'],
  'src/catalog/grafana/json-part.ts': ["names of Grafana's fields", 'at[key]', 'json[key]'],
  'src/fleet/derive/span-upgrades.ts': ['keys of the convention', 'attributes[key]'],
  'src/fleet/series/derived-series.ts': ['own keys, in a hot loop', 'labels[label]'],
  'src/promql/check.ts': ['functions that the parser knows', 'FUNCTIONS[expr.func]'],
  'src/promql/evaluate/call.ts': [
    'functions that the parser knows',
    ...['FUNCTIONS[call.func]', 'MATH[call.func]', 'CALENDAR[call.func]', 'HISTOGRAM_NUMBERS[call.func]'],
    'IMPLEMENTATIONS[call.func]',
  ],
  'src/promql/evaluate/range-functions.ts': ['functions that the parser knows', 'WINDOW_KERNELS[call.func]'],
  'src/promql/evaluate/slide-elements.ts': ['functions that the parser knows', 'ELEMENT_FUNCTIONS[name]'],
  'src/promql/evaluate/slide-runs.ts': ['functions that the parser knows', 'RUN_KERNELS[name]', 'RUN_CONSTANTS[name]'],
  'src/template/evaluate.ts': ['functions that the parser knows', 'this.#run.functions[name]'],
  'src/wire/otlp/json.ts': ["names of the protocol's fields", 'parent[name]'],
  'src/wire/otlp/traces-json.ts': ["names of the protocol's fields", 'parent[name]'],
}

const ROOT = resolve(import.meta.dirname, '..')

interface LookUp {
  readonly file: string
  readonly code: string
}

/** Look-ups of texts in plain objects: `table[text]` and `text in table`. */
function lookUpsIn(program: ts.Program, isWanted: (file: string) => boolean): readonly LookUp[] {
  const checker = program.getTypeChecker()
  const found: LookUp[] = []
  /** A text that is no literal, and no union of literals. */
  const isAnyText = (node: ts.Expression): boolean => {
    const type = checker.getTypeAtLocation(node)
    const parts = type.isUnion() ? type.types : [type]
    return parts.some(({ flags }) => (flags & (ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral)) !== 0)
  }
  const hasTextIndex = (node: ts.Expression): boolean =>
    checker.getNonNullableType(checker.getTypeAtLocation(node)).getStringIndexType() !== undefined
  const visit = (node: ts.Node, file: string): void => {
    const [table, key] = ts.isElementAccessExpression(node)
      ? [node.expression, node.argumentExpression]
      : ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.InKeyword
        ? [node.right, node.left]
        : []
    const isWrite = ts.isBinaryExpression(node.parent) && node.parent.left === node && isAssignment(node.parent)
    if (table !== undefined && key !== undefined && !isWrite && isAnyText(key) && hasTextIndex(table)) {
      found.push({ file, code: node.getText() })
    }
    ts.forEachChild(node, (child) => {
      visit(child, file)
    })
  }
  for (const source of program.getSourceFiles()) {
    if (source.isDeclarationFile || !isWanted(source.fileName)) continue
    ts.forEachChild(source, (node) => {
      visit(node, relative(ROOT, source.fileName))
    })
  }
  return found
}

/** A plain assignment: `+=` reads too. */
function isAssignment({ operatorToken }: ts.BinaryExpression): boolean {
  return operatorToken.kind === ts.SyntaxKind.EqualsToken
}

function programOf(text: string): ts.Program {
  const file = resolve(ROOT, 'src/x.ts')
  const host = ts.createCompilerHost({})
  const readFile = host.getSourceFile.bind(host)
  host.getSourceFile = (name, version) => {
    return name === file ? ts.createSourceFile(name, text, version, true) : readFile(name, version)
  }
  return ts.createProgram([file], { strict: true, target: ts.ScriptTarget.ES2022, types: [] }, host)
}

describe('a look-up of a text in a plain object', () => {
  test.each([
    ['a table', 'table[text]', true],
    ['a record that may be absent', 'maybe?.[text]', true],
    ['the operator in', 'text in table', true],
    ['an addition', 'counts[text] += 1', true],
    ['one of several texts', 'table[text as "a" | string]', true],
    ['a text with a known beginning', 'table[`a${text}`]', true],
    ['a write', 'counts[text] = 1', false],
    ['a known name', 'table["a"]', false],
    ['one of known names', 'table[word]', false],
    ['a list', 'list[number]', false],
    ['a Map', 'map.get(text)', false],
  ])(
    '%s: %s',
    (_, code, isFound) => {
      const program = programOf(`
      declare const table: Readonly<Record<string, string>>
      declare const maybe: Readonly<Record<string, string>> | undefined
      declare const counts: Record<string, number>
      declare const [list, map]: [readonly string[], ReadonlyMap<string, string>]
      declare const [text, number]: [string, number]
      declare const word: 'a' | 'b'
      void (${code})
    `)
      const codes = lookUpsIn(program, (file) => file.endsWith('/src/x.ts')).map((one) => one.code)
      expect(codes).toEqual(isFound ? [code.replace(' += 1', '')] : [])
    },
    120_000,
  )

  test('is nowhere in the server but where the names are its own', () => {
    const config = ts.getParsedCommandLineOfConfigFile(
      resolve(ROOT, 'tsconfig.json'),
      {},
      {
        ...ts.sys,
        onUnRecoverableConfigFileDiagnostic: () => undefined,
      },
    )!
    const files = config.fileNames.filter((file) => file.startsWith(resolve(ROOT, 'src')))
    const found = lookUpsIn(ts.createProgram(files, config.options), (file) => files.includes(file))
    const lines = new Set(found.map(({ file, code }) => `${file}: ${code}`))
    const allowed = new Set(
      Object.entries(ALLOWED).flatMap(([file, [, ...codes]]) => codes.map((code) => `${file}: ${code}`)),
    )
    expect([...lines].filter((line) => !allowed.has(line))).toEqual([])
    // An exception that nothing needs is removed.
    expect([...allowed].filter((line) => !lines.has(line))).toEqual([])
  }, 300_000)
})
