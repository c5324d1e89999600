/** What is not to be stored of what senders report. The file of `privacy.config` has them. */

/** RE2 patterns of whole names. What a keep list does not match is dropped; `drop` wins. */
export interface KeepAndDrop {
  /** Absent: all names. */
  readonly keep?: readonly string[]
  readonly drop: readonly string[]
}

export interface FieldRule {
  /** Plural of a watched resource, as `nodes`; absent: of all. */
  readonly kind?: string
  /** Paths in objects: `metadata.annotations["x/y"]`, `spec.containers[*].env[*].value`; `*` is any key. */
  readonly paths: readonly string[]
}

export interface PrivacyRules {
  readonly metrics: KeepAndDrop
  /** Names of labels. The metric's name and `cluster` are always stored. */
  readonly labels: KeepAndDrop
  /** Keys of attributes of spans, their events, links, scopes and resources, and of log records. */
  readonly attributes: KeepAndDrop
  /** Fields of watched Kubernetes objects. Only the paths of a keep list are read, and none of a drop list. */
  readonly objects: { readonly keep?: readonly FieldRule[]; readonly drop: readonly FieldRule[] }
}

export const NO_PRIVACY_RULES: PrivacyRules = {
  metrics: { drop: [] },
  labels: { drop: [] },
  attributes: { drop: [] },
  objects: { drop: [] },
}

/** How often a rule applied since it was loaded: label sets, objects' fields or attributes. */
export interface PrivacyCount {
  /** `labels.drop pod_ip`, `metrics.keep`. */
  readonly rule: string
  readonly dropped: number
}

/** Of an object path: texts are keys, `*` is any key or each item of a list. */
export type FieldPath = readonly string[]

const SEGMENT = /\.?([A-Za-z0-9_$/-]+|\*)|\["([^"\\]+)"\]|\[\*\]/y

/** `undefined`: not a path. Items of lists are entered without a segment of their own. */
export function parseFieldPath(text: string): FieldPath | undefined {
  const segments: string[] = []
  SEGMENT.lastIndex = 0
  while (SEGMENT.lastIndex < text.length) {
    const isFirst = SEGMENT.lastIndex === 0
    const found = SEGMENT.exec(text)
    if (found === null || (isFirst === found[0].startsWith('.') && found[1] !== undefined)) return undefined
    const key = found[1] ?? found[2]
    if (key !== undefined) segments.push(key)
  }
  return segments.length === 0 ? undefined : segments
}

/** Without these an object cannot be stored at all. */
export const REQUIRED_FIELDS: readonly FieldPath[] = [
  ['kind'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['metadata', 'uid'],
  ['metadata', 'resourceVersion'],
]
