import type { Now } from '../../contract/now.ts'
import { formatUnit } from './dashboards/format-unit.ts'
import { countOf } from './format-number.ts'
import { formatMoment, msOf, type Zone } from './format-time.ts'

/** Texts about a storage fault. Pure. */

export type StorageFaultItem = NonNullable<NonNullable<Now['faults']>['storage']>

export function storageTitle({ code }: Pick<StorageFaultItem, 'code'>): string {
  return code === 'storage_full'
    ? 'The disk of this server is full: new data is refused.'
    : 'This server cannot write to its store: new data is refused.'
}

/** What to do, and how to check that it helped. */
export function roomSentence({ code, message, freeBytes, sizeBytes }: StorageFaultItem): string {
  if (code === 'storage_failed') return `The error: ${message}.`
  const free = `${bytes(freeBytes)} of ${bytes(sizeBytes)} are free.`
  return `Free space on the disk of the data folder; the server then continues without a restart. ${sizeBytes === 0 ? '' : free}`.trimEnd()
}

export type DamageItem = NonNullable<NonNullable<Now['faults']>['damage']>

export function damageTitle({ count }: Pick<DamageItem, 'count'>): string {
  return `${countOf(count, 'stored item is', 'stored items are')} damaged and left out.`
}

/** What is missing. */
export function damageSentence({ from, to, kind, message }: DamageItem, zone: Zone): string {
  const textOf = (time: string): string => formatMoment(msOf(time), zone)
  const missing =
    from === null || to === null
      ? 'No samples are known to be missing.'
      : `Samples of ${textOf(from)} to ${textOf(to)} may be missing.`
  return `${missing} First found: ${kind}, ${message}.`
}

function bytes(count: number): string {
  return formatUnit(count, { unit: 'bytes' }, { zone: 'utc', nowMs: 0 })
}
