import type { ModificationItem } from '../../contract/fleet-modifications.ts'
import type { AlertItem } from '../../contract/alerts.ts'
import type { Now } from '../../contract/now.ts'
import { operatorName, stepText } from './fleet-names.ts'
import { countOf } from './format-number.ts'
import { alertsPath, clusterPath, edgePath, modificationsPath, patchesPath, upgradePath } from './paths.ts'

/** The tour of the demo: the main cases of a fleet, each linked to one that is there at the moment. Pure. */
export interface TourStep {
  /** Remembered when the step was opened; the instance behind it may be another one next time. */
  readonly key: string
  readonly title: string
  /** The instance. */
  readonly note: string
  readonly path: string
}

export const TOUR_STEPS_MAX = 6

const SKEW_ALERT = 'DaytwoVersionSkew'

/** So many edits in one burst are an automation that repeats them, and no person. */
const FIGHT_EDITS_MIN = 6
/** An edit that is older is history. */
const FIGHT_WITHIN_MS = 3600_000

/**
 * The cases that the fleet has, at most six. What the landing page lists anyway comes last.
 * @param edits out-of-band modifications @param alerts firing and pending ones
 */
export function tourSteps(
  now: Now,
  edits: readonly ModificationItem[],
  alerts: readonly Pick<AlertItem, 'alertname' | 'cluster'>[],
): readonly TourStep[] {
  const { stuck, following, silent, fallingEdges, firing } = now
  const known = stuck.items.find(({ cause }) => cause !== null && cause.cause !== 'unknown')
  const unknown = stuck.items.find(({ cause }) => cause?.cause === 'unknown')
  const fight = worstFight(edits, Date.parse(now.asOf))
  const unsafe = firing.groups.find(({ alertname }) => alertname === 'UnsupportedHCOModification')
  const skewed = new Set(alerts.filter(({ alertname }) => alertname === SKEW_ALERT).map(({ cluster }) => cluster))
  const [edge] = fallingEdges.items
  const [quiet] = silent.items
  const moving = following.items.find(({ machines }) => (machines?.outdated ?? 0) > 0)
  const steps: readonly (TourStep | undefined)[] = [
    known && {
      key: 'known',
      title: 'An upgrade stuck on a known cause',
      note: `${known.cluster}: ${known.cause!.text}`,
      path: upgradePath(known.id),
    },
    fight && {
      key: 'fight',
      title: 'An object that HCO and another client keep overwriting',
      note: `${fight.cluster}: ${countOf(fight.count, 'edit')} of ${operatorName(fight.component)} reverted`,
      path: modificationsPath({ cluster: fight.cluster }),
    },
    edge && {
      key: 'path',
      title: 'A regressing upgrade path',
      note: `${stepText(edge)}: ${edge.lately.succeeded} of ${edge.lately.of} succeeded in the last two weeks`,
      path: edgePath(edge.operator, edge.from, edge.to),
    },
    unsafe && {
      key: 'unsafe',
      title: 'JSON patches that an upgrade may break',
      note: countOf(unsafe.clusters, 'cluster'),
      path: patchesPath(),
    },
    unknown && {
      key: 'unknown',
      title: 'An upgrade stuck without a known cause',
      note: `${unknown.cluster}: ${stepText(unknown)}`,
      path: upgradePath(unknown.id),
    },
    skewed.size === 0
      ? undefined
      : {
          key: 'skew',
          title: 'OpenShift and OpenShift Virtualization of different minor versions',
          note: countOf(skewed.size, 'cluster'),
          path: alertsPath({ alertname: SKEW_ALERT }),
        },
    moving && {
      key: 'workloads',
      title: 'A workload update with VMs remaining',
      note: `${moving.cluster}: ${countOf(moving.machines!.outdated, 'VM')} remaining`,
      path: upgradePath(moving.id),
    },
    quiet && {
      key: 'silent',
      title: 'A silent cluster',
      note: quiet.cluster,
      path: clusterPath(quiet.cluster),
    },
  ]
  return steps.filter((step) => step !== undefined).slice(0, TOUR_STEPS_MAX)
}

function worstFight(edits: readonly ModificationItem[], nowMs: number): ModificationItem | undefined {
  return edits
    .filter(({ count, endedAt }) => {
      return count >= FIGHT_EDITS_MIN && (endedAt === null || Date.parse(endedAt) > nowMs - FIGHT_WITHIN_MS)
    })
    .sort((a, b) => b.count - a.count)[0]
}

/** What a reader has done with the tour. */
export interface TourProgress {
  readonly isDismissed: boolean
  /** Keys of steps that were opened. */
  readonly opened: readonly string[]
}

/** @param kept anything that was stored */
export function readTourProgress(kept: unknown): TourProgress {
  const { isDismissed, opened } = (kept ?? {}) as Partial<Record<keyof TourProgress, unknown>>
  return {
    isDismissed: isDismissed === true,
    opened: Array.isArray(opened) ? opened.filter((key): key is string => typeof key === 'string') : [],
  }
}
