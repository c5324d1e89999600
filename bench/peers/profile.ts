/** Where a Node server's processor time goes: V8 profiles of its threads, summed up by function. */
import { readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'

interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
  /** Microseconds since the sample before. */
  readonly timeDeltas: readonly number[]
}

const TOP = 25
/** What V8 calls the time in which nothing ran. */
const IDLE = ['(idle)', '(root)']

/** The functions that took most of their own time, of each thread that was busy. */
export function renderProfiles(dir: string): string[] {
  const files = readdirSync(dir).filter((file) => file.endsWith('.cpuprofile'))
  return files.flatMap((file) => renderProfile(file, JSON.parse(readFileSync(join(dir, file), 'utf8')) as Profile))
}

function renderProfile(file: string, { nodes, samples, timeDeltas }: Profile): string[] {
  const nameById = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const selfUs = new Map<string, number>()
  for (const [at, id] of samples.entries()) {
    const name = nameById.get(id) ?? '(unknown)'
    selfUs.set(name, (selfUs.get(name) ?? 0) + Math.max(0, timeDeltas[at] ?? 0))
  }
  for (const idle of IDLE) selfUs.delete(idle)
  const busyUs = [...selfUs.values()].reduce((sum, us) => sum + us, 0)
  const top = [...selfUs].sort(([, a], [, b]) => b - a).slice(0, TOP)
  const rows = top.map(([name, us]) => `${((us / busyUs) * 100).toFixed(1).padStart(6)} %  ${name}`)
  return [`${file}: busy ${(busyUs / 1e6).toFixed(2)} s`, ...rows, '']
}

function nameOf({ functionName, url, lineNumber }: Profile['nodes'][number]['callFrame']): string {
  const name = functionName === '' ? '(anonymous)' : functionName
  return url === '' ? name : `${name} ${basename(url)}:${lineNumber + 1}`
}
