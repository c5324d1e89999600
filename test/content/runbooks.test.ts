import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { Lexer, type Tokens } from 'marked'
import { describe, expect, test } from 'vitest'
import { createOwnMetrics } from '../../src/base/metrics.ts'
import { bindRunbook } from '../../src/catalog/bind-runbook.ts'
import type { ClusterInventory } from '../../src/catalog/page-values.ts'
import { whyNotBindable } from '../../src/base/quoting.ts'
import type { RunbookPage } from '../../src/catalog/runbook-page.ts'
import { DERIVED_METRICS } from '../../src/fleet/series/derived-metrics.ts'
import { renderDiagnostic } from '../../src/model/diagnostic.ts'
import { Labels } from '../../src/model/labels.ts'
import { metricNamesOf } from '../../src/promql/ast.ts'
import { diagnose, parseExpr } from '../../src/promql/parse.ts'
import { loadRuleFiles } from '../../src/rules/rule-file.ts'
import { firingLabels, ROOT, shippedCatalog } from './content.ts'

const catalog = shippedCatalog()
const pages = [...catalog.pages.values()]
const rules = loadRuleFiles(catalog.ruleFiles).groups.flatMap((group) => group.rules)
const inventory: ClusterInventory = {
  cluster: 'fra-1',
  namespace: 'openshift-cnv',
  hcoVersion: '1.17.0',
  kubevirtVersion: 'v1.7.1',
  channel: 'stable',
  approval: 'Automatic',
}

test('the content has no findings', () => {
  const rendered = catalog.diagnostics.map((found) => renderDiagnostic(readFileSync(found.file ?? '', 'utf8'), found))
  expect(rendered).toEqual([])
})

test('every alert has a page, and every page a rule or a reason', () => {
  expect(catalog.alertsWithoutPage).toEqual([])
  expect(catalog.orphanPages).toEqual([])
})

describe.each(pages.map((page) => [page.name, page] as const))('%s', (name, page) => {
  const alerts = firingLabels(name).map((labels) => ({ labels: Labels.of(labels), value: 1, activeAtMs: 0 }))

  test('has every placeholder filled from the labels of its alert and the inventory', () => {
    expect(alerts).not.toEqual([])
    for (const alert of alerts) {
      const bound = bindRunbook(page, { alert, inventory })
      expect(bound.unbound).toEqual([])
      expect(bound.cells.map(({ id }) => id)).toEqual(page.cells.map(({ id }) => id))
      expect(bound.cells.flatMap(({ expr }) => diagnose(expr))).toEqual([])
    }
  })

  test('shows where else the alert fires, and verifies the mitigation', () => {
    expect(page.text).toMatch(/\n### Other .+ with this alert\n|\n### Other upgrade paths\n/)
    expect(page.text).toMatch(/\n### Verification\n/)
    expect(page.cells.map(({ id }) => id)).toEqual(expect.arrayContaining(['diagnosis-1', 'mitigation-1']))
  })

  test('queries the whole fleet even when nothing is bound', () => {
    expect(bindRunbook(page, { isPlain: true }).cells.map(({ id }) => id)).toContain('diagnosis-1')
  })

  test('is one Markdown document with the same fences that were bound', () => {
    const { markdown } = bindRunbook(page, { alert: alerts[0], inventory })
    const fences = Lexer.lex(markdown).filter((token) => token.type === 'code') as Tokens.Code[]
    const written = page.blocks.filter((block) => block.kind === 'fence')
    const twins = fences.filter((fence) => fence.lang === 'bash oc').length
    expect(fences.length - twins).toBe(written.length)
    expect(twins).toBe(written.filter((fence) => fence.info === 'bash kubectl').length)
    expect(fences.map((fence) => fence.lang)).toEqual(
      fences.map(() => expect.stringMatching(/^(bash( kubectl| oc)?|yaml|promql live#[a-z]+-\d+)$/) as string),
    )
  })

  test('links only to pages that exist', () => {
    const links = [...page.text.matchAll(/\]\(\/rb\/([^)]*)\)/g)].map((match) => match[1] ?? '')
    for (const link of links) expect(catalog.pages.has(link)).toBe(true)
  })

  test('uses only metrics that are sent or recorded', (context) => {
    const facts = resolve(ROOT, '../shared/facts/kubevirt-metrics.json')
    if (!existsSync(facts)) context.skip('the facts about metrics are not beside the project')
    const known = new Set((JSON.parse(readFileSync(facts, 'utf8')) as { name: string }[]).map((metric) => metric.name))
    for (const own of ['ALERTS', 'up']) known.add(own)
    for (const rule of rules) if (rule.kind === 'recording') known.add(rule.name)
    for (const { name: derived } of DERIVED_METRICS) known.add(derived)
    for (const { name: own } of createOwnMetrics('0').registry.getMetricsAsArray()) known.add(own)
    const { cells } = bindRunbook(page, { alert: alerts[0], inventory })
    const used = cells.flatMap(({ expr }) => metricNamesOf(parseExpr(expr)))
    expect(used.filter((metric) => !known.has(metric))).toEqual([])
    expect(used).not.toEqual([])
  })
})

describe('the commands of all pages, in a real shell', () => {
  const COMMANDS = ['curl', 'daytwo', 'kubectl', 'oc', 'jq', 'grep', 'sort', 'tail', 'skopeo', 'virtctl']
  const NAMES = [
    'cluster',
    'namespace',
    'component_name',
    'annotation_name',
    'data_import_cron_name',
    'name',
    'machine_type',
    'cron_name',
    'storageclass',
    'persistentvolumeclaim',
    'node',
    'vm',
    'resource',
    'version',
  ]
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-runbooks-'))

  /** Label values by name; the component is a kind and a name. */
  function labelsFrom(value: (name: string) => string): Labels {
    return Labels.of({
      ...Object.fromEntries(NAMES.map((name) => [name, value(name)])),
      component_name: `${value('kind').replaceAll('/', '')}/${value('object')}`,
    })
  }

  function script(page: RunbookPage, labels: Labels): string {
    const { markdown } = bindRunbook(page, { alert: { labels, value: 1, activeAtMs: 0 } })
    const code = Lexer.lex(markdown).filter((token) => token.type === 'code') as Tokens.Code[]
    return code
      .filter((fence) => fence.lang?.startsWith('bash') === true)
      .map((fence) => fence.text)
      .join('\n')
  }

  /** The argument lists the commands were called with, sorted: the parts of a pipe run at the same time. */
  function calls(labels: Labels): string[][] {
    // Every command is a function that reports its arguments in one write: \1 after each, \2 at the end of the call.
    // That mark is made once: a function that makes it forks at each call.
    const stubs = [
      "END=$(printf '\\2')",
      ...COMMANDS.map((name) => `${name}() { printf '%s\\1' ${name} "$@" "$END" >&3; }`),
    ]
    const body = pages.map((page) => script(page, labels)).join('\n')
    const run = spawnSync('/bin/sh', {
      input: `${stubs.join('\n')}\n${body}\n`,
      encoding: 'utf8',
      env: { PATH: '' },
      cwd: dir,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    })
    expect({ status: run.status, stderr: run.stderr, stdout: run.stdout }).toEqual({
      status: 0,
      stderr: '',
      stdout: '',
    })
    const reported = run.output[3] ?? ''
    return reported
      .split('\u0002\u0001')
      .slice(0, -1)
      .map((call) => call.split('\u0001').slice(0, -1))
      .sort((a, b) => (a.join('\u0001') < b.join('\u0001') ? -1 : 1))
  }

  const nasty = fc
    .string({
      unit: fc.constantFrom(
        ...'\'"\\$`();&|<>{}[]*?!#~=%^- ab/.'.split(/(?=.)/s),
        'é',
        '$(id)',
        '; x',
        '{{name}}',
        '\\n',
      ),
      minLength: 1,
      maxLength: 10,
    })
    .filter((value) => whyNotBindable(value) === undefined && value.replaceAll('/', '') !== '')
    .filter((value) => whyNotBindable(value.replaceAll('/', '')) === undefined)

  test('every command gets each value whole, whatever is in it, and nothing else runs', () => {
    const pattern = calls(labelsFrom((name) => `Z${name}Z`))
    expect(pattern.flat().join(' ')).toContain('ZnamespaceZ')
    fc.assert(
      fc.property(fc.array(nasty, { minLength: NAMES.length + 2, maxLength: NAMES.length + 2 }), (values) => {
        const names = [...NAMES, 'kind', 'object']
        const valueOf = (name: string): string => values[names.indexOf(name)] ?? ''
        const wanted = pattern.map((call) =>
          call.map((argument) =>
            argument.replace(/Z([a-z_]+)Z/g, (_, name: string) =>
              name === 'kind' ? valueOf(name).replaceAll('/', '') : valueOf(name),
            ),
          ),
        )
        const order = (a: string[], b: string[]): number => (a.join('\u0001') < b.join('\u0001') ? -1 : 1)
        expect(calls(labelsFrom(valueOf))).toEqual(wanted.sort(order))
      }),
      { numRuns: 20 },
    )
    rmSync(dir, { recursive: true })
  })
})
