import type { CsvFacts } from '../../model/object-facts.ts'
import { timesOf } from './meta.ts'
import {
  annotationAt,
  labelAt,
  listAt,
  present,
  textAt,
  textOr,
  textsAt,
  timeMsAt,
  type ObjectValue,
} from './object-value.ts'

/** OLM's own limit for the conditions of a CSV. */
const HISTORY_MAX = 20

/** OLM copies the CSV of an operator for all namespaces into each of them; copies are ignored. */
export function isCopiedCsv(object: ObjectValue): boolean {
  return labelAt(object, 'olm.copiedFrom') !== undefined || textAt(object, 'status', 'reason') === 'Copied'
}

export function csvFacts(object: ObjectValue): CsvFacts {
  return present<CsvFacts>({
    kind: 'clusterserviceversions',
    ...timesOf(object),
    version: textOr(object, 'spec', 'version'),
    replaces: textAt(object, 'spec', 'replaces'),
    skips: textsAt(object, 'spec', 'skips') ?? [],
    skipRange: annotationAt(object, 'olm.skipRange'),
    phase: textOr(object, 'status', 'phase'),
    reason: textOr(object, 'status', 'reason'),
    message: textOr(object, 'status', 'message'),
    lastTransitionMs: timeMsAt(object, 'status', 'lastTransitionTime'),
    history: (listAt(object, 'status', 'conditions') ?? []).slice(-HISTORY_MAX).map((item) =>
      present<CsvFacts['history'][number]>({
        phase: textOr(item, 'phase'),
        reason: textOr(item, 'reason'),
        message: textOr(item, 'message'),
        lastTransitionMs: timeMsAt(item, 'lastTransitionTime'),
        lastUpdateMs: timeMsAt(item, 'lastUpdateTime'),
      }),
    ),
  })
}
