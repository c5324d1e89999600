/**
 * The fleet as it is: each cluster sends one scrape of 60 samples every 30 seconds, at its own moment, for some minutes
 * of real time. What a server takes of one core while that goes on, and whether it keeps up.
 */
import { SCRAPE_MS, offsetOf, seriesOf } from './fleet.ts'
import { inOneLife, type Course } from './lives.ts'
import { CONNECTIONS, scrapesOf } from './payloads.ts'
import type { ScenarioResult } from './results.ts'
import { httpRequest, send, type Request } from './sender.ts'
import type { RunningServer } from './server.ts'
import { writeBody } from './write-body.ts'

/** Connections, of fifty clusters each: a fleet comes through a proxy that keeps them. */
const CLUSTERS_PER_CONNECTION = 50
const REST_MS_MAX = 60_000
/** Between the making of the bodies and the first that leaves, so that no sample is ahead of the clock. */
const LEAD_MS = 30_000

export function measureSustained(course: Course): Promise<ScenarioResult> {
  const { sustainedClusters: clusters, sustainedRounds: rounds } = course.scale
  return inOneLife(course, async (server) => {
    const firstMs = Math.floor(Date.now() / 1000) * 1000 - LEAD_MS
    const { first, paced } = lanesFor(server, clusters, rounds, firstMs)
    // All series arrive for the first time one interval before the pace begins, as fast as they are taken.
    await send(server.port, first)
    await server.settle(REST_MS_MAX)
    const startMs = performance.now()
    const startCpuMs = server.cpuMs()
    const sent = await send(server.port, paced)
    const wallMs = performance.now() - startMs
    const cpuMs = server.cpuMs() - startCpuMs
    const notes = sent.lateMsMax > SCRAPE_MS ? [`did not keep up: ${(sent.lateMsMax / 1000).toFixed(0)} s behind`] : []
    return {
      figures: {
        coreShare: cpuMs / wallMs,
        ackMsP50: sent.ackMsP50,
        ackMsP99: sent.ackMsP99,
        lateMsMax: sent.lateMsMax,
        peakBytes: server.peakBytes(),
        senderShare: sent.senderShare,
        wallMs,
      },
      notes: [...notes, ...(sent.putOff > 0 ? [`${sent.putOff} requests were put off and sent again`] : [])],
    }
  })
}

interface Lanes {
  readonly first: Request[][]
  readonly paced: Request[][]
}

/** Each cluster's paced requests are due at its own moments, spread over the interval. */
function lanesFor(server: RunningServer, clusters: number, rounds: number, firstMs: number): Lanes {
  const connections = Math.ceil(clusters / CLUSTERS_PER_CONNECTION)
  const first = Array.from({ length: CONNECTIONS }, (): Request[] => [])
  const paced = Array.from({ length: connections }, (): Request[] => [])
  const times = { firstMs, stepMs: SCRAPE_MS }
  for (let cluster = 0; cluster < clusters; cluster++) {
    const series = seriesOf(cluster)
    const requestOf = (scrape: number): Buffer =>
      httpRequest(server.peer.writePath, writeBody(scrapesOf(series, scrape, scrape + 1), times))
    first[cluster % CONNECTIONS]!.push({ bytes: requestOf(0) })
    for (let round = 1; round <= rounds; round++) {
      const dueMs = round * SCRAPE_MS - offsetOf(cluster)
      paced[cluster % connections]!.push({ bytes: requestOf(round), dueMs })
    }
  }
  for (const lane of paced) lane.sort((a, b) => a.dueMs! - b.dueMs!)
  return { first, paced }
}
