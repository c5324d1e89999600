import { METRIC_NAME } from '../../model/labels.ts'
import { CLUSTER_LABEL } from '../../model/cluster-identity.ts'
import { valueText } from '../../model/attribute-text.ts'
import type { Attributes } from '../../model/attribute.ts'
import type { Scope } from '../../wire/otlp/metrics.ts'
import { escapedLabelName, labelNameOf } from './names.ts'
import type { OtlpOptions, OtlpStrategy } from './options.ts'

/**
 * Converts attributes to labels, in order of precedence: the point's own, promoted resource attributes, `job` and
 * `instance`, the scope. Cold: once per stream.
 */

type LabelMap = Map<string, string>

export type LabelOptions = Pick<OtlpOptions, 'strategy' | 'promoteAttributes' | 'promoteScope'> & {
  /** Labels that name a cluster, without `cluster` itself. */
  readonly identityLabels: readonly string[]
  /** See `IngestOptions`. */
  readonly haReplicaLabel: string
  readonly haGroupLabel: string
}

/** Labels of a resource that apply to all its series. */
export interface ResourceLabels {
  readonly promoted: ReadonlyMap<string, string>
  /** Empty when the resource has none. */
  readonly job: string
  readonly instance: string
  /** Labels of `target_info`; absent when the resource has no identity, or no other attributes. */
  readonly targetInfo: ReadonlyMap<string, string> | undefined
}

const SERVICE_NAME = 'service.name'
const SERVICE_NAMESPACE = 'service.namespace'
const SERVICE_INSTANCE = 'service.instance.id'
const IDENTIFYING: ReadonlySet<string> = new Set([SERVICE_NAME, SERVICE_NAMESPACE, SERVICE_INSTANCE])
const TARGET_INFO = 'target_info'

export function resourceLabels(attributes: Attributes, options: LabelOptions): ResourceLabels {
  const textOf = (key: string): string => valueText(attributes.find((entry) => entry.key === key)?.value)
  const name = textOf(SERVICE_NAME)
  const namespace = textOf(SERVICE_NAMESPACE)
  const job = name === '' || namespace === '' ? name : `${namespace}/${name}`
  const instance = textOf(SERVICE_INSTANCE)

  const identity = identityLabels(attributes, options)
  const promoted = new Map(identity)
  for (const key of options.promoteAttributes) {
    const label = labelNameOf(key, options.strategy)
    if (!promoted.has(label)) setUnlessEmpty(promoted, label, textOf(key))
  }
  const others = attributes.filter(({ key }) => !IDENTIFYING.has(key))
  const describes = others.some(({ value }) => valueText(value) !== '')
  const hasInfo = (job !== '' || instance !== '') && describes
  if (!hasInfo) return { promoted, job, instance, targetInfo: undefined }
  const targetInfo = new Map([...identity, ...attributeLabels(others, options.strategy)])
  setUnlessEmpty(targetInfo, 'job', job)
  setUnlessEmpty(targetInfo, 'instance', instance)
  targetInfo.set(METRIC_NAME, TARGET_INFO)
  return { promoted, job, instance, targetInfo }
}

/**
 * Cluster and replica labels are on every series, promoted or not, and under every strategy by the names that rules and
 * pages use: without them the owner of a series and its duplicates would be unknown.
 */
function identityLabels(attributes: Attributes, options: LabelOptions): LabelMap {
  const { identityLabels, haReplicaLabel, haGroupLabel } = options
  const labels: LabelMap = new Map()
  for (const { key, value } of attributes) {
    const label = escapedLabelName(key)
    const isCluster = identityLabels.length > 0 && (label === CLUSTER_LABEL || identityLabels.includes(label))
    if (isCluster || label === haReplicaLabel || label === haGroupLabel) setUnlessEmpty(labels, label, valueText(value))
  }
  if (!labels.has(haReplicaLabel)) labels.delete(haGroupLabel)
  return labels
}

/** The labels of one point's series, before suffixes and `le`. */
export function pointLabels(
  metricName: string,
  attributes: Attributes,
  resource: ResourceLabels,
  scope: Scope,
  options: LabelOptions,
): ReadonlyMap<string, string> {
  const labels = attributeLabels(attributes, options.strategy)
  for (const [name, text] of resource.promoted) if (!labels.has(name)) labels.set(name, text)
  setUnlessEmpty(labels, 'job', resource.job)
  setUnlessEmpty(labels, 'instance', resource.instance)
  if (options.promoteScope && scope.name !== '') {
    for (const [name, text] of attributeLabels(scope.attributes, options.strategy))
      labels.set(`otel_scope_${name}`, text)
    setUnlessEmpty(labels, 'otel_scope_name', scope.name)
    setUnlessEmpty(labels, 'otel_scope_version', scope.version)
    setUnlessEmpty(labels, 'otel_scope_schema_url', scope.schemaUrl)
  }
  labels.set(METRIC_NAME, metricName)
  return labels
}

/** Keys that become one label have their values joined, in the order of the keys. */
function attributeLabels(attributes: Attributes, strategy: OtlpStrategy): LabelMap {
  const labels: LabelMap = new Map()
  const sorted =
    attributes.length < 2 ? attributes : [...attributes].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  for (const { key, value } of sorted) {
    if (key === METRIC_NAME) continue
    const name = labelNameOf(key, strategy)
    const before = labels.get(name)
    const text = valueText(value)
    labels.set(name, before === undefined ? text : `${before};${text}`)
  }
  return labels
}

function setUnlessEmpty(labels: LabelMap, name: string, text: string): void {
  if (text !== '') labels.set(name, text)
}

/**
 * HOT: once per point. One text per attribute list: equal texts mean equal labels. Lengths distinguish `a=bc` from
 * `ab=c`, for any characters.
 */
export function attributesKey(attributes: Attributes): string {
  let key = ''
  for (const attribute of attributes) {
    const { value } = attribute
    const text = typeof value === 'string' ? value : valueText(value)
    key += `${attribute.key.length}:${attribute.key}${text.length}:${text}`
  }
  return key
}
