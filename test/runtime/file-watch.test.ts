import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { watchFiles, type FileWatch } from '../../src/runtime/file-watch.ts'
import { FakeClock } from '../support/fake-clock.ts'
import { tempDir } from '../support/temp-dir.ts'
import { until } from '../support/until.ts'

let folder: ReturnType<typeof tempDir>
let watched: FileWatch | undefined
beforeEach(() => {
  folder = tempDir('file-watch')
})
afterEach(() => {
  watched?.stop()
  folder.remove()
})

/** Counts changes; `settled` moves the clock past the pause after the last event, as often as needed. */
function watching(...places: readonly string[]) {
  const clock = new FakeClock(0)
  let changes = 0
  watched = watchFiles(places, clock, () => changes++)
  return {
    clock,
    changes: () => changes,
    changed: (count: number) =>
      until(`${count} changes`, () => {
        clock.advance(300)
        return changes >= count ? true : undefined
      }),
  }
}

test('a file that is written, added, or removed', async () => {
  const rules = join(folder.path, 'rules')
  mkdirSync(rules)
  writeFileSync(join(rules, 'a.yaml'), 'groups: []')
  const { changed } = watching(rules)
  writeFileSync(join(rules, 'a.yaml'), 'groups: [] # another')
  await changed(1)
  writeFileSync(join(rules, 'b.yaml'), '')
  await changed(2)
  rmSync(join(rules, 'b.yaml'))
  await changed(3)
})

test('an editor that writes a new file and renames it over the old one', async () => {
  const file = join(folder.path, 'alertmanager.yml')
  writeFileSync(file, 'route: {}')
  const { changed } = watching(file)
  for (const count of [1, 2]) {
    writeFileSync(`${file}.swp`, `route: { } # ${count}`)
    renameSync(`${file}.swp`, file)
    await changed(count)
  }
})

test('a ConfigMap: the link behind all files is exchanged, each time', async () => {
  const mount = join(folder.path, 'rules')
  mkdirSync(join(mount, '..1'), { recursive: true })
  writeFileSync(join(mount, '..1', 'a.yaml'), 'groups: []')
  symlinkSync('..1', join(mount, '..data'))
  symlinkSync('..data/a.yaml', join(mount, 'a.yaml'))
  const { changed } = watching(mount)
  for (const count of [1, 2]) {
    const next = join(mount, `..${count + 1}`)
    mkdirSync(next)
    // The same size: another file all the same.
    writeFileSync(join(next, 'a.yaml'), 'groups: []')
    symlinkSync(`..${count + 1}`, join(mount, '..data_tmp'))
    renameSync(join(mount, '..data_tmp'), join(mount, '..data'))
    await changed(count)
  }
})

test('a folder that is itself exchanged is watched on', async () => {
  const rules = join(folder.path, 'rules')
  mkdirSync(join(folder.path, 'one'))
  mkdirSync(join(folder.path, 'two'))
  writeFileSync(join(folder.path, 'two', 'a.yaml'), '')
  symlinkSync('one', rules)
  const { changed } = watching(rules)
  symlinkSync('two', `${rules}.new`)
  renameSync(`${rules}.new`, rules)
  await changed(1)
  writeFileSync(join(folder.path, 'two', 'a.yaml'), 'groups: []')
  await changed(2)
})

test('without events it looks now and then, and says nothing when nothing changed', () => {
  const missing = join(folder.path, 'not', 'there')
  const { clock, changes } = watching(missing)
  clock.advance(60_000)
  expect(changes()).toBe(0)
  mkdirSync(missing, { recursive: true })
  clock.advance(30_000)
  expect(changes()).toBe(1)
  clock.advance(120_000)
  expect(changes()).toBe(1)
  watched?.stop()
  writeFileSync(join(missing, 'a.yaml'), '')
  clock.advance(120_000)
  expect(changes()).toBe(1)
})
