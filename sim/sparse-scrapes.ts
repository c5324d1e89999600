import type { SimPrometheus } from './sim-prometheus.ts'
import { MINUTE_MS } from './scenarios/window.ts'

/**
 * The past of a fleet of thousands, scraped less often: two hours of every scrape of 10,000 clusters are 200 million samples,
 * of which nearly all repeat the one before. Something is sent often enough that no series seems to have ended, and every
 * scrape while an upgrade is under way.
 */

/** Less than the five minutes after which a series counts as gone. */
const QUIET_EVERY_MS = 4 * MINUTE_MS
/** Of clusters that play a role: a rate over five minutes wants two samples. */
const STORY_EVERY_MS = 2 * MINUTE_MS
/** After the end of an upgrade what it left behind is looked at closely for so long. */
const AFTER_UPGRADE_MS = 2 * MINUTE_MS

/** Scrapes in [fromMs, untilMs), rising; the last one is among them, so that what is sent afterwards goes on from it. */
export function sparseScrapes(prometheus: SimPrometheus, fromMs: number, untilMs: number): readonly number[] {
  const { plan, scrapeMs } = prometheus
  const everyMs = plan.role === 'healthy' ? QUIET_EVERY_MS : STORY_EVERY_MS
  const every = Math.max(1, Math.floor(everyMs / scrapeMs))
  const all = prometheus.scrapesBetween(fromMs, untilMs)
  return all.filter(
    (timeMs, i) =>
      (all.length - 1 - i) % every === 0 ||
      plan.upgrades.some(({ startMs, endMs }) => timeMs >= startMs - scrapeMs && timeMs < endMs + AFTER_UPGRADE_MS),
  )
}
