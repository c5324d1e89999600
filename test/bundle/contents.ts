import { collect } from '../../src/bundle/collect/collect.ts'
import type { BundleSources } from '../../src/bundle/collect/context.ts'
import { NOTHING, opaque, type BundleContent, type BundleSubject } from '../../src/bundle/content.ts'
import { BUNDLE_LIMITS, type BundleLimits } from '../../src/bundle/limits.ts'
import { makeBundle, type BundlePorts } from '../../src/bundle/make-bundle.ts'
import { unzip } from '../../src/bundle/archive/unzip.ts'
import type { Condition } from '../../src/model/object-facts.ts'
import type { LogRecord } from '../../src/model/log-record.ts'
import { Labels } from '../../src/model/labels.ts'
import type { ObjectTransition } from '../../src/model/observation.ts'
import { DEFAULT_REDACTION, type RedactionName } from '../../src/model/redaction.ts'
import type { Span } from '../../src/model/span.ts'

/** A subject with secrets, names and markup in every kind of its data. */

export const T0 = Date.UTC(2026, 7, 20, 10)
export const MINUTE_MS = 60_000
export const SCRIPT = '</script><img src=x onerror=alert(1)>'
/** Of other names: what is planted is in every member. */
export const PLANTED = {
  cluster: 'lab-east-1',
  alias: '2c0d4e9a-5b77-4d0c',
  node: 'worker-a7.rack3',
  user: 'jane.doe',
  address: '10.20.30.41',
  email: 'jane.doe@shop.example.com',
  password: 'hunter2-hunter2',
  host: 'api.shop.example.com',
  ticket: 'OPS-4711',
} as const

const EVERYTHING = `on ${PLANTED.cluster} (${PLANTED.alias}) node ${PLANTED.node} by ${PLANTED.user} <${PLANTED.email}> from ${PLANTED.address} password=${PLANTED.password} https://${PLANTED.host}/x ${PLANTED.ticket} ${SCRIPT}`

const labels = (...more: (readonly [string, string])[]) =>
  new Map([['cluster', PLANTED.cluster], ['node', PLANTED.node], ['user', PLANTED.user], ['note', EVERYTHING], ...more])

export const SUBJECT: BundleSubject = {
  ...NOTHING,
  kind: 'upgrade',
  id: 'a1b2c3',
  title: `Upgrade ${EVERYTHING}`,
  clusters: [PLANTED.cluster, PLANTED.alias],
  window: { fromMs: T0, toMs: T0 + 60 * MINUTE_MS },
  asOfMs: T0 + 60 * MINUTE_MS,
  record: opaque({
    upgrade: { cluster: PLANTED.cluster, message: EVERYTHING },
    password: PLANTED.password,
    [PLANTED.cluster]: 1,
  }),
  facts: [
    { name: 'Cluster', value: PLANTED.cluster },
    { name: 'Note', value: EVERYTHING },
  ],
  phases: [
    { name: 'olm', state: 'succeeded', fromMs: T0, toMs: T0 + 5 * MINUTE_MS },
    { name: 'operands', state: 'in_progress', fromMs: T0 + 5 * MINUTE_MS },
    { name: 'workloads', state: 'pending' },
  ],
  queries: [
    { title: 'Panel', expr: `up{cluster=~"${PLANTED.cluster}"}` },
    { title: 'Empty', expr: 'nothing' },
  ],
  traceIds: ['0af7651916cd43dd8448eb211c80319c'],
  alerts: [
    {
      ...{ fingerprint: '00000000deadbeef', alertname: 'VirtAPIDown', activeAtMs: T0, firedAtMs: T0 + MINUTE_MS },
      ...{ labels: labels(), annotations: new Map([['summary', EVERYTHING]]) },
      ...{ acknowledgedBy: PLANTED.user, acknowledgedNote: EVERYTHING },
    },
  ],
  rules: [
    {
      ...{ name: 'VirtAPIDown', group: 'virt', file: 'virt.yaml', expr: 'up == 0', forMs: 60_000, keepFiringForMs: 0 },
      ...{ labels: labels(), annotations: new Map([['summary', EVERYTHING]]), revision: 'ab'.repeat(32) },
    },
  ],
  runbooks: [
    {
      ...{ name: 'VirtAPIDown', revision: 'cd'.repeat(32), values: [{ name: 'cluster', value: PLANTED.cluster }] },
      markdown: `# VirtAPIDown\n\n## Meaning\n\nThe API is down. ${EVERYTHING}\n\n![x](https://evil.test/x.png) [docs](https://kubevirt.io/x) [bad](javascript:alert(1))\n\n\`\`\`bash\noc get pods -A\n\`\`\`\n`,
    },
  ],
  requests: [{ title: 'Record', url: `https://daytwo.test/api?cluster=${PLANTED.cluster}` }],
}

const condition: Condition = { type: 'Available', status: 'False' } as Condition

export function transition(minute: number, name: string, kind = 'pods'): ObjectTransition {
  const facts = { kind, conditions: [condition], image: EVERYTHING } as unknown as ObjectTransition['after']['facts']
  return {
    after: {
      ...{
        cluster: PLANTED.cluster,
        uid: `uid-${name}`,
        name,
        namespace: 'kubevirt-hyperconverged',
        resourceVersion: String(minute),
      },
      ...{ change: 'modified', observedMs: T0 + minute * MINUTE_MS, facts },
    },
    before: { ...facts, image: 'old' } as unknown as ObjectTransition['after']['facts'],
    manager: { name: 'virt-operator', operation: 'Update', subresource: '' },
  }
}

export function logRecord(minute: number, body = EVERYTHING): LogRecord {
  return {
    timeNs: BigInt(T0 + minute * MINUTE_MS) * 1_000_000n,
    ...{ cluster: PLANTED.cluster, service: 'virt-operator', severity: 17, severityText: 'ERROR', eventName: '' },
    body,
    attributes: [
      { key: 'k8s.node.name', value: PLANTED.node },
      { key: 'password', value: PLANTED.password },
      { key: PLANTED.cluster, value: EVERYTHING },
    ],
    ...{ traceId: '', spanId: '' },
  }
}

export function span(index: number): Span {
  const startNs = BigInt(T0 + index * MINUTE_MS) * 1_000_000n
  return {
    ...{ traceId: '0af7651916cd43dd8448eb211c80319c', spanId: index.toString(16).padStart(16, '0'), traceState: '' },
    ...{ name: `phase ${EVERYTHING}`, kind: 'internal', startNs, endNs: startNs + 1_500_000n, links: [], flags: 0 },
    attributes: [{ key: 'note', value: EVERYTHING }],
    events: [{ timeNs: startNs, name: EVERYTHING, attributes: [] }],
    status: { code: 'error', message: EVERYTHING },
    resource: {
      service: 'virt-operator',
      cluster: PLANTED.cluster,
      attributes: [{ key: 'host.name', value: PLANTED.node }],
    },
    scope: { name: 'x', version: '', attributes: [] },
  }
}

export const SOURCES: BundleSources = {
  objects: (cluster) =>
    Promise.resolve(
      cluster === PLANTED.cluster ? [transition(3, PLANTED.node, 'nodes'), transition(1, 'virt-api')] : [],
    ),
  logs: ({ cluster }) => Promise.resolve(cluster === PLANTED.cluster ? [logRecord(2), logRecord(1)] : []),
  trace: () => Promise.resolve({ spans: [span(0), span(1)], isCut: false }),
  range: ({ expr }) =>
    Promise.resolve({
      series: expr.startsWith('up')
        ? [
            {
              labels: Labels.of({
                __name__: 'up',
                cluster: PLANTED.cluster,
                instance: `${PLANTED.address}:8443`,
                node: PLANTED.node,
                note: EVERYTHING,
              }),
              timesMs: Float64Array.of(T0, T0 + 15_000, T0 + 5 * MINUTE_MS),
              values: Float64Array.of(1, NaN, Infinity),
            },
            {
              labels: Labels.of({ __name__: 'up', pod: 'b' }),
              timesMs: Float64Array.of(T0, T0 + 15_000),
              values: Float64Array.of(0.5, 2),
            },
          ]
        : [],
      warnings: [],
    }),
}

export const PORTS: BundlePorts = {
  sources: SOURCES,
  versions: { daytwo: '0.1.0', schema: 42 },
  clusterNames: () => Promise.resolve([[PLANTED.cluster, PLANTED.alias], ['other']]),
}

export function contentOf(
  sources: Partial<BundleSources> = {},
  limits: Partial<BundleLimits> = {},
  subject: Partial<BundleSubject> = {},
): Promise<BundleContent> {
  return collect({ ...SUBJECT, ...subject }, { ...SOURCES, ...sources }, PORTS.versions, {
    ...BUNDLE_LIMITS,
    ...limits,
  })
}

export async function bundleWith(
  name: RedactionName,
  subject: Partial<BundleSubject> = {},
  limits: Partial<BundleLimits> = {},
): Promise<{ readonly bytes: Buffer; readonly files: ReadonlyMap<string, string> }> {
  const wish = { subject: { ...SUBJECT, ...subject }, redaction: { name, profile: DEFAULT_REDACTION.profiles[name] } }
  const bytes = Buffer.concat(await makeBundle(wish, { ...PORTS, limits: { ...BUNDLE_LIMITS, ...limits } }))
  return { bytes, files: new Map(unzip(bytes).map((one) => [one.name, Buffer.from(one.bytes).toString()])) }
}
