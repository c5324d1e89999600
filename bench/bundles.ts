/**
 * What an evidence bundle costs: of an upgrade with as many objects, log records, spans and samples as a bundle has at most, read
 * from memory; beside it the same content as one JSON text in one gzip stream, without redaction, checksums and page.
 */
import { performance } from 'node:perf_hooks'
import { gzipSync } from 'node:zlib'
import { checkBundle } from '../src/bundle/archive/checksums.ts'
import { collect } from '../src/bundle/collect/collect.ts'
import type { BundleSources } from '../src/bundle/collect/context.ts'
import { json, type BundleSubject, type Tree } from '../src/bundle/content.ts'
import { BUNDLE_LIMITS } from '../src/bundle/limits.ts'
import { makeBundle } from '../src/bundle/make-bundle.ts'
import { DEFAULT_REDACTION, REDACTION_NAMES, type RedactionName } from '../src/model/redaction.ts'
import { Labels } from '../src/model/labels.ts'
import { logRecord, MINUTE_MS, PLANTED, PORTS, span, SUBJECT, T0, transition } from '../test/bundle/contents.ts'

/** Series of a query, with as many points as samples of all queries allow. */
const SERIES = 30
const CLUSTERS = 10_000

export async function run({ quick }: { readonly quick: boolean }): Promise<void> {
  const scale = quick ? 0.1 : 1
  const { objectsMax, logsMax, spansMax, queriesMax, samplesMax } = BUNDLE_LIMITS
  const queries = Math.round(queriesMax * scale)
  const sources = sourcesOf(scale, Math.floor(samplesMax / queriesMax / SERIES))
  const subject: BundleSubject = {
    ...SUBJECT,
    queries: Array.from({ length: queries }, (_, i) => ({ title: `Panel ${i}`, expr: `up_${i}` })),
  }
  const clusterNames = Array.from({ length: CLUSTERS }, (_, i) => [`cluster-${i}.site-${i % 40}`, `uid-${i}`])
  const ports = { ...PORTS, sources, clusterNames: () => Promise.resolve(clusterNames) }
  const counts = [objectsMax, logsMax, spansMax].map((most) => Math.round(most * scale))
  console.log(
    `${counts[0]} states of objects, ${counts[1]} log records, ${counts[2]} spans, ${queries} queries; ${CLUSTERS} names of clusters\n`,
  )
  console.log('| | ms CPU | ratio | MB | longest slice, ms |\n|---|---:|---:|---:|---:|')
  const content = await collect(subject, sources, PORTS.versions, BUNDLE_LIMITS)
  const plain = await measured(() => Promise.resolve([gzipSync(json(content as unknown as Tree), { level: 6 })]))
  show('JSON and gzip', plain, plain.cpuMs)
  for (const name of REDACTION_NAMES) {
    const made = await measured(() => makeBundle(wishOf(subject, name), ports))
    show(`bundle, redaction ${name}`, made, plain.cpuMs)
    if (name !== 'default') continue
    const archive = Buffer.concat(made.parts)
    const checked = await measured(() => {
      const { problems } = checkBundle(archive)
      if (problems.length > 0) throw new Error(problems.join('; '))
      return Promise.resolve([archive])
    })
    show('verify', checked, plain.cpuMs)
  }
}

function wishOf(subject: BundleSubject, name: RedactionName) {
  return { subject, redaction: { name, profile: DEFAULT_REDACTION.profiles[name] } }
}

function sourcesOf(scale: number, points: number): BundleSources {
  const times = <T>(most: number, make: (i: number) => T): readonly T[] =>
    Array.from({ length: Math.round(most * scale) }, (_, i) => make(i))
  const { objectsMax, logsMax, spansMax } = BUNDLE_LIMITS
  const objects = times(objectsMax, (i) => transition(i % 60, `virt-handler-${i % 300}`))
  const logs = times(logsMax, (i) =>
    logRecord(i % 60, `reconcile ${i} failed on node-${i % 100} from 10.1.2.${i % 250}`),
  )
  const spans = times(spansMax, (i) => span(i % 60))
  const timesMs = Float64Array.from({ length: points }, (_, i) => T0 + i * 15_000)
  const series = Array.from({ length: SERIES }, (_, i) => ({
    labels: Labels.of({ __name__: 'up', cluster: PLANTED.cluster, instance: `10.1.3.${i}:8443`, node: `node-${i}` }),
    timesMs,
    values: timesMs.map((ms) => Math.sin(ms / MINUTE_MS + i)),
  }))
  return {
    objects: (cluster) => Promise.resolve(cluster === PLANTED.cluster ? objects : []),
    logs: ({ cluster }) => Promise.resolve(cluster === PLANTED.cluster ? logs : []),
    trace: () => Promise.resolve({ spans, isCut: false }),
    range: () => Promise.resolve({ series, warnings: [] }),
  }
}

interface Measured {
  readonly parts: readonly Uint8Array[]
  readonly cpuMs: number
  /** The longest time in which nothing else ran on this thread. */
  readonly sliceMs: number
}

async function measured(work: () => Promise<readonly Uint8Array[]>): Promise<Measured> {
  let [sliceMs, lastMs, isOver] = [0, performance.now(), false]
  const watch = (): void => {
    sliceMs = Math.max(sliceMs, performance.now() - lastMs)
    lastMs = performance.now()
    if (!isOver) setImmediate(watch)
  }
  setImmediate(watch)
  const from = process.cpuUsage()
  const parts = await work()
  const { user, system } = process.cpuUsage(from)
  isOver = true
  sliceMs = Math.max(sliceMs, performance.now() - lastMs)
  return { parts, cpuMs: (user + system) / 1000, sliceMs }
}

function show(name: string, { parts, cpuMs, sliceMs }: Measured, baseMs: number): void {
  const megabytes = parts.reduce((sum, part) => sum + part.length, 0) / 1e6
  const cells = [cpuMs.toFixed(0), (cpuMs / baseMs).toFixed(1), megabytes.toFixed(2), sliceMs.toFixed(0)]
  console.log(`| ${name} | ${cells.join(' | ')} |`)
}
