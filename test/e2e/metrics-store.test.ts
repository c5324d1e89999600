import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { silentLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/config.ts'
import { TARGETS, type RunningTarget } from '../remote/pushdown-targets.ts'
import { builtApp } from '../support/built-app.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { findPeer } from '../support/peers.ts'
import { postWrite, writeBody, type SentSeries } from '../support/remote-write.ts'
import { NO_CONTENT } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

// The server as it ships, with a real store that answers PromQL. What the forwarder does is done by hand: every write goes to both.

const END_MS = Date.UTC(2026, 6, 16, 7, 25)
const MINUTE_MS = 60_000
const RULES = `groups:
- name: shop
  rules:
  - alert: ShopLoadHigh
    expr: shop_load > 0.9
    labels: { severity: critical }
  - record: cluster:shop_load:avg
    expr: avg by (cluster) (shop_load)
  - alert: OfRecorded
    expr: cluster:shop_load:avg > 0.9
  - alert: OfFacts
    expr: shop_load > 0.8 and on (cluster) daytwo_cluster_info
`

interface Answer {
  readonly data: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>
      readonly value: readonly [number, string]
    }[]
  }
  readonly infos?: readonly string[]
  readonly warnings?: readonly string[]
  readonly error?: string
  readonly errorType?: string
}

describe.each(['prometheus', 'victoria-metrics'] as const)('a server over %s', (program) => {
  const path = findPeer(program)
  describe.skipIf(path === undefined)(`(skipped where ${program} is not installed)`, () => {
    const folder = tempDir(`metrics-store-${program}`)
    const clock = new FakeClock(END_MS - 10 * MINUTE_MS)
    let target: RunningTarget
    let app: App

    beforeAll(async () => {
      target = await TARGETS[program](path!)
      const rules = join(folder.path, 'rules')
      mkdirSync(rules)
      writeFileSync(join(rules, 'shop.yaml'), RULES)
      const options = {
        ...{
          listen: '127.0.0.1:0',
          data: join(folder.path, 'data'),
          rules,
          runbooks: NO_CONTENT,
          dashboards: NO_CONTENT,
        },
        ...{ 'own-metrics': 'false', 'content.watch': 'false', 'log.level': 'silent', 'store.metrics': target.url },
      }
      const config = readConfig(new Map(Object.entries(options)), undefined, {})
      app = await (await builtApp()).startApp({ config, clock, log: silentLog, isDemo: false })
      for (let i = 0; i <= 10; i++) {
        const timeMs = clock.nowMs()
        const csv = { name: 'kubevirt-hyperconverged-operator.v4.16.0', namespace: 'openshift-cnv', version: '4.16.0' }
        const series: SentSeries[] = ['a', 'b'].map((cluster) => ({
          labels: { __name__: 'shop_load', cluster },
          samples: [{ timeMs, value: cluster === 'a' ? 0.95 : 0.5 }],
        }))
        series.push({ labels: { __name__: 'csv_succeeded', cluster: 'a', ...csv }, samples: [{ timeMs, value: 1 }] })
        for (const url of [app.url, target.url]) expect((await postWrite(url, writeBody(series))).ok).toBe(true)
        await target.flush()
        await app.runCycle()
        if (i < 10) clock.advance(MINUTE_MS)
      }
    }, 120_000)
    afterAll(async () => {
      await app.stop()
      await target.stop()
      folder.remove()
    })

    const get = async <T>(url: string): Promise<T> => (await (await fetch(`${app.url}${url}`)).json()) as T
    const query = (expr: string): Promise<Answer> =>
      get<Answer>(`/api/v1/query?query=${encodeURIComponent(expr)}&time=${END_MS / 1000}`)
    const valuesOf = ({ data }: Answer): Record<string, number> =>
      Object.fromEntries(data.result.map(({ metric, value }) => [metric['cluster'] ?? '', Number(value[1])]))

    test('answers queries from it, with its differences', async () => {
      const answer = await query('avg_over_time(shop_load[5m])')
      expect(valuesOf(answer)).toMatchObject({ a: expect.closeTo(0.95) as number, b: 0.5 })
      expect(answer.infos?.join()).toMatch(
        program === 'prometheus' ? /Prometheus 2.42.*less exact/ : /VictoriaMetrics stores neither NaN/,
      )
      const other = await query('min_over_time(shop_load[5m])')
      expect(valuesOf(other)).toMatchObject({ b: 0.5 })
      expect(other.data.result.every(({ metric }) => metric['__name__'] === undefined)).toBe(true)
    })

    test('joins its series with those of facts', async () => {
      expect(valuesOf(await query('shop_load and on (cluster) daytwo_cluster_info'))).toMatchObject({ a: 0.95 })
      const { data } = await get<{ data: { remote: { way: string; reason: string } } }>(
        `/api/v1/explain?query=${encodeURIComponent('sum(daytwo_cluster_info)')}&time=${END_MS / 1000}`,
      )
      expect(data.remote).toMatchObject({
        way: 'local',
        reason: expect.stringContaining('computed from facts') as string,
      })
    })

    test('evaluates rules over it, and alerts fire', async () => {
      const { data } = await get<{ data: { alerts: readonly { labels: Record<string, string>; state: string }[] } }>(
        '/api/v1/alerts',
      )
      expect(data.alerts.map(({ labels, state }) => [labels['alertname'], labels['cluster'], state]).sort()).toEqual([
        ['OfFacts', 'a', 'firing'],
        ['OfRecorded', 'a', 'firing'],
        ['ShopLoadHigh', 'a', 'firing'],
      ])
    })

    test('lists series of both, and counts what it did', async () => {
      const range = `start=${END_MS / 1000 - 600}&end=${END_MS / 1000}`
      const { data } = await get<{ data: readonly string[] }>(`/api/v1/label/cluster/values?match[]=shop_load&${range}`)
      expect(data).toEqual(['a', 'b'])
      clock.advance(1000)
      const metrics = await until('the metrics', async () => {
        const text = await (await fetch(`${app.url}/metrics`)).text()
        return text.includes('daytwo_metrics_store_up 1') ? text : undefined
      })
      expect(metrics).toMatch(/daytwo_metrics_store_queries_total\{way="local_facts"\} [1-9]/)
      expect(metrics).toMatch(/daytwo_metrics_store_requests_total\{outcome="ok"\} [1-9]/)
      expect(metrics).toMatch(/daytwo_metrics_store_read_bytes_total [1-9]/)
    })

    test('when it is down, queries and rules say so, and so does readiness', async () => {
      await target.stop()
      for (let i = 0; i < 4; i++) {
        const { error, errorType } = await query('shop_load')
        expect(errorType).toBe('unavailable')
        expect(error).toContain(target.url.replace('http://', ''))
      }
      clock.advance(MINUTE_MS)
      await app.runCycle()
      const { data } = await get<{
        data: { groups: readonly { rules: readonly { health: string; lastError?: string }[] }[] }
      }>('/api/v1/rules')
      expect(data.groups[0]!.rules[0]).toMatchObject({
        health: 'err',
        lastError: expect.stringContaining('in a row') as string,
      })
      // Alerts stay as they were.
      const alerts = await get<{ data: { alerts: readonly unknown[] } }>('/api/v1/alerts')
      expect(alerts.data.alerts).toHaveLength(3)
      const ready = await until('readiness to name it', async () => {
        clock.advance(1000)
        const text = await (await fetch(`${app.url}/-/ready`)).text()
        return text.includes('PromQL queries and rules fail') ? text : undefined
      })
      expect(ready).toContain('connect ECONNREFUSED')
    })
  })
})
