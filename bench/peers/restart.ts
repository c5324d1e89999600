/**
 * How long a server is away: from the start of the process until it says that it is ready, and until it gives the first
 * right answer, over what 2,000 clusters sent in seven hours. After an orderly end, and after it was killed.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { inDirectory, inOneLife, live, nowMs, type Course } from './lives.ts'
import { load } from './past.ts'
import { fleetOf } from './payloads.ts'
import { Unanswered, ask } from './asking.ts'
import type { ScenarioResult } from './results.ts'
import { startServer, type RunningServer } from './server.ts'

const HOUR_MS = 3_600_000
const ANSWER_MS_MAX = 120_000
const POLL_MS = 10

export function measureRestart(course: Course): Promise<ScenarioResult> {
  const { restartClusters, restartHours, restMsMax } = course.scale
  const endMs = nowMs()
  return inDirectory(async (dir) => {
    const loaded = await load(course, dir, fleetOf(restartClusters), endMs, restartHours * HOUR_MS)
    // A second life, so that each has done what it does with old samples before its restart is measured.
    await live(course, dir, (server) => server.settle(restMsMax))
    const emptyReadyMs = await inOneLife(course, (server) => Promise.resolve(server.readyMs))
    const stopped = await restart(course, dir, endMs, (server) => server.kill())
    const killed = await restart(course, dir, endMs, (server) => server.stop())
    return {
      figures: {
        samples: loaded.samples,
        loadSeconds: loaded.seconds,
        emptyReadyMs,
        readyMs: stopped.readyMs,
        answeredMs: stopped.answeredMs,
        cpuMs: stopped.cpuMs,
        killedReadyMs: killed.readyMs,
        killedAnsweredMs: killed.answeredMs,
        killedCpuMs: killed.cpuMs,
      },
      notes: loaded.notes,
    }
  })
}

async function restart(
  course: Course,
  dir: string,
  endMs: number,
  end: (server: RunningServer) => Promise<void>,
): Promise<{ readonly readyMs: number; readonly answeredMs: number; readonly cpuMs: number }> {
  const startMs = performance.now()
  const server = await startServer(course.peer, dir, course.profileDir)
  try {
    while ((await clustersAt(server, endMs)) !== course.scale.restartClusters) {
      if (performance.now() > startMs + ANSWER_MS_MAX) {
        throw new Error(`${course.peer.name} gave no right answer within ${ANSWER_MS_MAX / 1000} s of its restart`)
      }
      await wait(POLL_MS)
    }
    const answeredMs = performance.now() - startMs
    const cpuMs = server.cpuMs()
    await server.settle(course.scale.restMsMax)
    await end(server)
    return { readyMs: server.readyMs, answeredMs, cpuMs }
  } finally {
    await server.stop()
  }
}

async function clustersAt(server: RunningServer, timeMs: number): Promise<number> {
  try {
    const params = { query: 'count(kubevirt_hco_info)', time: String(timeMs / 1000) }
    return (await ask(server, '/api/v1/query', params)).sum
  } catch (thrown) {
    if (thrown instanceof Unanswered) return 0
    throw thrown
  }
}
