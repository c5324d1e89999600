import { readFileSync, readdirSync } from 'node:fs'

/**
 * Processor time of the browser below this process, all of its processes together. Those of other browsers on the machine
 * are not counted. Linux only: it reads /proc.
 */

/** What Linux counts a process' time in. */
const TICKS_PER_SECOND = 100

interface Process {
  readonly parent: number
  readonly ticks: number
}

/** Says how many seconds of processor time the browser has used since now. */
export function startBrowserClock(): () => number {
  const before = browserTicks()
  return () => {
    // Processes of an earlier page end meanwhile, and their time with them.
    const used = [...browserTicks()].reduce((sum, [pid, ticks]) => sum + ticks - (before.get(pid) ?? 0), 0)
    return used / TICKS_PER_SECOND
  }
}

function browserTicks(): ReadonlyMap<number, number> {
  const all = new Map(readdirSync('/proc').flatMap((name) => processOf(Number(name))))
  const isBelow = (pid: number): boolean => {
    let at = all.get(pid)?.parent ?? 0
    while (at !== process.pid && at > 1) at = all.get(at)?.parent ?? 0
    return at === process.pid
  }
  return new Map([...all].filter(([pid]) => isBelow(pid)).map(([pid, { ticks }]) => [pid, ticks]))
}

function processOf(pid: number): readonly (readonly [number, Process])[] {
  if (!Number.isInteger(pid)) return []
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    return [[pid, { parent: fields[1] ?? 0, ticks: (fields[11] ?? 0) + (fields[12] ?? 0) }]]
  } catch {
    return [] // It has ended meanwhile.
  }
}
