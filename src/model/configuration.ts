/** What configurations are compared with, and the verdicts on machine types and migrations. */

/** The cluster with whose configuration all others are compared, as a user chose it. */
export interface ConfigurationBaseline {
  readonly cluster: string
  readonly by: string
  readonly chosenMs: number
}

/** The baseline cluster, or what more than half of the clusters have. */
export const REFERENCE_KINDS = ['baseline', 'majority'] as const
export type ReferenceKind = (typeof REFERENCE_KINDS)[number]

/**
 * Whether VMs that the newer launcher runs can go back to the older one. `hazard`: QEMU differs in its minor, so a VM whose
 * machine type came with the newer one, or an alias (`q35`), cannot. `none`: the same QEMU.
 */
export const BACKWARD_VERDICTS = ['none', 'hazard', 'unknown'] as const
export type BackwardVerdict = (typeof BACKWARD_VERDICTS)[number]

/**
 * `alias`: `q35`, which a newer QEMU resolves to a newer type. `foreign`: of another build of QEMU, which Enterprise Linux
 * does not have. `unknown`: no source tells.
 */
export const MACHINE_TYPE_STATES = ['current', 'deprecated', 'removed', 'alias', 'foreign', 'unknown'] as const
export type MachineTypeState = (typeof MACHINE_TYPE_STATES)[number]
