/**
 * The values of a page's placeholders: from the alert's labels, then from the cluster's inventory, then computed from
 * those. Each value has its source, so that a reader can verify it.
 */
import type { Alert } from '../model/alert.ts'
import { clusterOf } from '../model/cluster-identity.ts'
import { PLACEHOLDERS, type PlaceholderName } from './placeholder.ts'
import { whyNotBindable } from '../base/quoting.ts'

/** The fields of an alert that fill a page. */
type BoundAlert = Pick<Alert, 'labels' | 'activeAtMs'> & Partial<Pick<Alert, 'value'>>

/** Data about a cluster besides its alerts. Absent means unknown, never "none". */
export interface ClusterInventory {
  /** The cluster key. */
  readonly cluster: string
  /** Namespace of the operator. */
  readonly namespace?: string
  readonly hcoVersion?: string
  readonly kubevirtVersion?: string
  /** Of the subscription. */
  readonly channel?: string
  /** Of the subscription: `Automatic` or `Manual`. */
  readonly approval?: string
}

export interface PageContext {
  readonly alert?: BoundAlert | undefined
  readonly inventory?: ClusterInventory | undefined
  /** The page without an alert: no placeholder is filled. */
  readonly isPlain?: boolean | undefined
}

export interface PageValue {
  readonly value: string
  /** For readers: `label namespace`, `inventory`, `cluster key`, `from component_name`. */
  readonly source: string
}

/** Values by placeholder, without those that must not be put into a page (see `whyNotBindable`). */
export function pageValues(context: PageContext): ReadonlyMap<PlaceholderName, PageValue> {
  if (context.isPlain === true) return new Map()
  const values = new Map<PlaceholderName, PageValue>()
  const set = (name: PlaceholderName, value: string | undefined, source: string): void => {
    if (value === undefined || values.has(name) || whyNotBindable(value) !== undefined) return
    values.set(name, { value, source })
  }
  const { alert, inventory } = context
  if (alert !== undefined) {
    set('cluster', clusterOf(alert.labels), 'cluster key')
    for (const name of LABELS) set(name, alert.labels.get(name), `label ${name}`)
    set('value', alert.value === undefined ? undefined : String(alert.value), 'the alert')
    set('since', new Date(alert.activeAtMs).toISOString().replace(/\.\d+Z$/, 'Z'), 'the alert')
  }
  if (inventory !== undefined) {
    set('cluster', inventory.cluster, 'cluster key')
    set('namespace', inventory.namespace, 'inventory')
    set('hco_version', inventory.hcoVersion, 'inventory')
    set('kubevirt_version', inventory.kubevirtVersion, 'inventory')
    set('channel', inventory.channel, 'inventory')
    set('approval', inventory.approval, 'inventory')
  }
  const component = values.get('component_name')
  if (component !== undefined) {
    const { kind, object } = componentOf(component.value)
    set('component_kind', kind, 'from component_name')
    set('component_object', object, 'from component_name')
  }
  const annotation = values.get('annotation_name')
  if (annotation !== undefined) {
    set('annotation_operand', OPERAND_OF_ANNOTATION.get(annotation.value), 'from annotation_name')
  }
  return values
}

/** Placeholders that no label of the same name fills. */
const COMPUTED: ReadonlySet<PlaceholderName> = new Set<PlaceholderName>([
  ...(['cluster', 'value', 'since', 'component_kind', 'component_object', 'annotation_operand'] as const),
  ...(['hco_version', 'kubevirt_version', 'channel', 'approval'] as const),
])

/** Labels that fill the placeholder of the same name. */
export const LABELS = (Object.keys(PLACEHOLDERS) as PlaceholderName[]).filter((name) => !COMPUTED.has(name))

/** HCO's four JSON-patch annotations and the kind each one patches, in lower case. */
const OPERAND_OF_ANNOTATION: ReadonlyMap<string, string> = new Map([
  ['kubevirt.kubevirt.io/jsonpatch', 'kubevirt'],
  ['containerizeddataimporter.kubevirt.io/jsonpatch', 'cdi'],
  ['networkaddonsconfigs.kubevirt.io/jsonpatch', 'networkaddonsconfig'],
  ['ssp.kubevirt.io/jsonpatch', 'ssp'],
])

/** Operands whose kind follows from the object's name: HCO before 1.4 sent no kind. */
const KIND_OF_OBJECT: ReadonlyMap<string, string> = new Map([
  ['kubevirt-kubevirt-hyperconverged', 'kubevirt'],
  ['cdi-kubevirt-hyperconverged', 'cdi'],
  ['ssp-kubevirt-hyperconverged', 'ssp'],
])

/** `kind/name`, or the older form with only the name. */
export function componentOf(componentName: string): { readonly kind: string | undefined; readonly object: string } {
  const slash = componentName.indexOf('/')
  if (slash === -1) return { kind: KIND_OF_OBJECT.get(componentName), object: componentName }
  return { kind: componentName.slice(0, slash), object: componentName.slice(slash + 1) }
}
