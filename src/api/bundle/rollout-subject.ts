import { NOTHING, opaque, type BundleFact, type BundleSubject } from '../../bundle/content.ts'
import { FleetError } from '../../base/errors.ts'
import type { RolloutQuery } from '../../fleet/verdicts/cohorts.ts'
import type { RolloutDetail } from '../../fleet/verdicts/rollouts.ts'
import type { RolloutPolicy } from '../../model/rollout-verdict.ts'
import { timeOf } from '../fleet/items.ts'
import { policyItem, rolloutDetailItem } from '../fleet/rollout-items.ts'
import { alertParts } from './content-parts.ts'
import { panelQueries } from './panel-queries.ts'
import { MARGIN_MS, type SubjectDeps, type SubjectPorts } from './subject-ports.ts'

/** Clusters of the canary whose alerts and panels are read, those counted last first. */
const CLUSTERS_MAX = 20

/** The verdict on a version with its policy, and the data of the clusters of the canary. Rejects with `not_found`. */
export async function rolloutSubject(
  ports: SubjectPorts,
  deps: SubjectDeps,
  asked: RolloutQuery,
): Promise<BundleSubject> {
  const { nowMs, externalUrl, catalog, language } = deps
  const { policy, rollout } = await ports.fleet({ nowMs }).rollout(asked)
  const { operator, version, firstMs } = rollout
  const counted = rollout.verdict.signals
    .flatMap((signal) => signal.counted)
    .toSorted((a, b) => b.startedMs - a.startedMs)
  const clusters = [...new Set(counted.map(({ cluster }) => cluster))]
  if (firstMs === undefined) {
    throw new FleetError('not_found', `no cluster upgraded to ${JSON.stringify(version)} of ${operator}`)
  }
  const read = clusters.slice(0, CLUSTERS_MAX)
  const window = { fromMs: firstMs - MARGIN_MS, toMs: nowMs }
  const parts = await alertParts(ports, deps, { clusters: read, window })
  const path = encodeURIComponent(version)
  return {
    ...NOTHING,
    kind: 'rollout',
    id: `${operator} ${version}`,
    title: `Rollout of ${operator} ${version}: ${rollout.verdict.decision.replaceAll('_', ' ')}`,
    ...{ clusters, window, asOfMs: nowMs },
    record: opaque({ policy: policyItem(policy), rollout: rolloutDetailItem(rollout) }),
    facts: factsOf(rollout, policy),
    queries: panelQueries(catalog, read, window, language),
    ...parts,
    requests: [
      { title: 'Page of the rollout', url: `${externalUrl}/fleet/rollouts/${path}?operator=${operator}` },
      { title: 'Record', url: `${externalUrl}/api/fleet/v1/rollouts/${path}?operator=${operator}` },
    ],
  }
}

function factsOf({ operator, version, verdict, firstMs, clusters, leftOut }: RolloutDetail, policy: RolloutPolicy) {
  const { decision, reason, canary, baseline, signals, canariesNeeded } = verdict
  const facts: readonly (readonly [string, string | number | undefined])[] = [
    ['Operator', operator],
    ['Version', version],
    ['Verdict', decision.replaceAll('_', ' ')],
    ['Reason', reason],
    ['First upgrade', timeOf(firstMs) ?? 'unknown'],
    ['Clusters', clusters],
    ['Upgrades in no group', leftOut],
    ['Failed in the canary', `${canary.count} of ${canary.of}`],
    ['Failed in the baseline', `${baseline.count} of ${baseline.of}`],
    ['Upgrades needed', canariesNeeded],
    ['Error rate', policy.alpha],
    ...signals.map(({ signal, state, canary: a, baseline: b, factor, needed }): [string, string] => [
      `Signal ${signal.replaceAll('_', ' ')}`,
      `${state}: canary ${a.count} of ${a.of}, baseline ${b.count} of ${b.of}; evidence ${factor.toPrecision(3)} of ${needed.toPrecision(3)}`,
    ]),
  ]
  return facts.flatMap(([name, value]): readonly BundleFact[] =>
    value === undefined ? [] : [{ name, value: String(value) }],
  )
}
