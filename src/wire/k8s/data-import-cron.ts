import type { DataImportCronFacts } from '../../model/object-facts.ts'
import { conditionsAt } from './conditions.ts'
import { timesOf } from './meta.ts'
import { present, textAt, textOr, timeMsAt, type ObjectValue } from './object-value.ts'

/** DataImportCron (cdi.kubevirt.io/v1beta1): keeps one golden image up to date. */
export function dataImportCronFacts(object: ObjectValue): DataImportCronFacts {
  return present<DataImportCronFacts>({
    kind: 'dataimportcrons',
    ...timesOf(object),
    managedDataSource: textOr(object, 'spec', 'managedDataSource'),
    conditions: conditionsAt(object, 'status', 'conditions'),
    lastImportMs: timeMsAt(object, 'status', 'lastImportTimestamp'),
    schedule: textAt(object, 'spec', 'schedule'),
  })
}
