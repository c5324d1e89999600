import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { startSimulation } from '../../src/sim/simulate.ts'
import { requirePeer } from '../support/peers.ts'
import { startPrometheus } from '../support/prometheus.ts'

// The simulated fleet against a receiver that is not ours: what it sends is taken whole, and the alerts' own expressions,
// asked of a real Prometheus, answer what the fleet knows to be true.

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const COUNTER = 'kubevirt_hco_out_of_band_modifications_total{prometheus_replica="prometheus-k8s-0"}'

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

describe('the simulated fleet and a real Prometheus', () => {
  test('every sample is taken, and the alert expressions answer the truth', async (context) => {
    const path = requirePeer('prometheus', context)
    const prometheus = await startPrometheus({ path, targets: [], isReceiver: true })
    closers.push(() => prometheus.stop())
    const simulation = startSimulation({
      url: prometheus.url,
      seed: 'peer',
      clusters: 30,
      historyMs: 110 * 60_000,
      clock: systemClock,
    })
    closers.push(() => simulation.stop())
    await simulation.done
    expect(simulation.counts).toMatchObject({ samplesRefused: 0, lastRefusal: '' })

    // Two scrapes into the past, so that every cluster has said what was true then.
    const presentMs = systemClock.nowMs() - 60_000
    let alerts = 0
    for (const timeMs of [presentMs, presentMs - 8 * 60_000, presentMs - 40 * 60_000]) {
      for (const [alertname, label, expr] of EXPRESSIONS) {
        const seen = (await prometheus.query(expr, timeMs)).map(
          ({ metric }) => `${metric['cluster'] ?? ''} ${metric[label] ?? ''}`,
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
