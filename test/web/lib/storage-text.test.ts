import { expect, test } from 'vitest'
import { damageSentence, damageTitle, roomSentence, storageTitle } from '../../../src/web/lib/storage-text.ts'

const SINCE = { since: '2026-11-22T21:14:29Z', message: 'writing the log: database or disk is full' }

test('a full disk says what to do, and how much room there is', () => {
  const full = { ...SINCE, code: 'storage_full', freeBytes: 0, sizeBytes: 400 * 1024 * 1024 } as const
  expect(storageTitle(full)).toBe('The disk of this server is full: new data is refused.')
  expect(roomSentence(full)).toBe(
    'Free space on the disk of the data folder; the server then continues without a restart. 0 B of 400 MiB are free.',
  )
})

test('where no room is known none is told', () => {
  expect(roomSentence({ ...SINCE, code: 'storage_full', freeBytes: 0, sizeBytes: 0 })).toBe(
    'Free space on the disk of the data folder; the server then continues without a restart.',
  )
})

test('of another failure what it says itself is all there is', () => {
  const broken = { ...SINCE, code: 'storage_failed', message: 'disk I/O error (SQLITE_IOERR)' } as const
  expect(storageTitle(broken)).toBe('This server cannot write to its store: new data is refused.')
  expect(roomSentence({ ...broken, freeBytes: 5, sizeBytes: 9 })).toBe('The error: disk I/O error (SQLITE_IOERR).')
})

test('damage says what may be missing, and what was found first', () => {
  const pack = { count: 1, kind: 'pack', message: 'does not inflate', from: '2026-11-22T20:00:00.000Z', to: null }
  expect(damageTitle(pack)).toBe('1 stored item is damaged and left out.')
  expect(damageTitle({ count: 2 })).toBe('2 stored items are damaged and left out.')
  expect(damageSentence(pack, 'utc')).toBe('No samples are known to be missing. First found: pack, does not inflate.')
  expect(damageSentence({ ...pack, to: '2026-11-22T22:00:00.000Z' }, 'utc')).toBe(
    'Samples of 2026-11-22 20:00:00 UTC to 2026-11-22 22:00:00 UTC may be missing. First found: pack, does not inflate.',
  )
})
