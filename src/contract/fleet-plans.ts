import { Type } from 'typebox'
import { CLUSTER_STATES } from '../model/cluster-record.ts'
import { BLOCKER_SEVERITIES, PLAN_OUTCOMES, STEP_KINDS, STEP_STATES, WINDOW_SOURCES } from '../model/plan.ts'
import { FleetCoverage, orNull, Time, wordOf, type Shape } from './common.ts'

/** Plans of upgrades: computed for a request, and not stored. */

export const PLAN_LIMIT_DEFAULT = 100
export const PLAN_LIMIT_MAX = 500
export const PLAN_NAMES_MAX = 1000
export const CLUSTERS_AT_ONCE_DEFAULT = 5
export const PLAN_WINDOWS_MAX = 20

const texts = (maxItems: number) => Type.Optional(Type.Array(Type.String({ maxLength: 253 }), { maxItems }))
const text = () => Type.Optional(Type.String({ maxLength: 253 }))

/** The filter of `GET /api/fleet/v1/clusters`, and names. */
export const PlanSelector = Type.Object(
  {
    version: texts(100),
    channel: text(),
    platform: text(),
    flavour: Type.Optional(wordOf(['community', 'openshift'])),
    region: text(),
    state: Type.Optional(Type.Array(wordOf(CLUSTER_STATES), { maxItems: CLUSTER_STATES.length })),
    text: text(),
    /** Only these, by name or alias. */
    cluster: texts(PLAN_NAMES_MAX),
  },
  { additionalProperties: false },
)
export type PlanSelector = Shape<typeof PlanSelector>

export const PLAN_EXPORTS = ['markdown', 'ics'] as const

/** `POST /api/fleet/v1/plans`. */
export const PlanRequest = Type.Object(
  {
    target: Type.String({
      maxLength: 40,
      description: 'A minor such as `4.18` or `1.14`, a version of HCO such as `1.14.2`, or `openshift 4.18.3`.',
    }),
    selector: Type.Optional(PlanSelector),
    clustersAtOnce: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_000, default: CLUSTERS_AT_ONCE_DEFAULT, description: 'Size of a wave.' }),
    ),
    windows: Type.Optional(
      Type.Array(Type.String({ maxLength: 60 }), {
        maxItems: PLAN_WINDOWS_MAX,
        description: 'Maintenance windows such as `Sat 22:00-06:00` or `daily 01:00-05:00`; empty: any time.',
      }),
    ),
    timeZone: Type.Optional(
      Type.String({ maxLength: 64, default: 'UTC', description: 'IANA time zone of the windows.' }),
    ),
    start: Type.Optional(Type.String({ format: 'date-time', description: 'The earliest start; default: now.' })),
    limit: Type.Optional(
      Type.Integer({
        ...{ minimum: 1, maximum: PLAN_LIMIT_MAX, default: PLAN_LIMIT_DEFAULT },
        description: 'Clusters to return with their steps. Outcomes and schedule are of all.',
      }),
    ),
    export: Type.Optional(wordOf(PLAN_EXPORTS, 'Also returns the plan as a file.')),
  },
  { additionalProperties: false },
)
export type PlanRequest = Shape<typeof PlanRequest>

const Seconds = orNull(Type.Number())

const PlanWindow = Type.Object({
  source: wordOf(
    WINDOW_SOURCES,
    '`upgrades`, `workload_updates`: measured. `assumed`: from limits of live migration and an assumed time per migration. ' +
      '`none`: commands and approvals are not counted. `unknown`: too little was measured.',
  ),
  /** `null`: not counted, unknown, or longer than all that was observed. */
  p50Seconds: Seconds,
  p90Seconds: Seconds,
  /** Runs of the estimate, and those of them without an end. */
  runs: Type.Integer(),
  censored: Type.Integer(),
  learnedFrom: orNull(wordOf(['edge', 'minor', 'fleet'])),
  basis: Type.String(),
})

export const PlanStepItem = Type.Object({
  kind: wordOf(STEP_KINDS),
  title: Type.String(),
  state: wordOf(STEP_STATES, '`done`: observed. `unknown`: no data source reports it.'),
  from: orNull(Type.String()),
  to: orNull(Type.String()),
  precondition: Type.String(),
  commands: Type.Array(Type.String()),
  check: Type.Object({ command: Type.String(), expected: Type.String() }),
  onFailure: Type.String(),
  window: PlanWindow,
})
export type PlanStepItem = Shape<typeof PlanStepItem>

export const PlanBlockerItem = Type.Object({
  name: Type.String(),
  severity: wordOf(BLOCKER_SEVERITIES),
  text: Type.String(),
  fix: Type.String(),
  command: orNull(Type.String()),
})
export type PlanBlockerItem = Shape<typeof PlanBlockerItem>

export const ClusterPlanItem = Type.Object({
  cluster: Type.String(),
  outcome: wordOf(
    PLAN_OUTCOMES,
    '`path`: steps to the target. `finish`: the target is installed, and steps of an earlier plan are left. `at_target`: ' +
      'nothing is left. `target_older`, `no_path`, `unknown`: no plan; `summary` has the reason.',
  ),
  summary: Type.String(),
  installed: orNull(Type.String()),
  platform: orNull(Type.String()),
  nodes: orNull(Type.Integer()),
  vms: orNull(Type.Integer()),
  /** Blocking ones first. */
  blockers: Type.Array(PlanBlockerItem),
  steps: Type.Array(PlanStepItem),
  /** Of all steps that are not done, one after the other. With `unknownSteps` it is a lower bound. */
  total: Type.Object({ p50Seconds: Seconds, p90Seconds: Seconds, unknownSteps: Type.Integer() }),
})
export type ClusterPlanItem = Shape<typeof ClusterPlanItem>

export const PlanWaveItem = Type.Object({
  clusters: Type.Array(Type.String()),
  /** `null`: not within two years. */
  startP50At: orNull(Time),
  startP90At: orNull(Time),
  endP50At: orNull(Time),
  endP90At: orNull(Time),
})
export type PlanWaveItem = Shape<typeof PlanWaveItem>

export const PlanScheduleItem = Type.Object({
  startAt: Time,
  clustersAtOnce: Type.Integer(),
  windows: Type.Array(Type.String()),
  timeZone: Type.String(),
  waves: Type.Array(PlanWaveItem),
  endP50At: orNull(Time),
  endP90At: orNull(Time),
  /** Steps of unknown duration: the end is a lower bound. */
  unknownSteps: Type.Integer(),
  /** Steps whose p90 is longer than each window: they run on after its end. */
  overlongSteps: Type.Integer(),
  /** Draws of the simulation. */
  draws: Type.Integer(),
})
export type PlanScheduleItem = Shape<typeof PlanScheduleItem>

export const PlanAnswer = Type.Object({
  asOf: Time,
  coverage: FleetCoverage,
  target: Type.String(),
  /** Clusters that match the selector. */
  selected: Type.Integer(),
  /** Clusters by outcome. */
  outcomes: Type.Record(Type.String(), Type.Integer()),
  /** Clusters with a blocking hazard. */
  blocked: Type.Integer(),
  /** In the order of the waves, then those without steps. */
  clusters: Type.Array(ClusterPlanItem),
  schedule: PlanScheduleItem,
  /** The requested file. */
  export: orNull(Type.Object({ fileName: Type.String(), mediaType: Type.String(), text: Type.String() })),
})
export type PlanAnswer = Shape<typeof PlanAnswer>
