/** VMs that are migrated again and again: KubeVirt gives a migration up after 5 or 15 minutes and starts the next one. */
import { groupBy } from '../../base/group-by.ts'
import type { HazardFacts } from '../../model/hazard-facts.ts'
import type { ClusterHistory } from './cluster-history.ts'

/** As many failures in a day are no accident. */
const TRIES_MIN = 3
const WINDOW_MS = 24 * 3_600_000

/** In the last day before the newest report of an object; `undefined`: migrations are not reported. */
export function retriedMigrationsOf(history: ClusterHistory): HazardFacts['retriedMigrations'] {
  const migrations = history.of('virtualmachineinstancemigrations')
  const { newestObjectMs } = history
  if (migrations.length === 0 || newestObjectMs === undefined) return noneByMetrics(history)
  const recent = migrations.filter((one) => (one.createdMs ?? one.states[0]!.atMs) > newestObjectMs - WINDOW_MS)
  const ended = recent.map(({ namespace, createdMs, states }) => {
    const { facts, atMs } = states.at(-1)!
    return { vm: `${namespace}/${facts.vmi}`, facts, atMs: createdMs ?? atMs }
  })
  let [vms, tries, sinceMs] = [0, 0, Infinity]
  const reasons = new Map<string, number>()
  for (const ofVm of groupBy(ended, ({ vm }) => vm).values()) {
    const failed = ofVm.filter(({ facts }) => facts.phase === 'Failed')
    if (failed.length < TRIES_MIN || ofVm.at(-1)!.facts.phase === 'Succeeded') continue
    vms++
    tries += failed.length
    for (const { facts, atMs } of failed) {
      sinceMs = Math.min(sinceMs, atMs)
      const reason = facts.failureReason ?? 'no reason reported'
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
    }
  }
  const [reason = ''] = [...reasons].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([text]) => text)
  return {
    value: { vms, tries, reason },
    sinceMs: vms > 0 ? sinceMs : newestObjectMs - WINDOW_MS,
    source: 'objects',
    ref: 'virtualmachineinstancemigrations',
  }
}

/** Without objects, gauges can only show that no migration waits or runs: then none is retried. */
function noneByMetrics(history: ClusterHistory): HazardFacts['retriedMigrations'] {
  const gauges = (['migrations_pending', 'migrations_scheduling', 'migrations_running'] as const).flatMap((signal) =>
    history.currentRuns(signal),
  )
  if (gauges.length === 0 || gauges.some(({ value }) => value > 0)) return undefined
  return {
    value: { vms: 0, tries: 0, reason: '' },
    sinceMs: Math.max(...gauges.map(({ firstMs }) => firstMs)),
    source: 'metrics',
    ref: 'kubevirt_vmi_migrations_in_pending_phase',
  }
}
