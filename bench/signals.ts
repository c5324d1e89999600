/**
 * What it costs to know which clusters' metrics changed: one look over all series that signals are read from, of 10,000
 * clusters of which none says anything new, with a scrape in between; and reading one cluster that did. CPU time.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignalWatch } from '../src/fleet/signals/signal-watch.ts'
import { Labels } from '../src/model/labels.ts'
import type { MetricRun } from '../src/model/observation.ts'
import { STORE_DEFAULTS } from '../src/store/options.ts'
import { openReader } from '../src/store/reader.ts'
import { openWriter } from '../src/store/writer.ts'

const STEP_MS = 30_000
const START_MS = Date.UTC(2026, 0, 1)
const LOOKS = 10

export async function run({ quick }: { readonly quick: boolean }): Promise<void> {
  const clusters = quick ? 1000 : 10_000
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-bench-signals-'))
  const options = { ...STORE_DEFAULTS, dir }
  const writer = openWriter(options, START_MS)
  const reader = openReader(options, writer.share())
  try {
    const refs = Array.from({ length: clusters }, (_, i) => seriesOf(`cluster-${i}`)).flatMap((all) =>
      all.map((labels) => writer.appender.resolve(Labels.of(labels))!),
    )
    let timeMs = START_MS
    const scrape = async (): Promise<void> => {
      timeMs += STEP_MS
      for (const ref of refs) writer.appender.append(ref, timeMs, 1)
      await writer.appender.commit()
    }
    await scrape()
    const watch = new SignalWatch(reader, { ...options, samplesMax: 1e9 })
    const firstMs = cpuMs(() => {
      watch.look(timeMs)
    })
    const kept = new Map<string, readonly MetricRun[]>()
    const readMs = cpuMs(() => {
      for (const cluster of watch.due(timeMs)) {
        kept.set(cluster, watch.read(cluster, [], timeMs).change?.runs ?? [])
      }
    })
    let lookMs = 0
    for (let look = 0; look < LOOKS; look++) {
      await scrape()
      lookMs += cpuMs(() => {
        watch.look(timeMs)
      })
    }
    const waiting = watch.waiting
    console.log(
      `${clusters} clusters, ${refs.length} series; after ${LOOKS} scrapes ${waiting} clusters have something new`,
    )
    console.log(`the first look                   ${firstMs.toFixed(0)} ms CPU`)
    console.log(
      `reading all of them once         ${readMs.toFixed(0)} ms CPU, ${(readMs / clusters).toFixed(2)} a cluster`,
    )
    console.log(`a look when nothing is new       ${(lookMs / LOOKS).toFixed(1)} ms CPU`)
  } finally {
    reader.close()
    await writer.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** What a small cluster sends of what signals are read from. */
function seriesOf(cluster: string): Record<string, string>[] {
  const name = 'kubevirt-hyperconverged-operator.v1.16.0'
  const common = { cluster, cluster_id: cluster, namespace: 'kubevirt-hyperconverged', job: 'operators', instance: 'a' }
  const one = (metric: string, more: Record<string, string> = {}): Record<string, string> => ({
    ...common,
    __name__: metric,
    ...more,
  })
  return [
    one('csv_succeeded', { name, version: '1.16.0' }),
    one('subscription_sync_total', { package: 'kubevirt-hyperconverged', channel: 'stable', approval: 'Automatic' }),
    ...['n1', 'n2', 'n3'].map((pod) => one('kubevirt_info', { pod, kubeversion: 'v1.7.0' })),
    one('kubevirt_hco_system_health_status'),
    ...['kubevirt', 'cdi', 'ssp', 'cnao'].map((annotation) =>
      one('kubevirt_hco_unsafe_modifications', { annotation_name: annotation }),
    ),
    one('kubevirt_vmi_number_of_outdated'),
    one('kubevirt_vmi_migrations_in_pending_phase'),
    one('kubevirt_vmi_migrations_in_running_phase'),
    ...['current', 'completed', 'desired'].map((type) => one('cluster_version', { type, version: '4.20.1' })),
  ]
}

function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
