import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Now } from '../../../src/contract/now.ts'
import { matchCommands } from '../../../src/web/lib/command-groups.ts'
import { edgeKitSnippet, isLoopback, METRICS, remoteWriteSnippet } from '../../../src/web/lib/sender-snippets.ts'
import { freshnessOf, OLD_AFTER_MS } from '../../../src/web/lib/freshness.ts'
import {
  behindSentence,
  coverageSentence,
  emptySentence,
  headlineOf,
  silentNote,
} from '../../../src/web/lib/now-summary.ts'
import { parseBlocks } from '../../../src/web/lib/runbook-blocks.ts'
import { stepKey } from '../../../src/web/ui/use-keys.ts'
import { firstNow, now, quietNow } from '../browser/now-fixtures.ts'

const NOW_MS = 1_793_801_002_000

describe('the headline', () => {
  const quiet = quietNow(NOW_MS)
  test.each([
    ['no cluster ever', firstNow(NOW_MS), 'no_clusters'],
    [
      'nothing read since the start',
      { ...firstNow(NOW_MS), derivation: { caughtUpAt: null, waiting: 3, daysToCount: 0 } },
      'reading',
    ],
    ['all is well', quiet, 'good'],
    ['something is stuck', now(NOW_MS), 'stuck'],
    ['nobody reports', { ...quiet, clusters: { ...quiet.clusters, reporting: 0 } }, 'unsure'],
    ['nobody says how upgrades go', { ...quiet, clusters: { ...quiet.clusters, unknown: 198 } }, 'unsure'],
  ])('%s', (_what, answer, kind) => {
    expect(headlineOf(answer).kind).toBe(kind)
  })
  test('says what it rests on', () => {
    expect(coverageSentence(now(NOW_MS), NOW_MS + 12_000)).toBe(
      'Last checked 12 s ago, 198 of 200 clusters reporting, 170 with objects, 3 without upgrade data.',
    )
    expect(coverageSentence(quiet, NOW_MS)).toBe('Last checked 0 s ago, 198 of 200 clusters reporting.')
    const derivation = { caughtUpAt: new Date(NOW_MS - 26_000).toISOString(), waiting: 900, daysToCount: 0 }
    expect(coverageSentence({ ...quiet, derivation }, NOW_MS + 2000)).toMatch(/^Last checked 28 s ago, /)
  })
  test.each([
    [0, undefined],
    [54_000, undefined],
    [90_000, 'Data that 4 clusters sent in the last 1 min is not processed yet.'],
    [undefined, 'Processing the data that clusters sent: 4 clusters remaining.'],
  ])('says when it lags behind by %s ms', (behindMs, want) => {
    const caughtUpAt = behindMs === undefined ? null : new Date(NOW_MS - behindMs).toISOString()
    expect(behindSentence({ ...quiet, derivation: { caughtUpAt, waiting: 4, daysToCount: 0 } })).toBe(want)
  })
  test('an empty list says none only where somebody reports', () => {
    expect(emptySentence(quiet, 'None.')).toBe('None.')
    const mute = { ...quiet, clusters: { ...quiet.clusters, reporting: 0 } }
    expect(emptySentence(mute, 'None.')).toBe('Not known: no cluster is reporting.')
  })
  test('of silent clusters it counts those in an upgrade as far as their rows go', () => {
    const [item] = now(NOW_MS).silent.items
    const upgrading = { ...item!, upgrade: now(NOW_MS).silent.items.find(({ upgrade }) => upgrade !== null)!.upgrade }
    const still = { ...item!, upgrade: null }
    const note = (count: number, ...items: Now['silent']['items']): string =>
      silentNote({ ...quiet, silent: { count, items, byCause: [], oneSource: [] } })
    expect(note(1, still)).toBe('no data for 10 min')
    expect(note(30, upgrading, upgrading, still)).toBe('2 in an upgrade')
    expect(note(2, upgrading, upgrading)).toBe('2 in an upgrade')
    expect(note(30, upgrading, upgrading)).toBe('2 or more in an upgrade')
  })
  test('does not count what was not counted yet', () => {
    const derivation = { caughtUpAt: null, waiting: 0, daysToCount: 0 }
    expect(behindSentence({ ...quiet, derivation })).toBe('Processing the data that clusters sent.')
  })
})

test.each([
  [undefined, false, { kind: 'connecting' }],
  [undefined, true, { kind: 'offline' }],
  [NOW_MS, false, { kind: 'live', ageMs: 0 }],
  [NOW_MS + 500, false, { kind: 'live', ageMs: 0 }],
  [NOW_MS - OLD_AFTER_MS - 1, false, { kind: 'old', ageMs: OLD_AFTER_MS + 1 }],
  [NOW_MS - 42_000, true, { kind: 'offline', ageMs: 42_000 }],
])('freshness of %s, failing %s', (asOfMs, isFailing, want) => {
  expect(freshnessOf(asOfMs, isFailing, NOW_MS)).toEqual(want)
})

describe('keys', () => {
  const bindings = ['j', 'g n', 'g l', '/']
  test.each([
    ['', 'j', { command: 'j', pending: '' }],
    ['', 'g', { pending: 'g' }],
    ['g', 'l', { command: 'g l', pending: '' }],
    ['g', 'j', { command: 'j', pending: '' }],
    ['g', 'g', { pending: 'g' }],
    ['g', 'x', { pending: '' }],
    ['', 'n', { pending: '' }],
  ])('after %j, %j', (pending, key, want) => {
    expect(stepKey(pending, key, bindings)).toEqual(want)
  })
})

describe('finding commands', () => {
  const commands = ['Alerts', 'Runbook KubeVirtCRModified', 'KubeVirtCRModified', 'prague-prod-1'].map((label) => ({
    label,
  }))
  test.each([
    ['', ['Alerts', 'Runbook KubeVirtCRModified', 'KubeVirtCRModified', 'prague-prod-1']],
    ['kube', ['KubeVirtCRModified', 'Runbook KubeVirtCRModified']],
    ['run cr', ['Runbook KubeVirtCRModified']],
    ['PROD', ['prague-prod-1']],
    ['xyz', []],
  ])('%j', (typed, want) => {
    expect(matchCommands(commands, typed).map(({ label }) => label)).toEqual(want)
  })
})

describe('connecting a cluster', () => {
  test('the commands of the edge kit fill in all that its file leaves open, with the address', () => {
    const kit = readFileSync(resolve(import.meta.dirname, '../../../deploy/edge-kit.yaml'), 'utf8')
    const open = [...new Set(kit.match(/REPLACE_WITH_[A-Z_]+/g))].sort()
    const snippet = edgeKitSnippet('https://d.example')
    expect([...new Set(snippet.match(/REPLACE_WITH_[A-Z_]+/g))].sort()).toEqual(open)
    expect(snippet).toContain('s|REPLACE_WITH_ENDPOINT|https://d.example|')
  })
  test('the OpenShift text is a ConfigMap whose own text is configuration, with the address', () => {
    const map = parse(remoteWriteSnippet('openshift', 'https://d.example')) as { data: { 'config.yaml': string } }
    const config = parse(map.data['config.yaml']) as { prometheusK8s: { remoteWrite: { url: string }[] } }
    expect(config.prometheusK8s.remoteWrite[0]?.url).toBe('https://d.example/api/v1/write')
  })
  test('the Prometheus text is configuration, with the address', () => {
    const config = parse(remoteWriteSnippet('prometheus', 'http://127.0.0.1:4318')) as {
      remote_write: { url: string }[]
    }
    expect(config.remote_write[0]?.url).toBe('http://127.0.0.1:4318/api/v1/write')
  })
  test.each([
    ['kubevirt_info', 'virt-handler-x', true],
    ['cluster:kubevirt_virt_api_ready:sum', '', true],
    ['kube_pod_status_phase', 'virt-launcher-db-0-x', true],
    ['kube_pod_status_phase', 'shop-7d9f', false],
    ['kubevirt_vmi_storage_iops_read_total', 'virt-handler-x', false],
  ])('%s of pod %s is sent: %s', (name, pod, want) => {
    const config = parse(remoteWriteSnippet('prometheus', 'http://127.0.0.1:4318')) as {
      remote_write: { write_relabel_configs: { source_labels: string[]; regex: string; action: string }[] }[]
    }
    const [rule] = config.remote_write[0]?.write_relabel_configs ?? []
    expect(rule).toMatchObject({ source_labels: ['__name__', 'pod'], action: 'keep' })
    expect(new RegExp(`^(?:${rule?.regex})$`).test(`${name};${pod}`)).toBe(want)
  })
  test.each([
    ['http://127.0.0.1:4318', true],
    ['http://localhost:4318', true],
    ['http://[::1]:4318', true],
    ['https://daytwo.example', false],
    ['nonsense', false],
  ])('%s is this machine only: %s', (url, want) => {
    expect(isLoopback(url)).toBe(want)
  })
  test('what is sent is what the alert rules and the queries of the runbooks read', () => {
    const folder = resolve(import.meta.dirname, '../../../alert-rules')
    const texts = readdirSync(folder)
      .filter((name) => name.endsWith('.yaml'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
    const exprs = texts.flatMap((text) => {
      const { groups } = parse(text) as { groups: { rules: { expr: string }[] }[] }
      return groups.flatMap((group) => group.rules.map((rule) => rule.expr))
    })
    const pages = resolve(import.meta.dirname, '../../../runbooks')
    for (const name of readdirSync(pages)) {
      for (const block of parseBlocks(readFileSync(join(pages, name), 'utf8'))) {
        if (block.kind === 'live') exprs.push(block.text)
      }
    }
    const read = exprs.flatMap((expr) => expr.match(/(?<![\w:"])(?:kubevirt|csv|subscription|cnao)_\w+/g) ?? [])
    expect(read.length).toBeGreaterThan(5)
    const kept = new RegExp(`^(?:${METRICS})$`)
    expect([...new Set(read)].filter((name) => !kept.test(name))).toEqual([])
  })
})
