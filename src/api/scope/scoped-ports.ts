/**
 * The ports of a scope. Alerts, silences and rules are in memory on this thread and filtered here; everything else comes from
 * readers of the scope. A cluster outside answers as one that does not exist; a change that could reach one is refused.
 */
import { FleetError } from '../../base/errors.ts'
import type { Acceptances } from '../../fleet/readiness/acceptances.ts'
import type { Decommissions } from '../../fleet/clusters/decommissions.ts'
import type { Erasures } from '../../fleet/clusters/erasures.ts'
import type { AlertState } from '../../model/alert.ts'
import { clusterOf } from '../../model/cluster-identity.ts'
import { formatSelectors, pinnedClusters, type ClusterScope } from '../../model/cluster-scope.ts'
import type { Labels } from '../../model/labels.ts'
import type { Matcher } from '../../model/matcher.ts'
import type { PipelineView } from '../../notify/pipeline.ts'
import type { Silences } from '../../notify/silences.ts'
import type { RuleStatus } from '../../rules/rule-status.ts'
import { NO_CONFIG } from '../alertmanager/status.ts'
import type { ApiPeople } from '../fleet/people.ts'
import type { RuleReader } from '../prometheus/rules.ts'
import type { FleetPorts, ScopedReaders } from './fleet-ports.ts'

export function scopedPorts(
  whole: FleetPorts,
  { alertRuns, audit, deliveries, runbookWork, ...query }: ScopedReaders,
  scope: ClusterScope,
): FleetPorts {
  const isIn = ({ labels }: { readonly labels: Labels }): boolean => scope.includes(clusterOf(labels))
  const { people, pipeline, rules, notify } = whole
  const alerts: ApiPeople['alerts'] = (nowMs) => people.alerts(nowMs).filter(isIn)
  return {
    ...query,
    rules: scopedRules(rules, isIn),
    people: {
      ...people,
      alerts,
      // As of the last cycle, which compared all of them.
      withoutDuplicates: (some) => {
        const duplicates = people.duplicates()
        return Promise.resolve(some.filter(({ fingerprint }) => !duplicates.has(fingerprint)))
      },
      runs: alertRuns,
      audit: (limit, before) => audit.list(limit, before),
      silences: scopedSilences(people.silences, scope),
      decommissions: scopedDecommissions(people.decommissions, scope),
      acceptances: scopedAcceptances(people.acceptances, scope),
      runbookWork: {
        entries: (runs) => runbookWork.entries(runs),
        revisions: (runbook) => runbookWork.revisions(runbook),
        // The route finds alerts of the scope only.
        add: (entry, seen, audited) =>
          scope.includes(entry.cluster)
            ? people.runbookWork.add(entry, seen, audited)
            : Promise.reject(
                forbidden(scope, `an alert of cluster ${JSON.stringify(entry.cluster)}`, 'one of your clusters'),
              ),
      },
      external: {
        ...people.external,
        alerts: (nowMs) => people.external.alerts(nowMs).filter(isIn),
        post: (posted, request) => {
          const outside = posted.find(({ labels }) => !scope.includes(labels['cluster'] ?? ''))
          if (outside === undefined) return people.external.post(posted, request)
          const got = JSON.stringify(outside.labels['cluster'] ?? '')
          return Promise.reject(forbidden(scope, `an alert of cluster ${got}`, 'alerts of these clusters'))
        },
      },
    },
    ...(pipeline && { pipeline: scopedPipeline(pipeline, () => alerts(), isIn) }),
    notify: { ...notify, deliveries },
    objectChanges: async (cluster, range) => (scope.includes(cluster) ? whole.objectChanges(cluster, range) : []),
    inventory: async (cluster, nowMs) => (scope.includes(cluster) ? whole.inventory(cluster, nowMs) : undefined),
    clusterReport: async (cluster) => (scope.includes(cluster) ? whole.clusterReport(cluster) : undefined),
    erasures: scopedErasures(whole.erasures, scope),
    graphImports: whole.graphImports,
  }
}

function forbidden({ clusters = [] }: ClusterScope, got: string, want: string): FleetError {
  return new FleetError('forbidden', `got ${got}, want ${want}: your role covers ${formatSelectors(clusters)}`)
}

/** States and counts are of the alerts that are shown. Failures of rules may quote series of any cluster. */
function scopedRules(rules: RuleReader, isIn: (alert: { readonly labels: Labels }) => boolean): RuleReader {
  const alerts: RuleReader['alerts'] = () => rules.alerts().filter(isIn)
  return {
    alerts,
    groups: async () => {
      const groups = await rules.groups()
      const counts = new Map<string, Record<AlertState, number>>()
      for (const { rule, ruleKey, state } of alerts()) {
        const key = JSON.stringify([rule.file, rule.group, ruleKey])
        const count = counts.get(key) ?? { pending: 0, firing: 0, resolved: 0 }
        counts.set(key, count)
        count[state]++
      }
      return groups.map((group) => ({
        ...group,
        rules: group.rules.map((rule): RuleStatus => {
          const { lastError, ...status } = rule
          const shown = { ...status, warnings: [], ...(lastError === undefined ? {} : { lastError: HIDDEN_ERROR }) }
          if (shown.kind === 'recording') return { ...shown, lastSamples: 0 }
          const key = JSON.stringify([group.file, group.name, rule.ruleKey])
          const alertCounts = counts.get(key) ?? { pending: 0, firing: 0, resolved: 0 }
          const state = alertCounts.firing > 0 ? 'firing' : alertCounts.pending > 0 ? 'pending' : 'inactive'
          return { ...shown, state, alertCounts, lastSamples: alertCounts.pending + alertCounts.firing }
        }),
      }))
    },
  }
}

const HIDDEN_ERROR = 'the rule could not be evaluated; the reason is shown to roles over all clusters'

/** In the place of an alert outside the scope that inhibits one within. */
const OUTSIDE = 'outside-your-scope'
const INHIBITED = /^inhibited_by: (\w+)$/

function scopedPipeline(
  pipeline: PipelineView,
  alerts: () => ReturnType<ApiPeople['alerts']>,
  isIn: (alert: { readonly labels: Labels }) => boolean,
): PipelineView {
  return {
    marksOf: (alert, nowMs) => {
      const marks = pipeline.marksOf(alert, nowMs)
      const isInhibited = marks.inhibitedBy.length > 0 || marks.decisions.some(({ reason }) => INHIBITED.test(reason))
      if (!isInhibited) return marks
      const known = new Set(alerts().map(({ fingerprint }) => fingerprint))
      const shown = (fingerprint: string): string => (known.has(fingerprint) ? fingerprint : OUTSIDE)
      return {
        ...marks,
        inhibitedBy: [...new Set(marks.inhibitedBy.map(shown))],
        decisions: marks.decisions.map(({ reason, ...decision }) => {
          return { ...decision, reason: reason.replace(INHIBITED, (_, by: string) => `inhibited_by: ${shown(by)}`) }
        }),
      }
    },
    hasSeen: (fingerprint) => pipeline.hasSeen(fingerprint),
    groups: (nowMs) =>
      pipeline.groups(nowMs).flatMap((group) => {
        const shown = group.alerts.filter(isIn)
        return shown.length === 0 ? [] : [{ ...group, alerts: shown }]
      }),
    // Names of receivers are those of teams: the ones that alerts of the scope go to.
    receivers: () => {
      const used = new Set(alerts().flatMap((alert) => pipeline.marksOf(alert, alert.lastHeldAtMs).receivers))
      return pipeline.receivers().filter((name) => used.has(name))
    },
    // Routes of the configuration name clusters and receivers of others.
    configText: () => NO_CONFIG,
  }
}

/** A silence is of the scope when a matcher limits it to clusters of the scope. */
function scopedSilences(silences: Silences, scope: ClusterScope): Silences {
  const isWithin = (matchers: readonly Matcher[]): boolean =>
    pinnedClusters(matchers)?.every((cluster) => scope.includes(cluster)) === true
  const get: Silences['get'] = async (id) => {
    const silence = await silences.get(id)
    return silence !== undefined && isWithin(silence.matchers) ? silence : undefined
  }
  return {
    ...silences,
    get,
    all: () => [...silences.all()].filter(({ matchers }) => isWithin(matchers)),
    set: async (wish, by, nowMs) => {
      if (wish.id !== undefined && (await get(wish.id)) === undefined) return { kind: 'not_found' }
      if (isWithin(wish.matchers)) return silences.set(wish, by, nowMs)
      const pinned = pinnedClusters(wish.matchers)
      const got =
        pinned === undefined ? 'no matcher that limits the silence to clusters' : `clusters ${pinned.join(', ')}`
      throw forbidden(scope, got, 'cluster="NAME" or cluster=~"NAME|NAME" of your clusters')
    },
    expire: async (id, by, nowMs) => ((await get(id)) === undefined ? undefined : silences.expire(id, by, nowMs)),
  }
}

function scopedDecommissions(decommissions: Decommissions, scope: ClusterScope): Decommissions {
  const isIncluded = (cluster: string): boolean => scope.includes(cluster)
  return {
    ...decommissions,
    all: () => decommissions.all().filter(({ cluster }) => isIncluded(cluster)),
    // The route names clusters as the fleet of the scope has them.
    declare: (wishes, reason, by, nowMs) => {
      const outside = wishes.find(({ cluster }) => !isIncluded(cluster))
      if (outside === undefined) return decommissions.declare(wishes, reason, by, nowMs)
      return Promise.reject(forbidden(scope, `cluster ${JSON.stringify(outside.cluster)}`, 'one of your clusters'))
    },
    withdraw: (id, by, nowMs) => decommissions.withdraw(id, by, nowMs, isIncluded),
  }
}

/** An acceptance over clusters of several scopes is shown, and withdrawn, for the clusters of this one. */
function scopedAcceptances(acceptances: Acceptances, scope: ClusterScope): Acceptances {
  const isIncluded = (cluster: string): boolean => scope.includes(cluster)
  return {
    ...acceptances,
    all: () => acceptances.all().filter(({ cluster }) => isIncluded(cluster)),
    accept: (wish, by, nowMs) => {
      const outside = wish.clusters.find((cluster) => !isIncluded(cluster))
      if (outside === undefined) return acceptances.accept(wish, by, nowMs)
      return Promise.reject(forbidden(scope, `cluster ${JSON.stringify(outside)}`, 'clusters of your own'))
    },
    withdraw: (id, by, nowMs) => acceptances.withdraw(id, by, nowMs, isIncluded),
  }
}

/** An erasure that has ended has no names: it is shown, and its data allowed again, by roles over all clusters. */
function scopedErasures(erasures: Erasures, scope: ClusterScope): Erasures {
  return {
    ...erasures,
    list: async () =>
      (await erasures.list()).filter(({ names }) => names?.every((name) => scope.includes(name)) === true),
    refused: (names) => erasures.refused(names.filter((name) => scope.includes(name))),
    begin: async (cluster, by, nowMs) => (scope.includes(cluster) ? erasures.begin(cluster, by, nowMs) : undefined),
    allow: () => Promise.resolve(undefined),
  }
}
