import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { randomOf } from '../../sim/random.ts'
import { tempDir } from '../support/temp-dir.ts'
import { DiskModel, type CutKind } from './disk-model.ts'
import type { TraceRecord } from './write-trace.ts'

let folder: ReturnType<typeof tempDir>
let disk: DiskModel
let cuts: number

beforeEach(() => {
  folder = tempDir('disk-model')
  writeFileSync(join(folder.path, 'old'), 'oldold')
  disk = new DiskModel(folder.path)
  cuts = 0
})
afterEach(() => {
  folder.remove()
})

function apply(kind: TraceRecord['kind'], path: string, offset = 0, data = ''): void {
  disk.apply({ kind, path, offset, data: Buffer.from(data), end: 0 })
}

/** Content by name after a cut. */
function cut(kind: CutKind, seed = 1, sectorBytes = 2): Record<string, string> {
  const dir = join(folder.path, 'cut')
  disk.cut(dir, { kind, sectorBytes, random: randomOf('cut', seed, cuts++) })
  const files = ['old', 'new', 'log'].filter((name) => existsSync(join(dir, name)))
  const found = Object.fromEntries(files.map((name) => [name, readFileSync(join(dir, name), 'utf8')]))
  rmSync(dir, { recursive: true })
  return found
}

/** All that cuts by chance leave of a file. */
function outcomes(path: string, sectorBytes = 2): ReadonlySet<string | undefined> {
  return new Set(Array.from({ length: 100 }, (_, seed) => cut('mixed', seed, sectorBytes)[path]))
}

test('what is synced is there after every cut, what is not after none that drops it', () => {
  apply('write', 'old', 2, 'NEW')
  expect(cut('dropped')).toEqual({ old: 'oldold' })
  expect(cut('written')).toEqual({ old: 'olNEWd' })
  apply('sync', 'old')
  expect(cut('dropped')).toEqual({ old: 'olNEWd' })
  expect(outcomes('old')).toEqual(new Set(['olNEWd']))
})

test('a fsync of one file does not sync another one', () => {
  apply('write', 'old', 0, 'X')
  apply('create', 'log')
  apply('sync', 'log')
  expect(cut('dropped')).toEqual({ old: 'oldold' })
})

test('writes are torn between sectors, and each sector has what it had at some moment', () => {
  apply('write', 'old', 0, 'abcd')
  apply('write', 'old', 0, 'AB')
  expect(outcomes('old')).toEqual(new Set(['oldold', 'abdold', 'ABdold', 'olcdld', 'abcdld', 'ABcdld']))
  expect([...outcomes('old', 8)].sort()).toEqual(['ABcdld', 'abcdld', 'oldold'])
})

test('a file has a size that it had; where nothing arrived it has zeros', () => {
  apply('write', 'old', 6, '1234')
  expect(outcomes('old', 4)).toEqual(
    new Set(['oldold', 'oldold\0\0\0\0', 'oldold12\0\0', 'oldold\0\x0034', 'oldold1234']),
  )
  apply('truncate', 'old', 3)
  expect(cut('written')).toEqual({ old: 'old' })
  apply('write', 'old', 5, '9')
  expect(cut('written')).toEqual({ old: 'old\0\x009' })
})

test('names are there after fsync of the folder, until then in their order', () => {
  apply('create', 'new')
  apply('write', 'new', 0, 'n')
  apply('sync', 'new')
  apply('create', 'log')
  apply('sync', 'log')
  expect(cut('dropped')).toEqual({ old: 'oldold' })
  expect(cut('written')).toEqual({ old: 'oldold', new: 'n', log: '' })
  const names = new Set(Array.from({ length: 50 }, (_, seed) => Object.keys(cut('mixed', seed)).sort().join(' ')))
  expect(names).toEqual(new Set(['old', 'new old', 'log new old']))
  apply('sync_folder', '')
  apply('rename', 'new', 0, 'old')
  apply('unlink', 'log')
  expect(cut('dropped')).toEqual({ old: 'oldold', new: 'n', log: '' })
  expect(cut('written')).toEqual({ old: 'n' })
  apply('sync_folder', '')
  expect(cut('dropped')).toEqual({ old: 'n' })
  expect(outcomes('new')).toEqual(new Set([undefined]))
})

test('a change of a file that was not created is a fault of the trace', () => {
  expect(() => {
    apply('write', 'other', 0, 'x')
  }).toThrow('the trace changes other, which it did not create')
})
