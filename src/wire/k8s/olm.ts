import type {
  CatalogSourceFacts,
  CsvFacts,
  InstallPlanFacts,
  OperatorConditionFacts,
  OperatorGroupFacts,
  SubscriptionFacts,
} from '../../model/object-facts.ts'
import { conditionsAt, factsOf } from './facts-of.ts'
import {
  annotationAt,
  booleanAt,
  labelAt,
  listAt,
  present,
  textAt,
  textOr,
  textsAt,
  timeMsAt,
  type ObjectValue,
} from './object-value.ts'

/** What OLM has beside CSVs: operators.coreos.com v1alpha1, v1 and v2. */

export function subscriptionFacts(object: ObjectValue): SubscriptionFacts {
  return factsOf<SubscriptionFacts>('subscriptions', object, {
    package: textOr(object, 'spec', 'name'),
    channel: textOr(object, 'spec', 'channel'),
    source: textOr(object, 'spec', 'source'),
    approval: textAt(object, 'spec', 'installPlanApproval') ?? 'Automatic',
    state: textOr(object, 'status', 'state'),
    installedCsv: textAt(object, 'status', 'installedCSV'),
    currentCsv: textAt(object, 'status', 'currentCSV'),
    installPlan: textAt(object, 'status', 'installPlanRef', 'name') ?? textAt(object, 'status', 'installplan', 'name'),
    lastUpdatedMs: timeMsAt(object, 'status', 'lastUpdated'),
    conditions: conditionsAt(object, 'status', 'conditions'),
  })
}

export function installPlanFacts(object: ObjectValue): InstallPlanFacts {
  return factsOf<InstallPlanFacts>('installplans', object, {
    approval: textOr(object, 'spec', 'approval'),
    isApproved: booleanAt(object, 'spec', 'approved') ?? false,
    csvNames: textsAt(object, 'spec', 'clusterServiceVersionNames') ?? [],
    phase: textOr(object, 'status', 'phase'),
    startMs: timeMsAt(object, 'status', 'startTime'),
    conditions: conditionsAt(object, 'status', 'conditions'),
    message: textAt(object, 'status', 'message'),
  })
}

/** The operator's conditions are in `spec` in v2, and in `status` in v1. */
export function operatorConditionFacts(object: ObjectValue): OperatorConditionFacts {
  const isInSpec = listAt(object, 'spec', 'conditions') !== undefined
  return factsOf<OperatorConditionFacts>('operatorconditions', object, {
    conditions: conditionsAt(object, isInSpec ? 'spec' : 'status', 'conditions'),
    overrides: conditionsAt(object, 'spec', 'overrides'),
  })
}

export function catalogSourceFacts(object: ObjectValue): CatalogSourceFacts {
  return factsOf<CatalogSourceFacts>('catalogsources', object, {
    connectionState: textOr(object, 'status', 'connectionState', 'lastObservedState'),
  })
}

export function operatorGroupFacts(object: ObjectValue): OperatorGroupFacts {
  return factsOf<OperatorGroupFacts>('operatorgroups', object, {
    upgradeStrategy: textAt(object, 'spec', 'upgradeStrategy') ?? 'Default',
  })
}

/** OLM's own limit for the conditions of a CSV. */
const HISTORY_MAX = 20

/** OLM copies the CSV of an operator for all namespaces into each of them; copies are ignored. */
export function isCopiedCsv(object: ObjectValue): boolean {
  return labelAt(object, 'olm.copiedFrom') !== undefined || textAt(object, 'status', 'reason') === 'Copied'
}

export function csvFacts(object: ObjectValue): CsvFacts {
  return factsOf<CsvFacts>('clusterserviceversions', object, {
    version: textOr(object, 'spec', 'version'),
    replaces: textAt(object, 'spec', 'replaces'),
    skips: textsAt(object, 'spec', 'skips') ?? [],
    skipRange: annotationAt(object, 'olm.skipRange'),
    maxOpenShiftVersion: maxOpenShiftVersionOf(annotationAt(object, 'olm.properties')),
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

/** Bundles have a dozen properties; a longer text is none of OLM's. */
const PROPERTIES_CHARS_MAX = 20_000

/** The property `olm.maxOpenShiftVersion`, whose value is a text or, in old bundles, a number. */
function maxOpenShiftVersionOf(properties: string | undefined): string | undefined {
  if (properties === undefined || properties.length > PROPERTIES_CHARS_MAX) return undefined
  let parsed: unknown
  try {
    parsed = JSON.parse(properties)
  } catch {
    return undefined
  }
  for (const one of Array.isArray(parsed) ? (parsed as readonly unknown[]) : []) {
    const { type, value } = (one ?? {}) as { readonly type?: unknown; readonly value?: unknown }
    const text = typeof value === 'number' ? String(value) : value
    if (type === 'olm.maxOpenShiftVersion' && typeof text === 'string' && /^\d+\.\d+/.test(text))
      return text.slice(0, 20)
  }
  return undefined
}
