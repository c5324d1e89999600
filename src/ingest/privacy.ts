import type { Attributes } from '../model/attribute.ts'
import { CLUSTER_LABEL } from '../model/cluster-identity.ts'
import { Labels, METRIC_NAME } from '../model/labels.ts'
import {
  NO_PRIVACY_RULES,
  parseFieldPath,
  REQUIRED_FIELDS,
  type FieldRule,
  type KeepAndDrop,
  type PrivacyCount,
  type PrivacyRules,
} from '../model/privacy.ts'
import { compileAnchoredRegex, type AnchoredRegex } from '../model/regex.ts'
import { fieldTreeOf, onlyFields, withoutFields, type FieldTree } from '../wire/k8s/object-fields.ts'
import { at, type ObjectValue } from '../wire/k8s/object-value.ts'
import type { Admission } from './admission.ts'

type RefusedAdmission = Extract<Admission, { readonly kind: 'refused' }>

/**
 * What is dropped of received data before anything is stored. Without rules nothing is looked at. Metrics and labels are
 * decided once per new label set, names once per name.
 */
export class Privacy {
  #rules: PrivacyRules = NO_PRIVACY_RULES
  #metrics = new NameList('metrics', NO_PRIVACY_RULES.metrics)
  #labels = new NameList('labels', NO_PRIVACY_RULES.labels)
  #attributes = new NameList('attributes', NO_PRIVACY_RULES.attributes)
  #objects: ObjectFields | undefined
  /** One object per rule, so that a refusal is remembered once. */
  readonly #refusals = new Map<string, RefusedAdmission>()

  /** Known series must be admitted again afterwards. The patterns were checked: `privacyFault` found none. */
  use(rules: PrivacyRules): void {
    this.#rules = rules
    this.#metrics = new NameList('metrics', rules.metrics)
    this.#labels = new NameList('labels', rules.labels)
    this.#attributes = new NameList('attributes', rules.attributes)
    const { keep, drop } = rules.objects
    this.#objects = keep === undefined && drop.length === 0 ? undefined : new ObjectFields(rules.objects)
    this.#refusals.clear()
  }

  get hasLabelRules(): boolean {
    return this.#labels.isUsed
  }

  /** Why a metric is not stored; the same object for all that a rule drops. */
  refusalOfMetric(name: string): RefusedAdmission | undefined {
    const rule = this.#metrics.dropping(name)
    if (rule === undefined) return undefined
    this.#metrics.count(rule)
    let refusal = this.#refusals.get(rule)
    if (refusal === undefined) {
      const example = `got a series that is not stored by ${rule} of privacy.config`
      refusal = { kind: 'refused', reason: 'privacy_dropped', example }
      this.#refusals.set(rule, refusal)
    }
    return refusal
  }

  isMetricDropped(name: string): boolean {
    return this.#metrics.dropping(name) !== undefined
  }

  /** The labels that are stored, and the dropped ones as one text: equal texts are equal labels. */
  strip(labels: Labels): { readonly labels: Labels; readonly dropped: string } {
    if (!this.#labels.isUsed) return { labels, dropped: '' }
    const left: string[] = []
    const dropped: string[] = []
    const { flat } = labels
    for (let i = 0; i < flat.length; i += 2) {
      const [name, value] = [flat[i]!, flat[i + 1]!]
      const isKept = name === METRIC_NAME || name === CLUSTER_LABEL
      const rule = isKept ? undefined : this.#labels.dropping(name)
      if (rule === undefined) left.push(name, value)
      else {
        this.#labels.count(rule)
        dropped.push(name, value)
      }
    }
    return dropped.length === 0
      ? { labels, dropped: '' }
      : { labels: Labels.fromFlat(left), dropped: dropped.join('\0') }
  }

  attributes(attributes: Attributes): Attributes {
    const list = this.#attributes
    if (!list.isUsed) return attributes
    return attributes.filter(({ key }) => {
      const rule = list.dropping(key)
      if (rule !== undefined) list.count(rule)
      return rule === undefined
    })
  }

  get hasAttributeRules(): boolean {
    return this.#attributes.isUsed
  }

  /** The body of a record of a watched kind: the object itself, or a watch event with it. */
  body(kind: string, body: ObjectValue): ObjectValue {
    const fields = this.#objects
    if (fields === undefined) return body
    const object = at(body, 'object')
    if (object === undefined) return fields.redact(kind, body)
    return {
      entries: [
        { key: 'type', value: at(body, 'type') },
        { key: 'object', value: fields.redact(kind, object) },
      ],
    }
  }

  counts(): readonly PrivacyCount[] {
    const lists = [
      this.#metrics,
      this.#labels,
      this.#attributes,
      ...(this.#objects === undefined ? [] : [this.#objects]),
    ]
    return lists.flatMap((list) => [...list.counts].map(([rule, dropped]) => ({ rule, dropped })))
  }

  get rules(): PrivacyRules {
    return this.#rules
  }
}

/** Names that senders choose. */
const NAMES_KNOWN_MAX = 100_000

class NameList {
  readonly isUsed: boolean
  readonly counts = new Map<string, number>()
  readonly #keep: readonly AnchoredRegex[] | undefined
  readonly #keepRule: string
  readonly #drop: readonly (readonly [rule: string, pattern: AnchoredRegex])[]
  readonly #known = new Map<string, string | undefined>()

  constructor(list: string, { keep, drop }: KeepAndDrop) {
    this.isUsed = keep !== undefined || drop.length > 0
    this.#keepRule = `${list}.keep`
    this.#keep = keep?.map((pattern) => compileAnchoredRegex(pattern))
    this.#drop = drop.map((pattern) => [`${list}.drop ${pattern}`, compileAnchoredRegex(pattern)])
  }

  /** The rule by which a name is not stored. */
  dropping(name: string): string | undefined {
    if (!this.isUsed) return undefined
    if (this.#known.has(name)) return this.#known.get(name)
    const isKept = this.#keep === undefined || this.#keep.some((pattern) => pattern.test(name))
    const rule = this.#drop.find(([, pattern]) => pattern.test(name))?.[0] ?? (isKept ? undefined : this.#keepRule)
    if (this.#known.size >= NAMES_KNOWN_MAX) this.#known.clear()
    this.#known.set(name, rule)
    return rule
  }

  count(rule: string): void {
    this.counts.set(rule, (this.counts.get(rule) ?? 0) + 1)
  }
}

class ObjectFields {
  readonly counts = new Map<string, number>()
  readonly #rules: PrivacyRules['objects']
  readonly #byKind = new Map<string, { readonly keep: FieldTree | undefined; readonly drop: FieldTree }>()

  constructor(rules: PrivacyRules['objects']) {
    this.#rules = rules
  }

  redact(kind: string, object: ObjectValue): ObjectValue {
    const { keep, drop } = this.#treesOf(kind)
    const count = (rule: string): void => {
      this.counts.set(rule, (this.counts.get(rule) ?? 0) + 1)
    }
    const left = withoutFields(object, [drop], count)
    return keep === undefined
      ? left
      : onlyFields(left, [keep], () => {
          count('objects.keep')
        })
  }

  #treesOf(kind: string): { readonly keep: FieldTree | undefined; readonly drop: FieldTree } {
    let trees = this.#byKind.get(kind)
    if (trees === undefined) {
      const { keep, drop } = this.#rules
      const kept = keep?.filter((rule) => rule.kind === undefined || rule.kind === kind)
      trees = {
        // A kind that the keep list does not name is stored whole, unless a rule is about all kinds.
        keep:
          kept === undefined || kept.length === 0
            ? undefined
            : fieldTreeOf([...REQUIRED, ...pathsOf(kept, 'keep', kind)]),
        drop: fieldTreeOf(pathsOf(drop, 'drop', kind)),
      }
      // Kinds are few: others are refused before.
      if (this.#byKind.size < KINDS_MAX) this.#byKind.set(kind, trees)
    }
    return trees
  }
}

const KINDS_MAX = 100
const REQUIRED = REQUIRED_FIELDS.map((path) => [path, 'objects.keep'] as const)

function pathsOf(rules: readonly FieldRule[], list: 'keep' | 'drop', kind: string) {
  return rules
    .filter((rule) => rule.kind === undefined || rule.kind === kind)
    .flatMap(({ kind: named, paths }) =>
      paths.map((text) => [parseFieldPath(text) ?? [], `objects.${list} ${named ?? '*'} ${text}`] as const),
    )
    .filter(([path]) => path.length > 0)
}
