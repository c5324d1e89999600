/** What a server said at its beats, as trials: the same figures as in process, from its own answers. */
import type { ClusterHistory } from '../../sim/history/cluster-history.ts'
import { hiddenOf } from '../../sim/history/hidden.ts'
import type { HistoryTruth, TruthUpgradeRecord } from '../../sim/history/history-truth.ts'
import type { CalmTrial, DetectionTrials, StallTrial } from './detection.ts'
import { isCutOff, lookedAt } from './moments.ts'
import type { SaidStuck } from './read-back.ts'

interface SimulatedCluster {
  readonly history: ClusterHistory
  readonly truth: HistoryTruth
}

export function saidOf(clusters: readonly SimulatedCluster[], said: readonly SaidStuck[]): DetectionTrials {
  const stalls: StallTrial[] = []
  const calm: CalmTrial[] = []
  let unseen = 0
  for (const { history, truth } of clusters) {
    for (const real of truth.upgrades) {
      const window = lookedAt(history, real)
      if (window === undefined) continue
      if (isCutOff(history, window)) {
        unseen++
        continue
      }
      const first = said.find((one) => isOf(one, truth, real) && one.atMs > window.fromMs && one.atMs < window.untilMs)
      const name = `${truth.cluster} ${real.operator} ${real.from} -> ${real.to}`
      if (real.stall === undefined) {
        const falseAlarm = `${name}: stuck in ${first?.phase}, ${first?.cause} at ${new Date(first?.atMs ?? 0).toISOString()}`
        calm.push(first === undefined ? { name } : { name, falseAlarm })
        continue
      }
      const { kind, cause, isAsynchronous } = real.stall
      const detected = first === undefined ? {} : { detectedMs: first.atMs - window.fromMs, said: first.cause }
      const hidden = hiddenOf(truth.tells, real.stall, real.to)
      const lastedMs = window.untilMs - window.fromMs
      stalls.push({ name: `${name}: ${kind}`, kind, cause, isAsynchronous, hidden, lastedMs, ...detected })
    }
  }
  return { stalls, calm, unseen }
}

function isOf(one: SaidStuck, { cluster }: HistoryTruth, { operator, to }: TruthUpgradeRecord): boolean {
  return one.cluster === cluster && one.operator === operator && one.to === to
}
