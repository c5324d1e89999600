import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { buildCatalog, loadCatalog, type Catalog } from '../../src/catalog/catalog.ts'
import { readDashboard, withSampleVariables } from '../../src/catalog/dashboard.ts'
import { distinguishingLabels, rankInstances } from '../../src/catalog/rank-instances.ts'
import { resolveRunbook } from '../../src/catalog/resolve-runbook.ts'
import type { AlertState } from '../../src/model/alert.ts'
import { Labels } from '../../src/model/labels.ts'

function page(name: string, head = ''): { path: string; text: string } {
  const text = `${head}# ${name}\n\n## Meaning\n\nx\n\n## Impact\n\nx\n\n## Diagnosis\n\nx\n\n## Mitigation\n\nx\n`
  return { path: `runbooks/${name}.md`, text }
}

function rules(...names: string[]): { path: string; text: string } {
  const list = names.map((name) => `      - alert: ${name}\n        expr: up == 0\n`).join('')
  return { path: 'alert-rules/a.yaml', text: `groups:\n  - name: g\n    rules:\n${list}` }
}

function catalogOf(pages: { path: string; text: string }[], ...alerts: string[]): Catalog {
  return buildCatalog({ ruleFiles: [rules(...alerts)], pageFiles: pages, dashboardFiles: [] })
}

describe('a catalog', () => {
  test('links alerts to pages and names what has no partner', () => {
    const catalog = catalogOf(
      [page('Alpha'), page('Gone'), page('Kept', '---\nwithout_rule: it comes from the platform\n---\n')],
      'Alpha',
      'Beta',
      'Beta',
    )
    expect(catalog.alertNames).toEqual(['Alpha', 'Beta'])
    expect(catalog.alertsWithoutPage).toEqual(['Beta'])
    expect(catalog.orphanPages).toEqual(['Gone'])
    expect(catalog.diagnostics.filter(({ file }) => file?.endsWith('.md'))).toEqual([])
  })

  test('refuses a second owner of an old name', () => {
    const head = '---\naliases: [Old, Alpha]\n---\n'
    const catalog = catalogOf([page('Alpha', '---\naliases: [Old]\n---\n'), page('Beta', head)], 'Alpha', 'Beta')
    expect(catalog.diagnostics.map(({ message, file }) => [file, message])).toEqual([
      ['runbooks/Beta.md', 'alias Old already leads to Alpha'],
      ['runbooks/Beta.md', 'alias Alpha already leads to Alpha'],
    ])
  })

  test('collects the findings of all files', () => {
    const catalog = buildCatalog({
      ruleFiles: [{ path: 'r.yaml', text: 'groups: 3' }],
      pageFiles: [{ path: 'A.md', text: 'x' }],
      dashboardFiles: [{ path: 'd.yaml', text: 'kind: Panel' }],
    })
    expect(new Set(catalog.diagnostics.map(({ file }) => file))).toEqual(new Set(['r.yaml', 'A.md', 'd.yaml']))
  })

  test('is read from folders; unit tests of rules and the README are not content', () => {
    const dir = mkdtempSync(join(tmpdir(), 'daytwo-catalog-'))
    try {
      mkdirSync(join(dir, 'rules/tests'), { recursive: true })
      mkdirSync(join(dir, 'pages'))
      mkdirSync(join(dir, 'boards'))
      writeFileSync(join(dir, 'rules/a.yaml'), rules('Alpha').text)
      writeFileSync(join(dir, 'rules/tests/a.yaml'), 'tests: []')
      writeFileSync(join(dir, 'pages/Alpha.md'), page('Alpha').text)
      writeFileSync(join(dir, 'pages/README.md'), 'about')
      const catalog = loadCatalog({
        rulesDir: join(dir, 'rules'),
        runbooksDir: join(dir, 'pages'),
        dashboardsDir: join(dir, 'boards'),
      })
      expect(catalog.ruleFiles.map(({ path }) => path)).toEqual([join(dir, 'rules/a.yaml')])
      expect([...catalog.pages.keys()]).toEqual(['Alpha'])
    } finally {
      rmSync(dir, { recursive: true })
    }
  })

  test('a folder that is not there is a failure with a hint', () => {
    const load = (): Catalog => loadCatalog({ rulesDir: '/none/a', runbooksDir: '/none/b', dashboardsDir: '/none/c' })
    expect(load).toThrow(
      expect.objectContaining({ code: 'content_invalid', message: expect.stringContaining('/none/a') as string }),
    )
  })
})

describe('a name in a link', () => {
  const catalog = catalogOf(
    [page('KubeVirtCRModified', '---\naliases: [OldModified]\n---\n'), page('HCOInstallationIncomplete')],
    'KubeVirtCRModified',
  )
  test.each<[string, string | string[], boolean?]>([
    ['KubeVirtCRModified', 'KubeVirtCRModified', false],
    ['KubeVirtCRModified.md', 'KubeVirtCRModified', false],
    ['kubevirtcrmodified', 'KubeVirtCRModified', false],
    [' KUBEVIRTCRMODIFIED.MD ', 'KubeVirtCRModified', false],
    ['OldModified', 'KubeVirtCRModified', true],
    ['oldmodified.md', 'KubeVirtCRModified', true],
    ['KubeVirtCRModifed', ['KubeVirtCRModified']],
    ['OldModifed', ['KubeVirtCRModified']],
    ['Zzz', []],
    ['', []],
    ['__proto__', []],
  ])('%j leads to %j', (name, want, isRenamed) => {
    const found = resolveRunbook(catalog, name)
    if ('page' in found) expect([found.page.name, found.isRenamed]).toEqual([want, isRenamed])
    else expect(found.nearest).toEqual(want)
  })
})

describe('instances', () => {
  const instance = (fingerprint: string, state: AlertState, severity: string, impact: string, activeAtMs: number) => ({
    fingerprint,
    state,
    activeAtMs,
    labels: Labels.of({ severity, operator_health_impact: impact }),
  })

  test('stand worst and newest first, those that fire before the others', () => {
    const wanted = [
      instance('a', 'firing', 'critical', 'none', 1),
      instance('b', 'firing', 'warning', 'critical', 1),
      instance('c', 'firing', 'warning', 'warning', 9),
      instance('d', 'firing', 'warning', 'warning', 2),
      instance('e', 'firing', 'warning', 'warning', 2),
      instance('f', 'firing', 'unheard-of', 'none', 99),
      instance('g', 'pending', 'critical', 'critical', 99),
      instance('h', 'resolved', 'critical', 'critical', 99),
    ]
    expect(rankInstances([...wanted].reverse()).map((one) => one.fingerprint)).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
      'g',
      'h',
    ])
    expect(rankInstances([])).toEqual([])
  })

  test('are told apart by the labels they do not share', () => {
    const base = { alertname: 'A', cluster: 'x', severity: 'warning', namespace: 'n' }
    expect(
      distinguishingLabels([
        Labels.of({ ...base, component_name: 'cdi/a' }),
        Labels.of({ ...base, cluster: 'y', component_name: 'ssp/b', extra: '1' }),
      ]),
    ).toEqual([{ component_name: 'cdi/a' }, { component_name: 'ssp/b', extra: '1' }])
    expect(distinguishingLabels([Labels.of(base)])).toEqual([{}])
  })
})

describe('a dashboard', () => {
  test.each([
    ['no dashboard', 'kind: Panel\n'],
    ['nothing at all', ''],
  ])('%s', (_, text) => {
    expect(
      readDashboard('d.yaml', text)
        .diagnostics.map(({ message }) => message)
        .sort(),
    ).toEqual(['the dashboard has no metadata.name', 'the dashboard has no spec.panels', 'want kind Dashboard'])
  })

  test('broken YAML is a finding', () => {
    expect(readDashboard('d.yaml', 'a: [').diagnostics).not.toEqual([])
  })

  test.each([
    ['rate(up{a=~"$a"}[$__rate_interval])', 'rate(up{a=~"1"}[5m])'],
    ['topk(${n}, up) + ${a:regex}', 'topk(1, up) + 1'],
    ['increase(up[${__range}])', 'increase(up[5m])'],
  ])('variables of %j get samples', (query, sample) => {
    expect(withSampleVariables(query)).toBe(sample)
  })
})
