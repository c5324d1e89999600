import { textAttribute, type Attributes } from '../../model/attribute.ts'
import type { ObjectKind } from '../../model/object-facts.ts'
import type { ObjectChange, ObjectObservation } from '../../model/observation.ts'
import { fieldManagerOf } from './field-manager.ts'
import { isObjectKind, KINDS } from './kinds.ts'
import { at, isMap, textAt, textOr, type ObjectValue } from './object-value.ts'

/**
 * Converts a log record of the Collector's `k8sobjects` receiver to the facts of its object. In watch mode the body is
 * `{type, object}`, in pull mode the object itself; `k8s.resource.name` is the plural of the kind in both. Such a
 * record has no time, severity or cluster: the resource or the token names the cluster.
 */
interface WatchedRecord {
  readonly attributes: Attributes
  readonly body: ObjectValue
  /** When the Collector saw it. */
  readonly observedMs: number
}

export type RecordReading =
  /** Another log record. */
  | { readonly kind: 'plain' }
  | { readonly kind: 'object'; readonly observation: Omit<ObjectObservation, 'cluster'> }
  /** The namespace kube-system, whose uid identifies the cluster. */
  | { readonly kind: 'cluster_uid'; readonly uid: string }
  /** Valid, but not stored. */
  | { readonly kind: 'left_out'; readonly why: LeftOut }
  | { readonly kind: 'refused'; readonly reason: 'unknown_kind' | 'bad_object'; readonly example: string }

/** `marker`: of the Collector or the API server about the stream itself. `object`: of a watched kind, and of no interest. */
export type LeftOut = 'marker' | 'object'

/** Watch events, and the corresponding changes. */
const CHANGES: ReadonlyMap<string, ObjectChange> = new Map(
  Object.entries<ObjectChange>({ ADDED: 'added', MODIFIED: 'modified', DELETED: 'deleted' }),
)
/** A bookmark of the stream, an error, the end of a pull. */
const MARKERS: ReadonlySet<string> = new Set(['BOOKMARK', 'ERROR', 'PullEnd'])

/** A UUID in all known API servers. */
const UID = /^[!-~]{1,64}$/

/** Whether the receiver made a record: then its body is an object, and most of that is passed over. */
export function isWatchedRecord(attributes: Attributes): boolean {
  return textAttribute(attributes, RESOURCE_NAME) !== undefined
}

const RESOURCE_NAME = 'k8s.resource.name'

export function readObjectRecord({ attributes, body, observedMs }: WatchedRecord): RecordReading {
  const type = textAt(body, 'type')
  const resource = textAttribute(attributes, RESOURCE_NAME)
  // The end of a pull names its kind only in the body.
  if (resource === undefined) return isPullEnd(type, body) ? { kind: 'left_out', why: 'marker' } : { kind: 'plain' }
  if (!isMap(body)) return refused('bad_object', `a record of ${quote(resource)} without an object`)
  const isWatch = type !== undefined && isMap(at(body, 'object'))
  if (isWatch && MARKERS.has(type)) return { kind: 'left_out', why: 'marker' }
  const change = isWatch ? CHANGES.get(type) : 'listed'
  if (change === undefined) return refused('bad_object', `a watch event of type ${quote(type ?? '')}`)
  const object = isWatch ? at(body, 'object') : body
  if (resource === 'namespaces') return readNamespace(object)
  if (!isObjectKind(resource)) {
    return refused('unknown_kind', `an object of ${quote(resource)}, want one of ${Object.keys(KINDS).join(', ')}`)
  }
  return readObject(resource, object, change, observedMs)
}

function readObject(
  resource: ObjectKind,
  object: ObjectValue,
  change: ObjectChange,
  observedMs: number,
): RecordReading {
  const reader = KINDS[resource]
  const name = textOr(object, 'metadata', 'name')
  const fault = (what: string): RecordReading => refused('bad_object', `${quote(name)} of ${resource} ${what}`)
  const kind = textOr(object, 'kind')
  if (kind !== reader.kind) return fault(`with kind ${quote(kind)}, want ${reader.kind}`)
  const uid = textOr(object, 'metadata', 'uid')
  if (!UID.test(uid)) return fault(`with uid ${quote(uid)}, want 1 to 64 visible characters`)
  const written = textOr(object, 'metadata', 'resourceVersion')
  const resourceVersion = Number(written)
  if (!/^\d+$/.test(written) || !Number.isSafeInteger(resourceVersion)) {
    return fault(`with resourceVersion ${quote(written)}, want a decimal number`)
  }
  if (reader.isIgnored?.(object) === true) return { kind: 'left_out', why: 'object' }
  const manager = fieldManagerOf(object)
  return {
    kind: 'object',
    observation: {
      uid,
      name,
      namespace: textOr(object, 'metadata', 'namespace'),
      resourceVersion: String(resourceVersion),
      change,
      observedMs,
      facts: reader.facts(object),
      ...(manager === undefined ? {} : { manager }),
    },
  }
}

function readNamespace(object: ObjectValue): RecordReading {
  const uid = textOr(object, 'metadata', 'uid')
  const isSystem = textAt(object, 'metadata', 'name') === 'kube-system' && uid !== ''
  return isSystem ? { kind: 'cluster_uid', uid } : { kind: 'left_out', why: 'object' }
}

function isPullEnd(type: string | undefined, body: ObjectValue): boolean {
  return type === 'PullEnd' && isMap(at(body, 'object'))
}

function refused(reason: 'unknown_kind' | 'bad_object', got: string): RecordReading {
  return { kind: 'refused', reason, example: `got ${got}` }
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)
}
