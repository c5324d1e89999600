import { Type, type Static } from 'typebox'
import { ROLLOUT_DECISIONS, ROLLOUT_SIGNALS, ROLLOUT_STRATA } from '../model/rollout-verdict.ts'
import { UPGRADE_OPERATORS } from '../model/upgrade.ts'
import { FleetCoverage, MOMENT_PARAMS, orNull, PAST_FIELD, Time, wordOf, type Shape } from './common.ts'

/** `/api/fleet/v1/rollouts`: whether the other clusters may follow those that upgraded to a version. */

const Count = { count: Type.Integer(), of: Type.Integer() } as const
const CountItem = Type.Object(Count)

/** Failed upgrades of those whose horizon has passed. The bounds hold at every look at once. */
const FailureShareItem = Type.Object({ ...Count, low: Type.Number(), high: Type.Number() })

/** How many times as high the canary's is. A `null` bound is open; `value` is `null` where it has no bound: none of the others. */
const RatioItem = Type.Object({
  value: orNull(Type.Number()),
  low: orNull(Type.Number()),
  high: orNull(Type.Number()),
})

const SignalItem = Type.Object({
  signal: wordOf(ROLLOUT_SIGNALS),
  state: wordOf(
    ['worse', 'open', 'none'],
    '`worse`: it is proved that the canary is worse. `open`: it is not. `none`: there is nothing to compare.',
  ),
  /** For `none`. */
  reason: orNull(Type.String()),
  /** Evidence for `worse`: the largest of any look, as a factor. It is proved from `needed` on. */
  factor: Type.Number(),
  needed: Type.Number(),
  /** When it was proved. */
  since: orNull(Time),
  /** Failures, slow upgrades, or clusters with more alerts or modifications than before; of those that are compared. */
  canary: CountItem,
  baseline: CountItem,
  /** 95 % for one look, beside the evidence; `null`: cannot be estimated. */
  effect: orNull(
    Type.Object({
      measure: wordOf(
        ['odds_ratio', 'time_ratio'],
        '`odds_ratio`: of Mantel and Haenszel over the strata. `time_ratio`: of Hodges and Lehmann, of durations.',
      ),
      ...RatioItem.properties,
    }),
  ),
  strata: Type.Array(Type.Object({ stratum: Type.String(), canary: CountItem, baseline: CountItem })),
  /** Of the canary's `count`, the newest first, at most 100. `upgrade` is `null` where the cluster is counted. */
  counted: Type.Array(Type.Object({ cluster: Type.String(), startedAt: Time, upgrade: orNull(Type.String()) })),
})
export type SignalItem = Shape<typeof SignalItem>

export const RolloutItem = Type.Object({
  operator: wordOf(UPGRADE_OPERATORS),
  version: Type.String(),
  decision: wordOf(
    ROLLOUT_DECISIONS,
    '`proceed`: the share of failures is below the accepted one, and no signal is worse. `hold`: a signal is worse. ' +
      '`insufficient`: neither is proved. `not_comparable`: there is nothing to compare.',
  ),
  reason: orNull(Type.String()),
  /** The first canary upgrade. */
  firstAt: orNull(Time),
  /** Clusters of the canary. */
  clusters: Type.Integer(),
  /** Upgrades in no group: superseded, or their end is not known. */
  leftOut: Type.Integer(),
  canary: FailureShareItem,
  baseline: FailureShareItem,
  /** The accepted share of failures: the lower bound of the baseline's and the margin. */
  accepted: Type.Number(),
  /** For `insufficient`: how many more canary upgrades are needed, and the days that takes at the present rate. */
  canariesNeeded: orNull(Type.Integer()),
  daysNeeded: orNull(Type.Number()),
  signals: Type.Array(SignalItem),
})
export type RolloutItem = Shape<typeof RolloutItem>

const PhaseSideItem = Type.Object({
  runs: Type.Integer(),
  /** Of these, not finished: they count as longer than observed. */
  censored: Type.Integer(),
  /** `null`: fewer than half finished. */
  medianSeconds: orNull(Type.Number()),
})

const PhaseChangeItem = Type.Object({
  phase: Type.String({ description: '`upgrade`: from its start to its end.' }),
  canary: PhaseSideItem,
  baseline: PhaseSideItem,
  /** Strata that have both groups. */
  strata: Type.Integer(),
  /** Of durations; the intervals of all phases together hold with 95 %, for one look. `null`: too few to compare. */
  ratio: orNull(RatioItem),
  change: wordOf(['slower', 'faster', 'similar', 'unknown']),
})
export type PhaseChangeItem = Shape<typeof PhaseChangeItem>

const AlertChangeItem = Type.Object({
  alertname: Type.String(),
  /** Clusters of the canary on which it fired in the window after the upgrade. */
  canary: CountItem,
  /** Other windows in which it fired: before the upgrade, and of clusters beside. */
  others: CountItem,
  /** It fired in no other window. */
  isNew: Type.Boolean(),
  /** Of rates; 95 % for each alert, at every look. */
  ratio: RatioItem,
})
export type AlertChangeItem = Shape<typeof AlertChangeItem>

/** With what changed by phase and by alert. */
export const RolloutDetailItem = Type.Object({
  ...RolloutItem.properties,
  /** The whole upgrade first, then phases in their order. */
  phases: Type.Array(PhaseChangeItem),
  /** Alerts with a higher rate after the upgrade, new ones first, at most 50. */
  alertChanges: Type.Array(AlertChangeItem),
})
export type RolloutDetailItem = Shape<typeof RolloutDetailItem>

const PolicyItem = Type.Object({
  /** The probability of a wrong `hold` over all signals and looks, and of a wrong `proceed`. */
  alpha: Type.Number(),
  /** An upgrade that has not ended after this time counts as failed. */
  horizonSeconds: Type.Integer(),
  failureMargin: Type.Number(),
  canariesMin: Type.Integer(),
  strata: Type.Array(wordOf(ROLLOUT_STRATA)),
  /** How long before and after an upgrade alerts and modifications are counted. */
  windowSeconds: Type.Integer(),
  signals: Type.Array(wordOf(ROLLOUT_SIGNALS)),
  /** No hold below: how many times as long upgrades take, and by how much the share of failures is higher. */
  slowdownMin: Type.Number(),
  failureDifferenceMin: Type.Number(),
})
export type PolicyItem = Shape<typeof PolicyItem>

const OperatorParam = Type.Optional(wordOf(UPGRADE_OPERATORS, 'HCO when absent.'))

/** `GET /api/fleet/v1/rollouts` */
export const RolloutsQuery = Type.Object({ operator: OperatorParam, ...MOMENT_PARAMS })

export const RolloutItems = Type.Object({
  asOf: Time,
  coverage: FleetCoverage,
  ...PAST_FIELD,
  policy: PolicyItem,
  /** The newest version first. */
  rollouts: Type.Array(RolloutItem),
})
export type RolloutItems = Shape<typeof RolloutItems>

/** `GET /api/fleet/v1/rollouts/:version` */
export const RolloutQuery = Type.Object({
  operator: OperatorParam,
  first: Type.Optional(
    Type.Integer({ minimum: 1, description: 'The canary: of the upgrades that match, the first so many.' }),
  ),
  cluster: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: 100,
      description: 'The canary: upgrades of these clusters, by name or alias.',
    }),
  ),
  channel: Type.Optional(Type.String({ description: 'The canary: clusters whose Subscription has this channel.' })),
  platform: Type.Optional(Type.String({ description: 'The canary: clusters on `openshift`, or `openshift 4.20`.' })),
  region: Type.Optional(Type.String({ description: 'The canary: clusters with this label `region`.' })),
  environment: Type.Optional(Type.String({ description: 'The canary: clusters with this label `environment`.' })),
  text: Type.Optional(Type.String({ description: 'The canary: clusters with this in their name or an alias.' })),
  ...MOMENT_PARAMS,
})
export type RolloutQuery = Static<typeof RolloutQuery>

export const RolloutAnswer = Type.Object({
  asOf: Time,
  coverage: FleetCoverage,
  ...PAST_FIELD,
  policy: PolicyItem,
  rollout: RolloutDetailItem,
})
export type RolloutAnswer = Shape<typeof RolloutAnswer>

/** `POST /api/fleet/v1/rollouts/:version/gate`: the request of a webhook of Flagger. */
export const GateRequest = Type.Object({
  name: Type.Optional(Type.String()),
  namespace: Type.Optional(Type.String()),
  phase: Type.Optional(Type.String()),
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description:
        '`accept`: decisions that pass, separated by commas (default `proceed`). `operator`, and the canary as in the query ' +
        'of the rollout: `first`, `channel`, `platform`, `region`, `environment`, `text`, `cluster` (separated by commas).',
    }),
  ),
})
export type GateRequest = Shape<typeof GateRequest>

/** With status 200 when the decision is accepted, and 409 otherwise. */
export const GateAnswer = Type.Object({
  isAccepted: Type.Boolean(),
  operator: wordOf(UPGRADE_OPERATORS),
  version: Type.String(),
  decision: wordOf(ROLLOUT_DECISIONS),
  reason: orNull(Type.String()),
  canariesNeeded: orNull(Type.Integer()),
  daysNeeded: orNull(Type.Number()),
})
