import type { VirtualMachineInstanceFacts } from '../../model/object-facts.ts'
import { conditionsAt } from './conditions.ts'
import { timesOf } from './meta.ts'
import { annotationAt, labelAt, present, textAt, textOr, type ObjectValue } from './object-value.ts'

/** VirtualMachineInstance (kubevirt.io/v1), as far as upgrades and adoption read it. */
export function virtualMachineInstanceFacts(object: ObjectValue): VirtualMachineInstanceFacts {
  const migratable = conditionsAt(object, 'status', 'conditions').find(({ type }) => type === 'LiveMigratable')
  const named = (name: string): string | undefined =>
    annotationAt(object, `kubevirt.io/${name}`) ?? labelAt(object, `kubevirt.io/${name}`)
  const isMigratable = migratable === undefined ? undefined : migratable.status === 'True'
  return present<VirtualMachineInstanceFacts>({
    kind: 'virtualmachineinstances',
    ...timesOf(object),
    phase: textOr(object, 'status', 'phase'),
    isOutdated: labelAt(object, 'kubevirt.io/outdatedLauncherImage') !== undefined,
    launcherImage: textAt(object, 'status', 'launcherContainerImageVersion'),
    isMigratable,
    notMigratableReason: isMigratable === false ? migratable?.reason : undefined,
    evictionStrategy: textAt(object, 'spec', 'evictionStrategy'),
    instanceType: named('cluster-instancetype-name') ?? named('instancetype-name'),
    preference: named('cluster-preference-name') ?? named('preference-name'),
    nodeName: textAt(object, 'status', 'nodeName'),
  })
}
