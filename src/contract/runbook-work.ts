import { Type } from 'typebox'
import { STEP_SECTIONS } from '../model/runbook-steps.ts'
import { CORRECTIONS, END_CAUSES, NOTE_CHARS_MAX, WORK_KINDS } from '../model/runbook-work.ts'
import { orNull, wordOf, type Shape } from './common.ts'

/** `/api/runbooks/v1/work`, `/outcomes` and `/reviews`: work on alerts, what came of it, and post-incident reviews. */

export const Recorded = Type.Object({ by: Type.String(), atMs: Type.Number() })

export const WorkStep = Type.Object({
  /** The same as long as the text of the step is. */
  key: Type.String(),
  section: wordOf(STEP_SECTIONS),
  /** Plain text, shortened, with placeholders as `<name>`. */
  text: Type.String(),
})
export type WorkStep = Shape<typeof WorkStep>

const WorkedStep = Type.Intersect([
  WorkStep,
  Type.Object({
    ticked: orNull(Recorded),
    /** It fixed the problem or, in Diagnosis, found the cause. */
    helped: orNull(Recorded),
    /** False: the runbook no longer has this step. */
    isCurrent: Type.Boolean(),
  }),
])

export const AlertEnd = Type.Object({
  cause: wordOf(END_CAUSES),
  /** A person stated it; otherwise it follows from what is recorded. */
  isStated: Type.Boolean(),
  /** Sentences, the strongest first. */
  evidence: Type.Array(Type.String()),
  /** Key of the step that ended the alert. */
  step: orNull(Type.String()),
  upgradeId: orNull(Type.String()),
})
export type AlertEnd = Shape<typeof AlertEnd>

export const WorkedRun = Type.Object({
  fingerprint: Type.String(),
  activeAtMs: Type.Number(),
  firedAtMs: Type.Number(),
  /** `null`: it is firing. */
  resolvedAtMs: orNull(Type.Number()),
  alertname: Type.String(),
  cluster: Type.String(),
  severity: Type.String(),
})

/** Work on one occurrence of an alert. */
export const WorkAnswer = Type.Object({
  asOfMs: Type.Number(),
  run: WorkedRun,
  /** `null`: the alert has no runbook, and its work has notes only. */
  runbook: orNull(Type.String()),
  /** Of the runbook as it is now. */
  revision: orNull(Type.String()),
  /** In the order of the runbook; steps of earlier revisions, where they are ticked or marked, are last. */
  steps: Type.Array(WorkedStep),
  notes: Type.Array(
    Type.Object({ number: Type.Integer(), text: Type.String(), by: Type.String(), atMs: Type.Number() }),
  ),
  /** The acknowledgement of the alert or the first entry, whichever was first. */
  acknowledged: orNull(Recorded),
  /** `null`: it is firing. */
  end: orNull(AlertEnd),
  /** Number of the newest entry; 0 without one. */
  seen: Type.Integer(),
})
export type WorkAnswer = Shape<typeof WorkAnswer>

/**
 * `POST /api/runbooks/v1/work/{fingerprint}/{activeAtMs}` (role responder): adds one entry. `seen` is that of the answer that the
 * client has read: an entry that contradicts a newer one is refused with status 409. What is recorded already is not an error.
 */
export const WorkRequest = Type.Object({
  kind: wordOf(WORK_KINDS),
  /** Of `tick`, `untick`, `helped` and `not_helped`; of `end`: the step that ended the alert. */
  step: Type.Optional(Type.String({ maxLength: 64 })),
  /** The note; of `end`: the cause, or `derived` to withdraw an earlier statement. */
  text: Type.Optional(Type.String({ maxLength: NOTE_CHARS_MAX, description: `Of end: ${CORRECTIONS.join(', ')}.` })),
  seen: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Ignored when the server requires a token. */
  by: Type.Optional(Type.String()),
})
export type WorkRequest = Shape<typeof WorkRequest>

/** Seconds; quantiles include alerts without an end as observed until now. `null`: too few times are complete. */
const Times = Type.Object({
  complete: Type.Integer(),
  of: Type.Integer(),
  p50Seconds: orNull(Type.Number()),
  p90Seconds: orNull(Type.Number()),
  /** 95 % interval of the median; `null`: open. */
  p50Low: orNull(Type.Number()),
  p50High: orNull(Type.Number()),
})
export type Times = Shape<typeof Times>

export const OutcomeSummaryItem = Type.Object({
  runs: Type.Integer(),
  firing: Type.Integer(),
  /** With recorded work. */
  worked: Type.Integer(),
  ended: Type.Object({
    fix: Type.Integer(),
    upgrade_ended: Type.Integer(),
    by_itself: Type.Integer(),
    unknown: Type.Integer(),
  }),
  /** Of those that ended: by a person's statement. */
  stated: Type.Integer(),
  acknowledge: Times,
  resolve: Times,
})
export type OutcomeSummaryItem = Shape<typeof OutcomeSummaryItem>

const StepOutcomeItem = Type.Intersect([
  WorkStep,
  Type.Object({
    isCurrent: Type.Boolean(),
    /** Occurrences with recorded work and with this step in their runbook. */
    of: Type.Integer(),
    ticked: Type.Integer(),
    helped: Type.Integer(),
    /** Share of `helped` in `ticked`, 95 %. */
    interval: orNull(Type.Object({ low: Type.Number(), high: Type.Number() })),
  }),
])
export type StepOutcomeItem = Shape<typeof StepOutcomeItem>

export const OutcomesQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 730,
      description: 'Occurrences of so many days; default 365, of the list 30.',
    }),
  ),
})

const OUTCOMES_HEAD = {
  asOfMs: Type.Number(),
  fromMs: Type.Number(),
  /** Older occurrences in the window are left out: only the newest were read. */
  isPartial: Type.Boolean(),
}

/** `GET /api/runbooks/v1/outcomes/{name}`: how the occurrences of one alert ended, by revision and by step. */
export const OutcomesAnswer = Type.Object({
  ...OUTCOMES_HEAD,
  name: Type.String(),
  summary: OutcomeSummaryItem,
  /** Newest first; `revision` null: before the first recorded one. */
  revisions: Type.Array(
    Type.Object({
      revision: orNull(Type.String()),
      fromMs: orNull(Type.Number()),
      summary: OutcomeSummaryItem,
    }),
  ),
  /** Steps that never helped are first. */
  steps: Type.Array(StepOutcomeItem),
  /** Occurrences with recorded work, newest first. */
  worked: Type.Array(Type.Object({ run: WorkedRun, end: orNull(AlertEnd), stepText: orNull(Type.String()) })),
})
export type OutcomesAnswer = Shape<typeof OutcomesAnswer>

/** `GET /api/runbooks/v1/outcomes`: all alerts with occurrences, the most frequent first. */
export const OutcomeList = Type.Object({
  ...OUTCOMES_HEAD,
  alerts: Type.Array(Type.Object({ name: Type.String(), hasRunbook: Type.Boolean(), summary: OutcomeSummaryItem })),
})
export type OutcomeList = Shape<typeof OutcomeList>

const ReviewEvent = Type.Object({
  atMs: Type.Number(),
  /** `alert`, `notification`, `acknowledgement`, `step`, `note`, `outcome`, `upgrade`. */
  kind: Type.String(),
  text: Type.String(),
  by: orNull(Type.String()),
})

/** A post-incident review of one occurrence of an alert, or of all of one upgrade. */
export const ReviewAnswer = Type.Object({
  fileName: Type.String(),
  markdown: Type.String(),
  review: Type.Object({
    title: Type.String(),
    asOfMs: Type.Number(),
    alerts: Type.Array(
      Type.Object({
        run: WorkedRun,
        summary: Type.String(),
        revision: orNull(Type.String()),
        acknowledged: orNull(Recorded),
        end: orNull(AlertEnd),
        acknowledgeSeconds: orNull(Type.Number()),
        resolveSeconds: orNull(Type.Number()),
        link: Type.String(),
      }),
    ),
    upgrades: Type.Array(
      Type.Object({
        id: Type.String(),
        cluster: Type.String(),
        operator: Type.String(),
        from: orNull(Type.String()),
        to: Type.String(),
        state: Type.String(),
        startedMs: orNull(Type.Number()),
        endedMs: orNull(Type.Number()),
        link: Type.String(),
      }),
    ),
    /** Oldest first. */
    timeline: Type.Array(ReviewEvent),
    /** What is missing, in sentences. */
    unknown: Type.Array(Type.String()),
  }),
})
export type ReviewAnswer = Shape<typeof ReviewAnswer>
