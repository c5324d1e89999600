/**
 * Memory of VMs by their instance type: the common instance types of KubeVirt have a series and a size
 * (`u1.medium`), and their memory is fixed (kubevirt/common-instancetypes 1.x). Other names are unknown.
 */

/** GiB of the size `medium`: one vCPU; each size above doubles it. */
const MEDIUM_GIB: ReadonlyMap<string, number> = new Map([
  ['u1', 4],
  ['o1', 4],
  ['cx1', 2],
  ['m1', 8],
  ['gn1', 4],
])

/** `medium` has this power of two; `large` is two vCPUs. */
const POWER_OF_SIZE: ReadonlyMap<string, number> = new Map([
  ['nano', -3],
  ['micro', -2],
  ['small', -1],
  ['medium', 0],
  ['large', 1],
  ['xlarge', 2],
  ['2xlarge', 3],
  ['4xlarge', 4],
  ['8xlarge', 5],
])

/** GiB of one VM; `undefined`: not a common instance type. */
export function memoryOfInstanceType(name: string): number | undefined {
  const [series = '', size = '', ...more] = name.split('.')
  const [medium, power] = [MEDIUM_GIB.get(series), POWER_OF_SIZE.get(size)]
  return medium === undefined || power === undefined || more.length > 0 ? undefined : medium * 2 ** power
}

/** GiB of VMs by instance type; `undefined`: none, or one of them is unknown. */
export function memoryOfVms(instanceTypes: Readonly<Record<string, number>>): number | undefined {
  let sum = 0
  for (const [name, count] of Object.entries(instanceTypes)) {
    const each = memoryOfInstanceType(name)
    if (each === undefined) return undefined
    sum += each * count
  }
  return sum > 0 ? sum : undefined
}
