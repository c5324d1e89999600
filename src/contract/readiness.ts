import { Type } from 'typebox'
import { CLUSTER_STATES } from '../model/cluster-record.ts'
import { CALIBRATION_RESULTS, HAZARD_IDS, READINESS_VERDICTS, TARGET_OPERATORS } from '../model/readiness.ts'
import { FleetCoverage, MOMENT_PARAMS, orNull, PAGE_PARAMS, PAST_FIELD, Time, wordOf, type Shape } from './common.ts'
import { EvidenceItem } from './fleet-upgrades.ts'

/**
 * `/api/fleet/v1/readiness`: whether clusters can be upgraded to a version, the hazards that were found, and the risks that
 * users accepted. Advice: nothing is blocked.
 */

export const TargetItem = Type.Object({
  operator: wordOf(TARGET_OPERATORS),
  version: Type.String(),
  /** As the parameter `to` is written. */
  to: Type.String(),
})
export type TargetItem = Shape<typeof TargetItem>

/** A hazard, as far as it does not depend on a cluster. */
export const HazardItem = Type.Object({
  id: wordOf(HAZARD_IDS),
  title: Type.String(),
  /** The objects and metrics that it is read from. */
  signals: Type.String(),
  consequence: Type.String(),
  /** The alert whose runbook helps. */
  runbook: Type.String(),
  sources: Type.Array(Type.String()),
})
export type HazardItem = Shape<typeof HazardItem>

const ACCEPTED_FIELDS = {
  id: Type.String(),
  hazard: wordOf(HAZARD_IDS),
  reason: Type.String(),
  by: Type.String(),
  acceptedAt: Time,
  expiresAt: Time,
} as const

export const AcceptedItem = Type.Object(ACCEPTED_FIELDS)
export type AcceptedItem = Shape<typeof AcceptedItem>

/** `at` is `null` for evidence of the last report of the cluster, which has no time of its own. */
export const HazardEvidenceItem = Type.Object({ ...EvidenceItem.properties, at: orNull(Time) })

/** A hazard that a cluster has. */
export const FoundHazardItem = Type.Object({
  id: wordOf(HAZARD_IDS),
  title: Type.String(),
  verdict: wordOf(['at_risk', 'not_recommended']),
  text: Type.String(),
  /** `null`: not known. */
  since: orNull(Time),
  consequence: Type.String(),
  fix: Type.Object({ text: Type.String(), command: orNull(Type.String()) }),
  runbook: Type.String(),
  evidence: Type.Array(HazardEvidenceItem),
  /** `null`: the risk counts. */
  accepted: orNull(AcceptedItem),
})
export type FoundHazardItem = Shape<typeof FoundHazardItem>

/** A hazard that cannot be ruled out, because its signal is missing. */
export const UnknownHazardItem = Type.Object({
  id: wordOf(HAZARD_IDS),
  title: Type.String(),
  text: Type.String(),
  signals: Type.String(),
})
export type UnknownHazardItem = Shape<typeof UnknownHazardItem>

const READINESS_FIELDS = {
  verdict: wordOf(READINESS_VERDICTS),
  /** No report for a while: what is shown is as of the last report. */
  silent: Type.Boolean(),
  /** The worst first; with those that are accepted. */
  hazards: Type.Array(FoundHazardItem),
  unknown: Type.Array(UnknownHazardItem),
} as const

/** Of one cluster, for one target. */
export const ClusterReadinessItem = Type.Object({ target: TargetItem, ...READINESS_FIELDS })
export type ClusterReadinessItem = Shape<typeof ClusterReadinessItem>

export const ReadyClusterItem = Type.Object({
  cluster: Type.String(),
  /** Of HCO. */
  version: orNull(Type.String()),
  platformVersion: orNull(Type.String()),
  ...READINESS_FIELDS,
})
export type ReadyClusterItem = Shape<typeof ReadyClusterItem>

/** The filter of the clusters' list. */
const SELECTOR_PARAMS = {
  version: Type.Optional(Type.Array(Type.String(), { description: 'Of HCO: `1.17.0`, or `1.17` for all of a minor.' })),
  channel: Type.Optional(Type.String()),
  platform: Type.Optional(
    Type.String({ description: '`openshift`, `kubernetes`, or with a version: `openshift 4.20`.' }),
  ),
  flavour: Type.Optional(wordOf(['community', 'openshift'])),
  region: Type.Optional(Type.String()),
  state: Type.Optional(Type.Array(wordOf(CLUSTER_STATES), { description: 'Any of these states.' })),
  text: Type.Optional(Type.String({ description: 'Part of the name or an alias.' })),
} as const

const TO_PARAM = Type.Optional(
  Type.String({
    description:
      'The version to upgrade to: `1.20.0` or `1.20` (HCO; `4.24.0` is the same release as OpenShift Virtualization counts), or `openshift 4.20.3`. Default: the newest version of HCO in use.',
  }),
)

/** `GET /api/fleet/v1/readiness`: the candidates, by name. */
export const ReadinessQuery = Type.Object({
  to: TO_PARAM,
  verdict: Type.Optional(Type.Array(wordOf(READINESS_VERDICTS), { description: 'Any of these verdicts.' })),
  hazard: Type.Optional(wordOf(HAZARD_IDS, 'Clusters with this hazard, accepted or not.')),
  ...SELECTOR_PARAMS,
  facets: Type.Optional(Type.Boolean({ description: 'Whether to include counts by verdict, hazard and version.' })),
  ...MOMENT_PARAMS,
  ...PAGE_PARAMS,
})
export type ReadinessQuery = Shape<typeof ReadinessQuery>

const ReadinessFacets = Type.Object({
  verdicts: Type.Record(Type.String(), Type.Integer()),
  /** Clusters with the hazard, those whose risk is accepted among them, and those whose signal is missing. */
  hazards: Type.Array(
    Type.Object({
      id: wordOf(HAZARD_IDS),
      title: Type.String(),
      consequence: Type.String(),
      runbook: Type.String(),
      present: Type.Integer(),
      accepted: Type.Integer(),
      unknown: Type.Integer(),
    }),
  ),
  versions: Type.Array(Type.Object({ value: orNull(Type.String()), count: Type.Integer() })),
})
export type ReadinessFacets = Shape<typeof ReadinessFacets>

export const ReadinessItems = Type.Object({
  asOf: Time,
  coverage: FleetCoverage,
  ...PAST_FIELD,
  target: TargetItem,
  /** All known targets, the newest first: HCO, then OpenShift. */
  targets: Type.Array(TargetItem),
  /** Matching clusters, on all pages. */
  total: Type.Integer(),
  /** Clusters of the selection at the target or a newer version, and those without such an operator or platform. */
  reached: Type.Integer(),
  others: Type.Integer(),
  clusters: Type.Array(ReadyClusterItem),
  /** When requested. */
  facets: orNull(ReadinessFacets),
  nextCursor: orNull(Type.String()),
})
export type ReadinessItems = Shape<typeof ReadinessItems>

const FailedShareItem = Type.Object({
  upgrades: Type.Integer(),
  failed: Type.Integer(),
  /** 95 % interval (Wilson); `null`: no upgrade. */
  low: orNull(Type.Number()),
  high: orNull(Type.Number()),
})

/** `GET /api/fleet/v1/readiness/hazards`: all hazards, with what history shows about each. */
export const HazardItems = Type.Object({
  asOf: Time,
  hazards: Type.Array(
    Type.Object({
      ...HazardItem.properties,
      calibration: Type.Object({
        withHazard: FailedShareItem,
        withoutHazard: FailedShareItem,
        /** Share that fails with the hazard less the share without, with its 95 % interval; `null`: too few upgrades. */
        difference: orNull(Type.Object({ difference: Type.Number(), low: Type.Number(), high: Type.Number() })),
        result: wordOf(
          CALIBRATION_RESULTS,
          '`no_difference`: history does not show that upgrades with the hazard fail more often. `too_few`: fewer than ten upgrades with or without the hazard.',
        ),
      }),
    }),
  ),
})
export type HazardItems = Shape<typeof HazardItems>

/** `GET /api/fleet/v1/readiness/acceptances`: accepted risks, the newest first, with those that ended in the last 90 days. */
export const AcceptanceItem = Type.Object({
  ...ACCEPTED_FIELDS,
  state: wordOf(['in_effect', 'expired', 'withdrawn']),
  withdrawnAt: orNull(Time),
  withdrawnBy: orNull(Type.String()),
  clusters: Type.Array(Type.String()),
})
export type AcceptanceItem = Shape<typeof AcceptanceItem>

export const AcceptanceItems = Type.Object({ asOf: Time, acceptances: Type.Array(AcceptanceItem) })
export type AcceptanceItems = Shape<typeof AcceptanceItems>

/** Clusters of one acceptance. */
export const ACCEPTED_CLUSTERS_MAX = 10_000
const REASON_CHARS_MAX = 2000
/** Longer, a risk is not accepted but forgotten. */
export const ACCEPTED_DAYS_MAX = 366

/**
 * `POST /api/fleet/v1/readiness/acceptances` (role responder); answers 201. For clusters by name, or for the clusters of a
 * selection that have the hazard now. `DELETE /api/fleet/v1/readiness/acceptances/{id}` withdraws it.
 */
export const AcceptanceRequest = Type.Object({
  hazard: wordOf(HAZARD_IDS),
  clusters: Type.Optional(
    Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: ACCEPTED_CLUSTERS_MAX,
      description: 'Names or aliases; either these or `selector`.',
    }),
  ),
  selector: Type.Optional(
    Type.Object(SELECTOR_PARAMS, {
      additionalProperties: false,
      description: 'The filter of the clusters list; empty: all clusters with the hazard.',
    }),
  ),
  to: TO_PARAM,
  reason: Type.String({ minLength: 1, maxLength: REASON_CHARS_MAX, description: 'The reason.' }),
  expiresAt: Type.String({
    format: 'date-time',
    description: `When the risk counts again; at most ${ACCEPTED_DAYS_MAX} days from now.`,
  }),
  by: Type.Optional(Type.String({ description: 'The author; used only when the server requires no token.' })),
})
export type AcceptanceRequest = Shape<typeof AcceptanceRequest>
