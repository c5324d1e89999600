/**
 * Notices that files changed: folders of content, one level deep, and single files. The kernel's events are only a
 * hint to look; what counts is what `stat` says of the files, so that editors that write a new file and rename it, a
 * Kubernetes ConfigMap (whose files are links into a folder that is exchanged whole), and a folder that is itself a
 * link all look alike. File systems without events are looked at now and then.
 */
import { readdirSync, realpathSync, statSync, watch } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '../base/clock.ts'

/** After the last event: a program that writes many files is done by then. */
const SETTLE_MS = 250
/** For file systems that tell nothing, as network ones. */
const LOOK_EVERY_MS = 30_000

export interface FileWatch {
  stop(): void
}

/** @param changed called after each change, never while a stop is under way; it must not throw */
export function watchFiles(places: readonly string[], clock: Clock, changed: () => void): FileWatch {
  let seen = signatureOf(places)
  let isStopped = false
  let watchers: FSWatcher[] = []
  let cancelSettle: (() => void) | undefined
  let cancelLook: (() => void) | undefined

  const arm = (): void => {
    for (const watcher of watchers) watcher.close()
    watchers = foldersOf(places).flatMap(({ folder, only }) => watchFolder(folder, only, hint) ?? [])
  }
  const look = (): void => {
    cancelLook?.()
    cancelLook = clock.after(LOOK_EVERY_MS, look)
    const now = signatureOf(places)
    if (now === seen) return
    seen = now
    // A folder may be another one under the same name by now.
    arm()
    changed()
  }
  const hint = (): void => {
    if (isStopped) return
    cancelSettle?.()
    cancelSettle = clock.after(SETTLE_MS, look)
  }
  arm()
  // What changed between the first look and the watching.
  hint()
  cancelLook = clock.after(LOOK_EVERY_MS, look)
  return {
    stop: () => {
      isStopped = true
      cancelSettle?.()
      cancelLook?.()
      for (const watcher of watchers) watcher.close()
    },
  }
}

interface WatchedFolder {
  readonly folder: string
  /** Names whose events count; `undefined`: all. */
  readonly only: ReadonlySet<string> | undefined
}

/** Each place, and the folder it stands in, where it may be exchanged. `..data` is the link of a ConfigMap. */
function foldersOf(places: readonly string[]): WatchedFolder[] {
  return places.flatMap((place) => [
    { folder: dirname(place), only: new Set([basename(place), '..data']) },
    ...(isFolder(place) ? [{ folder: place, only: undefined }] : []),
  ])
}

/** `undefined` when it cannot be watched: it is looked at now and then all the same. */
function watchFolder(folder: string, only: ReadonlySet<string> | undefined, hint: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (name === null || only === undefined || only.has(name)) hint()
    })
    // As when the folder is removed.
    watcher.on('error', hint)
    return watcher
  } catch {
    return undefined
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** What would be different had a file changed, come or gone. Links count as what they lead to. */
function signatureOf(places: readonly string[]): string {
  return places.flatMap((place) => [place, ...entriesOf(place).map(describe)]).join('\n')
}

function entriesOf(place: string): string[] {
  if (!isFolder(place)) return [place]
  try {
    return readdirSync(place)
      .sort()
      .map((name) => join(place, name))
  } catch {
    return []
  }
}

function describe(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path)
    return `${path} ${realpathSync(path)} ${ino} ${size} ${mtimeMs}`
  } catch {
    return `${path} gone`
  }
}
