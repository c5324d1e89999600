import type { DataImportCronFacts } from '../../../src/model/object-facts.ts'
import { GOLDEN_IMAGES } from '../../scenarios/golden-images.ts'
import type { ClusterHistory } from '../cluster-history.ts'
import { uidOf } from '../uid.ts'
import type { SimObject } from './sim-object.ts'

/** Golden images: fetched anew after each upgrade that brought other ones. */
export function imageObjects(history: ClusterHistory): readonly SimObject[] {
  const importsMs = history.upgrades.map(({ endMs }) => endMs + 600_000).filter((ms) => ms < Infinity)
  return GOLDEN_IMAGES.map(({ cron, dataSource }): SimObject => ({
    uid: uidOf(history.profile.seed, 'image', cron),
    name: cron,
    namespace: 'kubevirt-os-images',
    createdMs: history.installedMs,
    goneMs: Infinity,
    momentsMs: importsMs,
    factsAt(timeMs): DataImportCronFacts {
      const lastImportMs = importsMs.findLast((ms) => ms <= timeMs) ?? history.installedMs + 600_000
      return {
        kind: 'dataimportcrons',
        createdMs: history.installedMs,
        managedDataSource: dataSource,
        conditions: [
          { type: 'UpToDate', status: 'True', reason: 'UpToDate', message: '', lastTransitionMs: lastImportMs },
        ],
        lastImportMs,
        schedule: '0 0/12 * * *',
      }
    },
  }))
}
