/**
 * Finds the original of an alert among those of one name and cluster in constant time: the first one whose labels agree with
 * the alert's in every name that both have. Originals are kept by their label names (their shape), and within a shape by the
 * values of the names in common with each other shape.
 */
import { invariant } from '../base/invariant.ts'

/** What is compared of an alert. */
export interface Subject {
  readonly fingerprint: string
  readonly isOfRule: boolean
  /** Label names and values in turn, sorted by name, without those that identify the reporter. */
  readonly flat: readonly string[]
}

/** An alert with yet other label names than this many is compared with none, and notifies: work stays linear. */
const SHAPES_MAX = 16

interface Original extends Subject {
  /** Of an external alert: it already has a duplicate of a rule. */
  isTaken: boolean
  readonly position: number
}

/** Originals with equal values of some names, in the order in which they were added. */
interface Bucket {
  readonly originals: Original[]
  readonly external: Original[]
  /** External ones before it are taken. */
  firstFree: number
}

interface Shape {
  readonly names: readonly string[]
  readonly originals: Original[]
  /** By the shape with which the names are shared: those names, and the originals by their values. */
  readonly shared: Map<Shape, { readonly names: readonly string[]; readonly buckets: Map<string, Bucket> }>
}

export class OriginalIndex {
  readonly #shapes = new Map<string, Shape>()
  #count = 0

  /**
   * The fingerprint of the alert's original, or `undefined` when it is an original itself: then it is added. An alert of a
   * rule is the duplicate of external ones only, and of each at most one is.
   */
  add(subject: Subject): string | undefined {
    const shape = this.#shapeOf(subject)
    if (shape === undefined) return undefined
    let found: Original | undefined
    for (const other of this.#shapes.values()) {
      const candidate = this.#firstOf(other, shape, subject)
      if (candidate !== undefined && (found === undefined || candidate.position < found.position)) found = candidate
    }
    if (found !== undefined) {
      if (subject.isOfRule) found.isTaken = true
      return found.fingerprint
    }
    const original = { ...subject, isTaken: false, position: this.#count++ }
    shape.originals.push(original)
    for (const { names, buckets } of shape.shared.values()) put(buckets, names, original)
    return undefined
  }

  #shapeOf({ flat }: Subject): Shape | undefined {
    const names = flat.filter((_, i) => i % 2 === 0)
    const key = names.join('\u0000')
    const known = this.#shapes.get(key)
    if (known !== undefined || this.#shapes.size >= SHAPES_MAX) return known
    const shape: Shape = { names, originals: [], shared: new Map() }
    this.#shapes.set(key, shape)
    return shape
  }

  #firstOf(shape: Shape, other: Shape, subject: Subject): Original | undefined {
    let shared = shape.shared.get(other)
    if (shared === undefined) {
      const others = new Set(other.names)
      shared = { names: shape.names.filter((name) => others.has(name)), buckets: new Map() }
      for (const original of shape.originals) put(shared.buckets, shared.names, original)
      shape.shared.set(other, shared)
    }
    const bucket = shared.buckets.get(valuesOf(subject, shared.names))
    if (bucket === undefined) return undefined
    // Alerts with equal labels are one alert for receivers and in every list by fingerprint.
    const isOther = ({ fingerprint }: Original): boolean => fingerprint !== subject.fingerprint
    if (!subject.isOfRule) return bucket.originals.find(isOther)
    while (bucket.external[bucket.firstFree]?.isTaken === true) bucket.firstFree++
    for (let i = bucket.firstFree; i < bucket.external.length; i++) {
      const original = bucket.external[i]!
      if (!original.isTaken && isOther(original)) return original
    }
    return undefined
  }
}

function put(buckets: Map<string, Bucket>, names: readonly string[], original: Original): void {
  const key = valuesOf(original, names)
  let bucket = buckets.get(key)
  if (bucket === undefined) buckets.set(key, (bucket = { originals: [], external: [], firstFree: 0 }))
  bucket.originals.push(original)
  if (!original.isOfRule) bucket.external.push(original)
}

/** Both lists are sorted, and the subject has every name. */
function valuesOf({ flat }: Subject, names: readonly string[]): string {
  let key = ''
  let at = 0
  for (const name of names) {
    while (at < flat.length && flat[at] !== name) at += 2
    invariant(at < flat.length, 'a shared name is one of the alert')
    const value = flat[at + 1]!
    key += `${value.length}:${value}`
  }
  return key
}
