import type { Now, OpenUpgradeItem } from '../../../src/contract/now.ts'
import { RULES } from './fixtures.ts'

/** The landing page of a made-up fleet. Times are relative to `nowMs`, so that ages stay what they are. */

const MINUTE_MS = 60_000

export const NO_FAULTS: NonNullable<Now['faults']> = {
  ...{ storage: null, damage: null, failingRules: 0, threads: [] },
  ...{ metricsStore: null, postgres: null, silentProcesses: [], apart: [] },
}

export function now(nowMs: number): Now {
  const ago = (minutes: number): string => new Date(nowMs - minutes * MINUTE_MS).toISOString()
  const inPrague: OpenUpgradeItem = {
    ...upgrade(nowMs, 'prague-prod-1', 'virt_handler.waves', 190, 112),
    ...{ stuck: true, stalledSince: ago(112), beyondSeconds: 112 * 60 - 190, phaseEndsAt: null },
    cause: { cause: 'virt_handler_rollout', text: '3 virt-handler pods are not ready on the old version.' },
    baseline: {
      ...{ phase: 'virt_handler.waves', p50Seconds: 41, p95Seconds: 106, thresholdSeconds: 190, perWave: true },
      ...{ learnedFrom: 'edge', runs: 34 },
    },
    nodes: { updated: 6, desired: 9 },
  }
  const inSingapore: OpenUpgradeItem = {
    ...upgrade(nowMs, 'sin-edge-5', 'olm.pending', 95, 95),
    ...{ stuck: true, stalledSince: ago(95), beyondSeconds: 80 * 60, phaseEndsAt: null, resolutionSeconds: 30 },
    cause: { cause: 'not_upgradeable', text: 'The operator says that it is not upgradeable now.' },
    baseline: {
      ...{ phase: 'olm.pending', p50Seconds: 300, p95Seconds: 900, thresholdSeconds: 900, perWave: false },
      ...{ learnedFrom: 'seed', runs: 0 },
    },
  }
  return {
    asOf: ago(0),
    derivation: { caughtUpAt: ago(0), waiting: 0, daysToCount: 0 },
    clusters: {
      ...{
        total: 200,
        reporting: 198,
        silent: 2,
        unknown: 3,
        gone: 0,
        withObjects: 170,
        withMetrics: 198,
        withSpans: 12,
      },
      silentAfterSeconds: { metrics: 600, objects: 3900 },
      newestAt: ago(0),
      oldestAt: ago(4),
    },
    stuck: { count: 2, items: [inPrague, inSingapore] },
    upgrading: {
      count: 5,
      items: [
        inPrague,
        inSingapore,
        { ...upgrade(nowMs, 'brno-edge-2', 'operands.cdi', 22, 4), phaseEndsAt: ago(-3) },
        { ...upgrade(nowMs, 'iad-prod-4', 'virt_handler.waves', 14, 2), nodes: { updated: 11, desired: 40 } },
        { ...upgrade(nowMs, 'fra-lab-3', null, 3, 1), resolutionSeconds: 30 },
      ],
      byPhase: [
        { phase: 'olm.pending', count: 1, stuck: 1 },
        { phase: 'operands.cdi', count: 1, stuck: 0 },
        { phase: 'virt_handler.waves', count: 2, stuck: 1 },
        { phase: null, count: 1, stuck: 0 },
      ],
    },
    following: {
      count: 2,
      machines: 125,
      items: [
        {
          ...upgrade(nowMs, 'nrt-prod-14', 'workloads', 300, 2),
          machines: { outdated: 118, outdatedAtStart: 410, etaAt: ago(-94) },
        },
        {
          ...upgrade(nowMs, 'gru-edge-13', 'workloads', 3000, 40),
          machines: { outdated: 7, outdatedAtStart: null, etaAt: null },
        },
      ],
    },
    waiting: {
      count: 2,
      items: [
        {
          ...{ id: 'w1', cluster: 'brno-lab-9', operator: 'kubevirt-hyperconverged', from: '1.18.3', to: '1.19.2' },
          ...{ since: ago(2 * 24 * 60), channel: 'stable', namespace: 'openshift-cnv', installPlan: 'install-k2x7q' },
          stuck: true,
        },
        {
          ...{ id: 'w2', cluster: 'fra-edge-17', operator: 'kubevirt-hyperconverged', from: null, to: '1.19.2' },
          ...{ since: null, channel: null, namespace: null, installPlan: null, stuck: false },
        },
      ],
    },
    firing: {
      ...{ critical: 9, warning: 12, info: 14, none: 0, pending: 4 },
      groups: RULES.map((base, i) => ({
        alertname: base.alertname,
        severity: base.severity,
        healthImpact: base.healthImpact,
        clusters: [1, 12, 9, 5, 3][i]!,
        alerts: [1, 14, 9, 5, 3][i]!,
        fingerprint: i.toString(16).padStart(16, '0'),
        newestAt: ago([41, 3, 96, 260, 1800][i]!),
      })).toSorted(
        (a, b) =>
          ['critical', 'warning', 'info'].indexOf(a.severity) - ['critical', 'warning', 'info'].indexOf(b.severity),
      ),
    },
    silent: {
      count: 2,
      items: [
        {
          ...{ cluster: 'gru-lab-6', lastSeenAt: ago(26), cause: 'upgrade', version: '1.18.3' },
          upgrade: { id: 's1', from: '1.18.3', to: '1.19.2', phase: 'operands.ssp', stuck: false },
        },
        { cluster: 'nrt-prod-7', lastSeenAt: ago(7 * 60), cause: 'unknown', version: null, upgrade: null },
      ],
      byCause: [
        { cause: 'upgrade', count: 1 },
        { cause: 'unknown', count: 1 },
      ],
      oneSource: [{ cause: 'remote_write_broken', count: 3 }],
    },
    versions: {
      of: 198,
      untold: 3,
      items: [
        { version: '1.20.0', clusters: 9 },
        { version: '1.19.2', clusters: 97 },
        { version: '1.18.3', clusters: 59 },
        { version: '1.17.9', clusters: 27 },
        { version: '1.16.4', clusters: 3 },
      ],
    },
    faults: NO_FAULTS,
    fallingEdges: {
      count: 1,
      items: [
        {
          ...{ operator: 'kubevirt-hyperconverged', from: '1.18.3', to: '1.19.2', against: 'before' },
          lately: { succeeded: 21, of: 30 },
          other: { succeeded: 57, of: 58 },
          difference: { difference: -0.28, low: -0.46, high: -0.14 },
        },
      ],
    },
  }
}

function upgrade(
  nowMs: number,
  cluster: string,
  phase: string | null,
  startedMinutes: number,
  changedMinutes: number,
): OpenUpgradeItem {
  return {
    ...{ id: `u-${cluster}`, cluster, operator: 'kubevirt-hyperconverged', from: '1.18.3', to: '1.19.2', phase },
    phaseSince: phase === null ? null : new Date(nowMs - changedMinutes * MINUTE_MS).toISOString(),
    startedAt: new Date(nowMs - startedMinutes * MINUTE_MS).toISOString(),
    ...{ phaseEndsAt: null, stuck: false, stalledSince: null, beyondSeconds: null, silentSince: null, baseline: null },
    ...{ cause: null, nodes: null, machines: null, resolutionSeconds: 1 },
  }
}

/** Every cluster reports and nothing is wrong. */
export function quietNow(nowMs: number): Now {
  const busy = now(nowMs)
  const none = () => ({ count: 0, items: [] })
  return {
    ...busy,
    clusters: { ...busy.clusters, unknown: 0, withObjects: 200 },
    stuck: none(),
    upgrading: { ...none(), byPhase: [] },
    following: { ...none(), machines: 0 },
    waiting: none(),
    firing: { critical: 0, warning: 0, info: 0, none: 0, pending: 0, groups: [] },
    silent: { ...none(), byCause: [], oneSource: [] },
    fallingEdges: none(),
  }
}

/** A server that no cluster has written to. */
export function firstNow(nowMs: number): Now {
  const quiet = quietNow(nowMs)
  return {
    ...quiet,
    clusters: { ...quiet.clusters, total: 0, reporting: 0, silent: 0 },
    versions: { of: 0, untold: 0, items: [] },
  }
}
