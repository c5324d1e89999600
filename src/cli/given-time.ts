/** The moments that options of a command name. */
import { parseTime } from '../api/prometheus/params.ts'
import { FleetError } from '../base/errors.ts'
import { parseDuration } from '../model/duration.ts'

/** A moment as an option names it; a duration is so long ago. Throws `config_invalid`. */
export function timeGiven(text: string, option: string, nowMs: number): number {
  const agoMs = parseDuration(text)
  if (agoMs !== undefined) return nowMs - agoMs
  const timeMs = parseTime(text)
  if (timeMs !== undefined) return Math.trunc(timeMs)
  throw new FleetError('config_invalid', `option --${option}: got ${JSON.stringify(text)}, want a duration or a time`, {
    hint: 'like 30d, 12h, 2026-08-20T10:00:00Z or 1787220000',
  })
}
