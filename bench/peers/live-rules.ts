/**
 * The fleet's rules as they run: before each evaluation the next scrape of every cluster arrives, and the time moves on
 * with it, so nothing can be answered from what was answered before. Each rule is an instant query, for all alike:
 * VictoriaMetrics' rules are instant queries anyway, asked by a program of its own. Only the queries are measured: the
 * first evaluation apart, and then, because rules run for weeks, those of a server that has evaluated them some times.
 */
import { SCRAPE_MS } from './fleet.ts'
import { inOneLife, nowMs, type Course } from './lives.ts'
import { fleetOf, relayLanes, sendPast, timesEndingAt } from './payloads.ts'
import { ask, costOf, type AnswerShape } from './asking.ts'
import { FLEET_RULES } from './queries.ts'
import type { ScenarioResult } from './results.ts'
import { send } from './sender.ts'
import type { RunningServer } from './server.ts'

/** Before the first evaluation: as long as the longest window, and some more. */
const BEFORE_SCRAPES = 80
const REST_MS_MAX = 10_000
/** Longer than this it works on something else; then its work is in the figure, as it would be in the field. */
const SETTLE_MS_MAX = 5000

export function measureRules(course: Course): Promise<ScenarioResult> {
  const { rulesClusters, ruleEvaluations, ruleWarmups } = course.scale
  return inOneLife(course, async (server) => {
    const fleet = fleetOf(rulesClusters)
    const scrapes = BEFORE_SCRAPES + 1 + ruleWarmups + ruleEvaluations
    const times = timesEndingAt(nowMs(), scrapes)
    await sendPast(server, fleet, times, BEFORE_SCRAPES)
    await server.settle(REST_MS_MAX)
    const costs: { readonly cpuMs: number; readonly wallMs: number }[] = []
    let answers: Record<string, AnswerShape> = {}
    for (let scrape = BEFORE_SCRAPES; scrape < scrapes; scrape++) {
      await send(server.port, relayLanes(server.peer.writePath, fleet, { from: scrape, to: scrape + 1 }, times))
      await server.settle(SETTLE_MS_MAX)
      const cost = await costOf(server, () => evaluate(server, times.firstMs + scrape * SCRAPE_MS))
      costs.push(cost)
      answers = cost.result
    }
    const [cold] = costs
    const warm = costs.slice(1 + ruleWarmups)
    const mean = (of: (cost: (typeof costs)[number]) => number): number =>
      warm.reduce((sum, cost) => sum + of(cost), 0) / warm.length
    return {
      figures: {
        'all.coldCpuMs': cold!.cpuMs,
        'all.coldWallMs': cold!.wallMs,
        'all.cpuMs': mean(({ cpuMs }) => cpuMs),
        'all.wallMs': mean(({ wallMs }) => wallMs),
      },
      answers,
    }
  })
}

async function evaluate(server: RunningServer, timeMs: number): Promise<Record<string, AnswerShape>> {
  const answers: Record<string, AnswerShape> = {}
  for (const query of FLEET_RULES) {
    answers[query] = await ask(server, '/api/v1/query', { query, time: String(timeMs / 1000) })
  }
  return answers
}
