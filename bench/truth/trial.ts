/** A fleet over months in process: plan, observe, derive, compare, judge. Nothing here waits. */
import { deriveCluster } from '../../src/fleet/derive/derive-cluster.ts'
import type { UpgradeRecord } from '../../src/model/upgrade.ts'
import { observationsOf } from '../../sim/history/cluster-observations.ts'
import type { ClusterHistory } from '../../sim/history/cluster-history.ts'
import { compareModifications, type ModificationComparison } from '../../sim/history/compare-modifications.ts'
import { compareUpgrades, type Comparison } from '../../sim/history/compare.ts'
import { truthOfHistory } from '../../sim/history/history-truth.ts'
import { planHistory, type DeliveryMode } from '../../sim/history/plan-history.ts'
import { detectionTrials, monthlyBaselines, type DetectionTrials } from './detection.ts'

export interface TrialOptions {
  readonly seed: string
  readonly clusters: number
  readonly fromMs: number
  readonly untilMs: number
  readonly mode: DeliveryMode
  readonly stallShare?: number
  readonly chainShare?: number
}

export interface Trial {
  readonly comparisons: readonly Comparison[]
  readonly modifications: readonly ModificationComparison[]
  readonly detection: DetectionTrials
  readonly counts: { readonly observations: number; readonly runs: number; readonly records: number }
  readonly cpuSeconds: { readonly simulate: number; readonly derive: number; readonly judge: number }
}

export function runTrial(options: TrialOptions, onProgress: (text: string) => void = () => undefined): Trial {
  const histories = Array.from({ length: options.clusters }, (_, index) => planHistory({ ...options, index }))
  const counts = { observations: 0, runs: 0, records: 0 }
  const cpuSeconds = { simulate: 0, derive: 0, judge: 0 }
  const timed = <T>(part: keyof typeof cpuSeconds, work: () => T): T => {
    const before = process.cpuUsage()
    const result = work()
    const { user, system } = process.cpuUsage(before)
    cpuSeconds[part] += (user + system) / 1e6
    return result
  }
  const comparisons: Comparison[] = []
  const modifications: ModificationComparison[] = []
  const records: UpgradeRecord[] = []
  const observe = (history: ClusterHistory) => timed('simulate', () => observationsOf(history))
  histories.forEach((history, i) => {
    const observations = observe(history)
    counts.observations += observations.objects.length
    counts.runs += observations.metrics.length
    const derived = timed('derive', () => deriveCluster(observations))
    records.push(...derived.upgrades)
    const truth = truthOfHistory(history)
    comparisons.push(compareUpgrades(truth, derived.upgrades))
    modifications.push(compareModifications(truth, derived.modifications))
    if ((i + 1) % 100 === 0) onProgress(`derived ${i + 1} of ${histories.length} clusters`)
  })
  counts.records = records.length
  const baselinesAt = monthlyBaselines(records)
  const trials = histories.map((history, i) => {
    const observations = observe(history)
    if ((i + 1) % 100 === 0) onProgress(`judged ${i + 1} of ${histories.length} clusters`)
    return timed('judge', () => detectionTrials(history, truthOfHistory(history), observations, baselinesAt))
  })
  return {
    comparisons,
    modifications,
    detection: {
      stalls: trials.flatMap(({ stalls }) => stalls),
      calm: trials.flatMap(({ calm }) => calm),
      unseen: trials.reduce((sum, { unseen }) => sum + unseen, 0),
    },
    counts,
    cpuSeconds,
  }
}
