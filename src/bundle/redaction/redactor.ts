/**
 * Redaction of a tree, in one place: every text of a bundle, also keys of Maps, passes `Redactor.apply` before any member is
 * written. A first pass notes the names of nodes, users and clusters that fields have, the second one replaces.
 */
import { createHmac } from 'node:crypto'
import type { PseudonymKind, RedactionProfile } from '../../model/redaction.ts'
import { compileAnchoredRegex, type AnchoredRegex } from '../../model/regex.ts'
import type { Tree } from '../content.ts'
import { NameSearch } from './name-search.ts'
import { isSecretKey, PatternSearch, SECRETS } from './patterns.ts'
import { shapesIn } from './shapes.ts'

/** Fields and labels whose whole value is a name. */
const NAMED_BY: Readonly<Record<'clusters' | 'nodes' | 'users', readonly string[]>> = {
  clusters: [
    'cluster',
    'clusters',
    'cluster_id',
    'clusterId',
    'cluster_name',
    'clusterName',
    'k8s.cluster.name',
    'k8s.cluster.uid',
  ],
  nodes: [
    'node',
    'nodes',
    'nodeName',
    'node_name',
    'kubernetes_node',
    'k8s.node.name',
    'host.name',
    'hostname',
    'nodename',
  ],
  users: [
    'user',
    'username',
    'userName',
    'user.name',
    'user_name',
    'enduser.id',
    'acknowledgedBy',
    'createdBy',
    'by',
    'author',
    'requester',
    'owner',
  ],
}
const KIND_OF_KEY = new Map(
  Object.entries(NAMED_BY).flatMap(([kind, keys]) => keys.map((key) => [key, kind as keyof typeof NAMED_BY] as const)),
)

/** Fields whose keys are names of labels. */
const LABELLED: ReadonlySet<string> = new Set(['labels', 'annotations', 'attributes', 'resource', 'metric'])

const SINGULAR: Readonly<Record<PseudonymKind, string>> = {
  ...{ clusters: 'cluster', nodes: 'node', users: 'user' },
  ...{ hosts: 'host', addresses: 'address', emails: 'email' },
}

/** Texts without a finding that are remembered: labels repeat. */
const KNOWN_TEXTS_MAX = 50_000
const KNOWN_TEXT_CHARS_MAX = 200

/** A shorter name of a node or user is replaced only where a field has nothing else: it would be a part of many texts. */
const NOTED_CHARS_MIN = 2

interface Name {
  readonly kind: PseudonymKind
  /** The first of several names of one cluster. */
  readonly name: string
}

interface Found {
  readonly from: number
  readonly to: number
  /** Computed when it is used: numbers are in the order of the texts. */
  readonly by: Name | { readonly mask: string }
}

export interface RedactorParts {
  readonly profile: RedactionProfile
  /** See `RedactionPolicy.pseudonymKey`. */
  readonly key?: string | undefined
  /** The names of each known cluster: all of one have one pseudonym. */
  readonly clusters: Iterable<readonly string[]>
}

export class Redactor {
  readonly #profile: RedactionProfile
  readonly #key: string | undefined
  readonly #drop: readonly AnchoredRegex[]
  readonly #patterns: PatternSearch
  readonly #names = new NameSearch<Name>()
  readonly #canonical = new Map<string, string>()
  readonly #pseudonyms = new Map<string, string>()
  readonly #numbers = new Map<PseudonymKind, number>()
  /** Texts that stay as they are. */
  readonly #known = new Set<string>()
  readonly #counts = new Map<string, number>()
  readonly #isIdle: boolean

  constructor({ profile, key, clusters }: RedactorParts) {
    this.#profile = profile
    this.#key = key
    this.#drop = profile.dropLabels.map((pattern) => compileAnchoredRegex(pattern))
    this.#patterns = new PatternSearch([...(profile.masksSecrets ? SECRETS : []), ...profile.masks])
    const { pseudonyms, masksSecrets, dropLabels, masks } = profile
    this.#isIdle = pseudonyms.size + dropLabels.length + masks.length === 0 && !masksSecrets
    if (!pseudonyms.has('clusters')) return
    for (const [first, ...others] of clusters) {
      if (first === undefined) continue
      for (const name of [first, ...others]) {
        this.#names.add(name, { kind: 'clusters', name: first })
        if (!this.#canonical.has(name.toLowerCase())) this.#canonical.set(name.toLowerCase(), first)
      }
    }
  }

  /** How often something was replaced or left out, by kind, in a fixed order. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** The first pass. */
  note(tree: unknown, key = ''): void {
    if (!this.#isIdle) this.#note(tree as Tree, key)
  }

  #note(tree: Tree, key: string): void {
    if (typeof tree === 'string') this.#noteText(tree, key)
    else if (typeof tree !== 'object' || tree === null) return
    else if (isList(tree)) for (const one of tree) this.#note(one, key)
    else {
      const entries = entriesOf(tree)
      let [kind, name]: (Tree | undefined)[] = []
      for (const [field, one] of entries) {
        if (field === 'kind') kind = one
        if (field === 'name') name = one
        this.#note(one, field)
      }
      if ((kind === 'nodes' || kind === 'Node') && typeof name === 'string') this.#noteText(name, 'node')
    }
  }

  #noteText(text: string, key: string): void {
    if (key === 'instance' && this.#profile.pseudonyms.has('nodes')) {
      // A node, an address or a pod, with a port.
      const host = text.replace(/:\d+$/, '')
      if (/[A-Za-z]/.test(host) && !host.includes(':')) this.#names.add(host, { kind: 'nodes', name: host })
      return
    }
    const kind = KIND_OF_KEY.get(key)
    if (kind === undefined || text.length < NOTED_CHARS_MIN || !this.#profile.pseudonyms.has(kind)) return
    this.#names.add(text, { kind, name: this.#canonicalOf(kind, text) })
  }

  #canonicalOf(kind: PseudonymKind, text: string): string {
    return (kind === 'clusters' ? this.#canonical.get(text.toLowerCase()) : undefined) ?? text
  }

  /** The second pass. Plain objects and Maps stay what they are; keys of plain objects are the program's own. */
  apply<T>(tree: T, key = ''): T {
    return this.#isIdle ? tree : (this.#applied(tree as Tree, key) as T)
  }

  #applied(tree: Tree, key: string): Tree {
    if (typeof tree === 'string') return this.#value(tree, key)
    if (typeof tree !== 'object' || tree === null) return tree
    if (isList(tree)) return tree.map((one) => this.#applied(one, key))
    if (tree instanceof Map) return this.#map(tree as ReadonlyMap<string, Tree>, key)
    return Object.fromEntries(entriesOf(tree).map(([field, one]) => [field, this.#applied(one, field)]))
  }

  #map(map: ReadonlyMap<string, Tree>, key: string): ReadonlyMap<string, Tree> {
    const left = new Map<string, Tree>()
    for (const [field, one] of map) {
      if (LABELLED.has(key) && this.#drop.some((pattern) => pattern.test(field))) {
        this.#count('labels')
        continue
      }
      const isSecret = this.#profile.masksSecrets && isSecretKey(field) && one !== null && one !== ''
      if (isSecret) this.#count('secret')
      const shown = isSecret ? '[secret]' : this.#applied(one, field)
      left.set(this.#freeKey(left, this.#text(field)), shown)
    }
    return left
  }

  /** Two keys may become one. */
  #freeKey(map: ReadonlyMap<string, Tree>, key: string): string {
    let free = key
    for (let number = 2; map.has(free); number++) free = `${key} (${number})`
    return free
  }

  #value(text: string, key: string): string {
    const kind = KIND_OF_KEY.get(key)
    if (kind === undefined || text === '' || !this.#profile.pseudonyms.has(kind)) return this.#text(text)
    this.#count(kind)
    return this.#pseudonym({ kind, name: this.#canonicalOf(kind, text) })
  }

  #text(text: string): string {
    if (text === '' || this.#known.has(text)) return text
    const redacted = this.#replaced(text)
    if (redacted === text && text.length <= KNOWN_TEXT_CHARS_MAX && this.#known.size < KNOWN_TEXTS_MAX) {
      this.#known.add(text)
    }
    return redacted
  }

  #replaced(text: string): string {
    const found = [...this.#foundIn(text)]
    if (found.length === 0) return text
    found.sort((a, b) => a.from - b.from || b.to - a.to)
    let shown = ''
    let at = 0
    for (const { from, to, by } of found) {
      if (from < at) {
        // What overlaps is left out to the end of the last one, or its rest would be readable.
        at = Math.max(at, to)
        continue
      }
      shown += text.slice(at, from)
      if ('mask' in by) {
        this.#count(by.mask)
        shown += `[${by.mask}]`
      } else {
        this.#count(by.kind)
        shown += this.#pseudonym(by)
      }
      at = to
    }
    return shown + text.slice(at)
  }

  *#foundIn(text: string): Generator<Found> {
    const { pseudonyms } = this.#profile
    for (const { from, to, value } of this.#names.in(text)) yield { from, to, by: value }
    for (const { from, to, kind } of shapesIn(text, pseudonyms)) {
      yield { from, to, by: { kind, name: text.slice(from, to).toLowerCase() } }
    }
    for (const { from, to, name } of this.#patterns.in(text)) yield { from, to, by: { mask: name } }
  }

  #pseudonym({ kind, name }: Name): string {
    const id = `${kind}\0${name}`
    let pseudonym = this.#pseudonyms.get(id)
    if (pseudonym === undefined) {
      const number = (this.#numbers.get(kind) ?? 0) + 1
      this.#numbers.set(kind, number)
      const mark = this.#key === undefined ? String(number) : keyed(this.#key, id)
      this.#pseudonyms.set(id, (pseudonym = `[${SINGULAR[kind]}-${mark}]`))
    }
    return pseudonym
  }

  #count(kind: string): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
  }
}

/** Without the key nobody can compute the pseudonym of a guessed name. */
function keyed(key: string, id: string): string {
  return createHmac('sha256', key).update(id).digest('hex').slice(0, 12)
}

function entriesOf(tree: object): readonly (readonly [string, Tree])[] {
  return tree instanceof Map
    ? [...(tree as ReadonlyMap<string, Tree>)]
    : Object.entries(tree as Readonly<Record<string, Tree>>)
}

/** `Array.isArray` does not narrow readonly arrays away. */
function isList(tree: object): tree is readonly Tree[] {
  return Array.isArray(tree)
}
