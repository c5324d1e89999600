/**
 * Fields of HyperConverged that set the same as a field of an operand, or as a feature gate of KubeVirt:
 * `../data/superseding-fields.json`, read from the code with which HCO makes the operands. Both layouts of HyperConverged.
 */
import table from '../data/superseding-fields.json' with { type: 'json' }
import { isObject } from './pointer.ts'

export const HCO_APIS = ['hco.kubevirt.io/v1beta1', 'hco.kubevirt.io/v1'] as const
export type HcoApi = (typeof HCO_APIS)[number]

export interface SupersedingField {
  readonly component: string
  /** Of the operand, below `spec`. */
  readonly steps: readonly string[]
  /** Of HyperConverged, below `spec`; absent: this layout has no such field. */
  readonly target: Readonly<Record<HcoApi, readonly string[] | undefined>>
  /** The value for HyperConverged; `undefined`: none. */
  readonly convert: (value: unknown) => unknown
  readonly note?: string
  readonly source: string
}

interface StoredField {
  readonly component: string
  readonly path: string
  readonly v1beta1: string | null
  readonly v1: string | null
  readonly how?: string
  readonly note?: string
  readonly source: string
}

const CONVERSIONS: ReadonlyMap<string, (value: unknown) => unknown> = new Map<string, (value: unknown) => unknown>([
  // HyperConverged calls the selector of a PCI device otherwise.
  ['pci', (value: unknown) => (Array.isArray(value) ? value.map(pciDevice) : undefined)],
  // An empty object in KubeVirt, true in HyperConverged.
  ['present', (value: unknown) => isObject(value)],
  // Names with true in KubeVirt, a list in HyperConverged.
  [
    'names',
    (value: unknown) =>
      isObject(value) ? Object.entries(value).flatMap(([name, isOn]) => (isOn === true ? [name] : [])) : undefined,
  ],
])

function pciDevice(device: unknown): unknown {
  if (!isObject(device)) return device
  const entries = Object.entries(device).map(([name, value]) => [
    name === 'pciVendorSelector' ? 'pciDeviceSelector' : name,
    value,
  ])
  return Object.fromEntries(entries) as unknown
}

export const SUPERSEDING_FIELDS: readonly SupersedingField[] = (table.fields as readonly StoredField[]).map(
  ({ component, path, v1beta1, v1, how, note, source }) => ({
    ...{ component, source },
    steps: path.split('.'),
    target: { 'hco.kubevirt.io/v1beta1': v1beta1?.split('.'), 'hco.kubevirt.io/v1': v1?.split('.') },
    convert: CONVERSIONS.get(how ?? '') ?? ((value) => value),
    ...(note === undefined ? {} : { note }),
  }),
)

/** Gates of KubeVirt by name, and the gate of HyperConverged that sets each. */
export const SUPERSEDING_GATES: ReadonlyMap<string, { readonly field: string; readonly source: string }> = new Map(
  table.gates.map(({ gate, field, source }) => [gate, { field, source }]),
)

/** The value of `spec.featureGates` of HyperConverged that switches a gate on or off. */
export function hcoGate(api: HcoApi, field: string, isOn: boolean): unknown {
  if (api === 'hco.kubevirt.io/v1beta1') return { featureGates: { [field]: isOn } }
  return { featureGates: [{ name: field, state: isOn ? 'Enabled' : 'Disabled' }] }
}
