/**
 * Watches content folders (one level deep) and single files. A kernel event only triggers a check; the check compares
 * the results of `stat`, so it detects editors that rename a new file into place, a Kubernetes ConfigMap (whose files
 * are links into a folder that is replaced as a whole), and a folder that is itself a link. File systems without events
 * are checked periodically.
 */
import { readdirSync, realpathSync, statSync, watch, type FSWatcher } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '../base/clock.ts'

/** Delay after the last event, so that a program can finish writing several files. */
const SETTLE_MS = 250
/** For file systems without events, such as network file systems. */
const CHECK_EVERY_MS = 30_000

export interface FileWatch {
  stop(): void
}

/** @param changed called after each change, never after `stop`; it must not throw */
export function watchFiles(places: readonly string[], clock: Clock, changed: () => void): FileWatch {
  let seen = signatureOf(places)
  let isStopped = false
  let watchers: FSWatcher[] = []
  let cancelSettle: (() => void) | undefined
  let cancelCheck: (() => void) | undefined

  const arm = (): void => {
    for (const watcher of watchers) watcher.close()
    watchers = foldersOf(places).flatMap(({ folder, only }) => watchFolder(folder, only, hint) ?? [])
  }
  const check = (): void => {
    cancelCheck?.()
    cancelCheck = clock.after(CHECK_EVERY_MS, check)
    const now = signatureOf(places)
    if (now === seen) return
    seen = now
    // The watched folder may have been replaced by another one of the same name.
    arm()
    changed()
  }
  const hint = (): void => {
    if (isStopped) return
    cancelSettle?.()
    cancelSettle = clock.after(SETTLE_MS, check)
  }
  arm()
  // Detects changes between the first signature and the start of the watchers.
  hint()
  cancelCheck = clock.after(CHECK_EVERY_MS, check)
  return {
    stop: () => {
      isStopped = true
      cancelSettle?.()
      cancelCheck?.()
      for (const watcher of watchers) watcher.close()
    },
  }
}

interface WatchedFolder {
  readonly folder: string
  /** Names whose events count; `undefined`: all. */
  readonly only: ReadonlySet<string> | undefined
}

/** Each place and its parent folder, where it may be replaced. `..data` is the link of a ConfigMap. */
function foldersOf(places: readonly string[]): WatchedFolder[] {
  return places.flatMap((place) => [
    { folder: dirname(place), only: new Set([basename(place), '..data']) },
    ...(isFolder(place) ? [{ folder: place, only: undefined }] : []),
  ])
}

/** `undefined` when the folder cannot be watched: the periodic check still covers it. */
function watchFolder(folder: string, only: ReadonlySet<string> | undefined, hint: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (name === null || only === undefined || only.has(name)) hint()
    })
    // For example when the folder is removed.
    watcher.on('error', hint)
    return watcher
  } catch {
    return undefined
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

/** Differs when a file was changed, added or removed. Links are followed. */
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
    return `${path} removed`
  }
}
