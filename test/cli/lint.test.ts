import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { afterAll, describe, expect, test } from 'vitest'
import { LintReport } from '../../src/contract/lint.ts'
import { SMALL_CONTENT, replaced } from '../catalog/checks/small-content.ts'
import { tempDir } from '../support/temp-dir.ts'
import { daytwo } from './run.ts'

const folder = tempDir('cli-lint')
afterAll(() => {
  folder.remove()
})

/** Options that name a content on disk. */
function onDisk(name: string, content: Readonly<Record<string, string>>): string[] {
  for (const [path, text] of Object.entries(content)) {
    mkdirSync(dirname(join(folder.path, name, path)), { recursive: true })
    writeFileSync(join(folder.path, name, path), text)
  }
  const place = (dir: string): string => join(folder.path, name, dir)
  return ['--rules', place('alert-rules'), '--runbooks', place('runbooks'), '--dashboards', place('dashboards')]
}

const clean = onDisk('clean', SMALL_CONTENT)
const faulty = onDisk('faulty', replaced('alert-rules/virt.yaml', '{{ $labels.component_name }}', '{{ $labels.pod }}'))
const remark = onDisk(
  'remark',
  replaced('dashboards/virt.yaml', 'cluster:kubevirt_virt_handler_ready:sum', 'kubevirt_info'),
)

describe('daytwo lint', () => {
  test('a content without a fault ends with 0', async () => {
    expect(await daytwo('lint', ...clean)).toEqual({
      code: 0,
      stdout: '0 errors, 0 warnings, 0 remarks in 2 alerts, 2 runbooks, 1 dashboard\n',
      stderr: '',
    })
  })

  test('a fault is drawn at its place and ends with 1', async () => {
    const { code, stdout } = await daytwo('lint', ...faulty)
    expect(code).toBe(1)
    expect(stdout).toContain(
      [
        'alert-rules/virt.yaml:31:24: error: the expression never yields the label pod [template-label-unknown]',
        "  31 |           summary: '{{ $labels.pod }} on {{ $labels.cluster }} was changed.'",
        '     |                        ^^^^^^^^^^^',
        '     = help: it may yield cluster, cluster_id, component_name',
      ].join('\n'),
    )
    expect(stdout).toMatch(/\n1 error, 0 warnings, 0 remarks in /)
  })

  test('a remark ends with 0, and is drawn when asked for', async () => {
    const quiet = await daytwo('lint', ...remark)
    expect([quiet.code, quiet.stdout]).toEqual([0, expect.stringMatching(/^0 errors, 0 warnings, 1 remark in /)])
    const drawn = await daytwo('lint', '--infos', ...remark)
    expect([drawn.code, drawn.stdout]).toEqual([0, expect.stringContaining('info: no rule reads kubevirt_info')])
  })

  test('json is what the server answers', async () => {
    const { code, stdout } = await daytwo('lint', '--format', 'json', ...faulty)
    const report = Value.Parse(LintReport, JSON.parse(stdout))
    expect(code).toBe(1)
    expect(report.findings).toMatchObject([
      { check: 'template-label-unknown', line: 31, column: 24, severity: 'error' },
    ])
  })

  test('sarif has the shape of 2.1.0, each result with its rule and region', async () => {
    const { code, stdout } = await daytwo('lint', '--format=sarif', ...faulty)
    expect(code).toBe(1)
    const sarif: unknown = JSON.parse(stdout)
    expect([...Value.Errors(SARIF, sarif)]).toEqual([])
    const [run] = Value.Parse(SARIF, sarif).runs
    const ids = run!.tool.driver.rules.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const { ruleId, ruleIndex } of run!.results) expect(ids[ruleIndex]).toBe(ruleId)
    expect(run!.results[0]?.locations[0]?.physicalLocation).toMatchObject({
      artifactLocation: { uri: expect.stringMatching(/^file:\/\/\/.*\/alert-rules\/virt\.yaml$/) as string },
      region: { startLine: 31, startColumn: 24, endLine: 31, endColumn: 35 },
    })
    const { stdout: none } = await daytwo('lint', '--format=sarif', ...clean)
    expect(Value.Parse(SARIF, JSON.parse(none)).runs[0]?.results).toEqual([])
  })

  test.each([
    [['--format', 'xml'], 'option --format: got "xml", want text, json or sarif'],
    [['alert-rules'], 'got "alert-rules", want options only'],
    [['--rule', 'x'], 'did you mean --rules?'],
    [['--rules', '/no/such/folder'], 'reading the content folder /no/such/folder failed'],
  ])('%j is refused with exit code 2', async (args, message) => {
    const { code, stderr } = await daytwo('lint', ...args)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })
})

const Text = Type.Object({ text: Type.String({ minLength: 1 }) })
const From1 = Type.Integer({ minimum: 1 })

/** What SARIF 2.1.0 requires of a log with rules and results (sections 3.13, 3.14, 3.19, 3.27, 3.30, 3.49). */
const SARIF = Type.Object({
  $schema: Type.String({ pattern: 'sarif-2\\.1\\.0' }),
  version: Type.Literal('2.1.0'),
  runs: Type.Array(
    Type.Object(
      {
        tool: Type.Object({
          driver: Type.Object({
            name: Type.String({ minLength: 1 }),
            version: Type.String(),
            rules: Type.Array(
              Type.Object({
                id: Type.String({ minLength: 1 }),
                shortDescription: Text,
                fullDescription: Text,
                help: Type.Object({ text: Type.String({ minLength: 1 }), markdown: Type.String() }),
                defaultConfiguration: Type.Object({ level: Type.Enum(['none', 'note', 'warning', 'error']) }),
              }),
            ),
          }),
        }),
        columnKind: Type.Enum(['utf16CodeUnits', 'unicodeCodePoints']),
        results: Type.Array(
          Type.Object({
            ruleId: Type.String(),
            ruleIndex: Type.Integer({ minimum: 0 }),
            level: Type.Enum(['none', 'note', 'warning', 'error']),
            message: Text,
            locations: Type.Array(
              Type.Object({
                physicalLocation: Type.Object({
                  artifactLocation: Type.Object({ uri: Type.String({ format: 'uri-reference' }) }),
                  region: Type.Object({ startLine: From1, startColumn: From1, endLine: From1, endColumn: From1 }),
                }),
              }),
              { minItems: 1 },
            ),
          }),
        ),
      },
      { additionalProperties: false },
    ),
    { minItems: 1 },
  ),
})
