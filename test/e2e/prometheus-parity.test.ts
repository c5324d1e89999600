import { afterEach, describe, expect, test, type TestContext } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { startSimulation } from '../../sim/simulate.ts'
import { settled } from '../support/mode.ts'
import { requirePeer } from '../support/peers.ts'
import { startPrometheus } from '../support/prometheus.ts'
import { startServer, withoutContent } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'

// The simulated fleet sent to a real Prometheus and to Daytwo: both take every sample, and the alerts' own expressions,
// asked of either, answer what the fleet knows to be true.

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Receiver {
  readonly url: string
  /** Label sets of the answer to an instant query. */
  ask(expr: string, timeMs: number): Promise<readonly Readonly<Record<string, string>>[]>
  /** Resolves when answers have all that was sent. */
  settled?(): Promise<void>
}

const RECEIVERS: readonly (readonly [name: string, start: (context: TestContext) => Promise<Receiver>])[] = [
  [
    'a real Prometheus',
    async (context) => {
      const path = requirePeer('prometheus', context)
      const prometheus = await startPrometheus({ path, targets: [], isReceiver: true })
      closers.push(() => prometheus.stop())
      const ask: Receiver['ask'] = async (expr, timeMs) =>
        (await prometheus.query(expr, timeMs)).map(({ metric }) => metric)
      return { url: prometheus.url, ask }
    },
  ],
  [
    'Daytwo',
    async () => {
      const data = tempDir('parity')
      closers.push(() => {
        data.remove()
      })
      const server = await startServer(['serve', '--listen', '127.0.0.1:0', '--data', data.path, ...withoutContent()])
      closers.push(() => server.stop())
      const ask: Receiver['ask'] = async (expr, timeMs) =>
        (await server.query(expr, timeMs)).map(({ metric }) => metric)
      return { url: server.url, ask, settled: () => settled(server.url) }
    },
  ],
]

// One of the two replicas: Daytwo has chosen one and dropped the label.
const COUNTER = 'kubevirt_hco_out_of_band_modifications_total{prometheus_replica=~"prometheus-k8s-0|"}'

/** In the words of HCO's own rules, per cluster. */
const EXPRESSIONS: readonly (readonly [alertname: string, label: string, expr: string])[] = [
  [
    'KubeVirtCRModified',
    'component_name',
    `sum by (cluster, component_name) (
       (round(increase(${COUNTER}[10m])) > 0 and ${COUNTER} offset 10m)
       or (${COUNTER} != 0 unless ${COUNTER} offset 10m))`,
  ],
  [
    'UnsupportedHCOModification',
    'annotation_name',
    'sum by (cluster, annotation_name) (kubevirt_hco_unsafe_modifications) > 0',
  ],
  ['HCOInstallationIncomplete', '', 'kubevirt_hco_hyperconverged_cr_exists == 0'],
  ['HCOMisconfiguredDescheduler', '', 'kubevirt_hco_misconfigured_descheduler == 1'],
  ['HCOOperatorConditionsUnhealthy', '', 'kubevirt_hco_system_health_status > 0'],
  [
    'HCOGoldenImageWithNoSupportedArchitecture',
    'data_import_cron_name',
    'kubevirt_hco_dataimportcrontemplate_with_supported_architectures == 0',
  ],
]

describe('the simulated fleet', () => {
  test.for(RECEIVERS)('%s takes every sample, and alert expressions answer the truth', async ([, start], context) => {
    const receiver = await start(context)
    const simulation = startSimulation({
      url: receiver.url,
      seed: 'peer',
      clusters: 30,
      historyMs: 110 * 60_000,
      clock: systemClock,
    })
    closers.push(() => simulation.stop())
    await simulation.done
    await receiver.settled?.()
    expect(simulation.counts).toMatchObject({ samplesRefused: 0, lastRefusal: '' })

    // Two scrapes into the past, so that every cluster has said what was true then.
    const presentMs = systemClock.nowMs() - 60_000
    let alerts = 0
    for (const timeMs of [presentMs, presentMs - 8 * 60_000, presentMs - 40 * 60_000]) {
      for (const [alertname, label, expr] of EXPRESSIONS) {
        const seen = (await receiver.ask(expr, timeMs)).map(
          (metric) => `${metric['cluster'] ?? ''} ${metric[label] ?? ''}`,
        )
        const known = (atMs: number): Set<string> =>
          new Set(
            simulation
              .truth(atMs)
              .alerts.filter((alert) => alert.alertname === alertname)
              .map((alert) => `${alert.cluster} ${alert.labels[label] ?? ''}`),
          )
        // A sample is up to one scrape old, and a growth needs the scrape before it inside the rule's window: only what
        // is so, or not so, throughout the scrape before and the one after is certain.
        const around = [timeMs - 30_000, timeMs, timeMs + 30_000].map(known)
        const missing = [...around[0]!].filter((key) => around.every((keys) => keys.has(key)) && !seen.includes(key))
        const invented = seen.filter((key) => !around.some((keys) => keys.has(key)))
        expect({ alertname, missing, invented }).toEqual({ alertname, missing: [], invented: [] })
        alerts += seen.length
      }
    }
    expect(alerts).toBeGreaterThan(20)
  })
})
