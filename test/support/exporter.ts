import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { METRIC_NAME, compareLabels, Labels } from '../../src/model/labels.ts'

/**
 * A real HTTP exporter in Prometheus' text format whose values a test sets. A series that was never set is absent, as
 * an out-of-band counter is until HCO reverts for the first time.
 */
export interface Exporter {
  /** Where to scrape: `http://127.0.0.1:port/metrics`. */
  readonly url: string
  /** `127.0.0.1:port`. */
  readonly address: string
  /** Sets a series, and makes it when it was not there. */
  set(name: string, own: Readonly<Record<string, string>>, value: number): void
  /** Takes a series away: the next scrape does not see it. */
  remove(name: string, own?: Readonly<Record<string, string>>): void
  /** Answers 503 while false: the target is down. */
  setUp(isUp: boolean): void
  /** What a scrape would read now. */
  text(): string
  close(): Promise<void>
}

/** HCO's own metrics on a healthy, untouched cluster: no out-of-band counter, all four annotations at 0. */
export const HCO_AT_REST: readonly (readonly [string, Readonly<Record<string, string>>, number])[] = [
  ['kubevirt_hco_hyperconverged_cr_exists', {}, 1],
  ['kubevirt_hco_system_health_status', {}, 0],
  ['kubevirt_hco_single_stack_ipv6', {}, 0],
  ['kubevirt_hco_misconfigured_descheduler', {}, 0],
  ['kubevirt_hco_unsafe_modifications', { annotation_name: 'kubevirt.kubevirt.io/jsonpatch' }, 0],
  ['kubevirt_hco_unsafe_modifications', { annotation_name: 'containerizeddataimporter.kubevirt.io/jsonpatch' }, 0],
  ['kubevirt_hco_unsafe_modifications', { annotation_name: 'networkaddonsconfigs.kubevirt.io/jsonpatch' }, 0],
  ['kubevirt_hco_unsafe_modifications', { annotation_name: 'ssp.kubevirt.io/jsonpatch' }, 0],
]

export async function startExporter(series = HCO_AT_REST): Promise<Exporter> {
  const values = new Map<string, { readonly labels: Labels; readonly value: number }>()
  let isUp = true
  const labelsOf = (name: string, own: Readonly<Record<string, string>>): Labels =>
    Labels.of({ ...own, [METRIC_NAME]: name })
  const set = (name: string, own: Readonly<Record<string, string>>, value: number): void => {
    const labels = labelsOf(name, own)
    values.set(labels.key, { labels, value })
  }
  for (const [name, own, value] of series) set(name, own, value)
  const text = (): string => exposition([...values.values()])

  const server = createServer((_request, response) => {
    response.statusCode = isUp ? 200 : 503
    response.setHeader('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
    response.end(isUp ? text() : '')
  })
  const address = await listen(server)
  return {
    url: `http://${address}/metrics`,
    address,
    set,
    remove: (name, own = {}) => {
      values.delete(labelsOf(name, own).key)
    },
    setUp: (next) => {
      isUp = next
    },
    text,
    close: () => closeServer(server),
  }
}

/** Counters end in `_total`; everything else that is exported here is a gauge. */
function exposition(series: readonly { readonly labels: Labels; readonly value: number }[]): string {
  let text = ''
  let family = ''
  for (const { labels, value } of [...series].sort((a, b) => compareFamilies(a.labels, b.labels))) {
    if (labels.metricName !== family) {
      family = labels.metricName
      text += `# TYPE ${family} ${family.endsWith('_total') ? 'counter' : 'gauge'}\n`
    }
    const own = [...labels.dropMetricName().pairs()].map(([name, own]) => `${name}="${escaped(own)}"`)
    text += `${family}${own.length === 0 ? '' : `{${own.join(',')}}`} ${formatted(value)}\n`
  }
  return text
}

function compareFamilies(a: Labels, b: Labels): number {
  return a.metricName < b.metricName ? -1 : a.metricName > b.metricName ? 1 : compareLabels(a, b)
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function formatted(value: number): string {
  return value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : String(value)
}

/** Listens on a free loopback port; answers `127.0.0.1:port`. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

export async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
