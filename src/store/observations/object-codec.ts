import { hash } from 'node:crypto'
import type { ObjectFacts, ObjectKind } from '../../model/object-facts.ts'
import type { FieldManager, ObjectChange } from '../../model/observation.ts'
import { messageOf } from '../../base/errors.ts'
import { deflate, inflate, MalformedBytesError } from '../bytes.ts'
import { DICTIONARY } from './object-dictionary.ts'

/** Codecs for kinds, changes, uids and facts in rows. */

/** A kind's place is its number in rows: kinds are only ever added, at the end. */
const KINDS: readonly ObjectKind[] = [
  'clusterserviceversions',
  'subscriptions',
  'installplans',
  'operatorconditions',
  'catalogsources',
  'operatorgroups',
  'hyperconvergeds',
  'kubevirts',
  'cdis',
  'ssps',
  'networkaddonsconfigs',
  'hostpathprovisioners',
  'aaqs',
  'kubedeschedulers',
  'daemonsets',
  'virtualmachineinstancemigrations',
  'virtualmachineinstances',
  'dataimportcrons',
  'machineconfigpools',
  'clusterversions',
  'clusteroperators',
  'nodes',
  'events',
  'storageclasses',
  'apirequestcounts',
]

/** -1 for an unknown kind. */
export function kindNumber(kind: string): number {
  return (KINDS as readonly string[]).indexOf(kind)
}

export function kindOf(number: number): ObjectKind {
  const kind = KINDS[number]
  if (kind === undefined) throw new MalformedBytesError(`kind ${number} is none`)
  return kind
}

export const EVENTS = kindNumber('events')
export const NODES = kindNumber('nodes')
export const HYPERCONVERGEDS = kindNumber('hyperconvergeds')

/** When one state is seen in several ways, the one with the smallest number is reported. */
const CHANGES: readonly ObjectChange[] = ['modified', 'added', 'listed', 'deleted']

export function changeNumber(change: ObjectChange): number {
  return CHANGES.indexOf(change)
}

export function changeOf(number: number): ObjectChange {
  const change = CHANGES[number]
  if (change === undefined) throw new MalformedBytesError(`change ${number} is none`)
  return change
}

/** The field manager, as a row of `field_manager` stores it: no part can contain a tab. Empty: not reported. */
export function managerText(manager: FieldManager | undefined): string {
  return manager === undefined ? '' : [manager.name, manager.operation, manager.subresource].join('\t')
}

export function managerOf(text: string): FieldManager | undefined {
  if (text === '') return undefined
  const [name = '', operation = '', subresource = ''] = text.split('\t')
  return { name, operation, subresource }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Sixteen bytes for a UUID in lower case, which nearly all are; a text of any other length than that for the others. */
export function uidBytes(uid: string): Uint8Array {
  if (UUID.test(uid)) return Buffer.from(uid.replaceAll('-', ''), 'hex')
  const text = Buffer.from(uid)
  return text.length === UUID_BYTES ? Buffer.from(`${uid}\0`) : text
}

const UUID_BYTES = 16

export function uidOf(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer.length !== UUID_BYTES) return buffer.toString().replace(/\0$/, '')
  const hex = buffer.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The text of one state of an object: equal facts are equal texts, because the order of fields is fixed. */
export function factsText(facts: ObjectFacts): string {
  return JSON.stringify(facts)
}

/** 48 bits, which distinguish the states of one object. */
export function factsHash(text: string): number {
  return hash('sha1', text, 'buffer').readUIntBE(0, 6)
}

/** The number of the dictionary that compressed a payload; the first byte of the payload. */
const DICTIONARY_VERSION = 1
const DICTIONARY_OPTION = { dictionary: Buffer.from(DICTIONARY) } as const
const DEFLATE = { ...DICTIONARY_OPTION, windowBits: 14, memLevel: 6 } as const
const FACTS_BYTES_MAX = 4 * 1024 * 1024

export function packFacts(text: string): Uint8Array {
  const packed = deflate(text, DEFLATE)
  const payload = new Uint8Array(packed.length + 1)
  payload[0] = DICTIONARY_VERSION
  payload.set(packed, 1)
  return payload
}

export function unpackFacts(payload: Uint8Array): ObjectFacts {
  const text = unpackFactsText(payload)
  try {
    return JSON.parse(text) as ObjectFacts
  } catch (thrown) {
    throw new MalformedBytesError(`facts of an object: ${messageOf(thrown)}`)
  }
}

/** Throws `MalformedBytesError`. */
export function unpackFactsText(payload: Uint8Array): string {
  if (payload[0] !== DICTIONARY_VERSION) throw new MalformedBytesError(`facts with dictionary ${payload[0] ?? 'none'}`)
  return Buffer.from(inflate(payload.subarray(1), FACTS_BYTES_MAX, DICTIONARY_OPTION)).toString()
}
