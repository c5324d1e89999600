import type {
  CatalogSourceFacts,
  InstallPlanFacts,
  OperatorConditionFacts,
  OperatorGroupFacts,
  SubscriptionFacts,
} from '../../model/object-facts.ts'
import { conditionsAt } from './conditions.ts'
import { timesOf } from './meta.ts'
import { booleanAt, listAt, present, textAt, textOr, textsAt, timeMsAt, type ObjectValue } from './object-value.ts'

/** What OLM has beside CSVs: operators.coreos.com v1alpha1, v1 and v2. */

export function subscriptionFacts(object: ObjectValue): SubscriptionFacts {
  return present<SubscriptionFacts>({
    kind: 'subscriptions',
    ...timesOf(object),
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
  return present<InstallPlanFacts>({
    kind: 'installplans',
    ...timesOf(object),
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
  return present<OperatorConditionFacts>({
    kind: 'operatorconditions',
    ...timesOf(object),
    conditions: conditionsAt(object, isInSpec ? 'spec' : 'status', 'conditions'),
    overrides: conditionsAt(object, 'spec', 'overrides'),
  })
}

export function catalogSourceFacts(object: ObjectValue): CatalogSourceFacts {
  return present<CatalogSourceFacts>({
    kind: 'catalogsources',
    ...timesOf(object),
    connectionState: textOr(object, 'status', 'connectionState', 'lastObservedState'),
  })
}

export function operatorGroupFacts(object: ObjectValue): OperatorGroupFacts {
  return present<OperatorGroupFacts>({
    kind: 'operatorgroups',
    ...timesOf(object),
    upgradeStrategy: textAt(object, 'spec', 'upgradeStrategy') ?? 'Default',
  })
}
