/**
 * Creates, changes and ends silences by Alertmanager's rules and with its messages (0.25, `silence/silence.go` and
 * `api/v2/api.go`): a change that would alter what a silence has matched so far creates a new silence and ends the old one
 * now, so that the history does not change.
 */
import { matchesEmpty, type Matcher } from '../model/matcher.ts'
import { RegexError } from '../model/regex.ts'
import { silenceStateAt, type Silence } from '../model/silence.ts'

/** The request of a user. */
export interface SilenceRequest {
  /** Of the silence to change; absent for a new one. */
  readonly id?: string
  readonly matchers: readonly Matcher[]
  /** Absent: now. A new silence cannot start in the past. */
  readonly startsAtMs?: number
  readonly endsAtMs: number
  readonly createdBy: string
  readonly comment: string
  readonly untilResolved: boolean
}

export type SilenceChange =
  | {
      readonly kind: 'changed'
      readonly silence: Silence
      /** The silence that it replaces, which ends now. */
      readonly replaced?: Silence
    }
  | { readonly kind: 'not_found' }
  | {
      readonly kind: 'refused'
      readonly message: string
    }

/** Pure. @param previous the silence with the id `wish.id`, if there is one */
export function changeSilence(
  wish: SilenceRequest,
  previous: Silence | undefined,
  nowMs: number,
  newId: () => string,
): SilenceChange {
  const startsAtMs = wish.startsAtMs ?? nowMs
  const { matchers, endsAtMs, createdBy, comment, untilResolved } = wish
  if (startsAtMs >= endsAtMs) return refused('Failed to create silence: start time must be before end time')
  if (endsAtMs < nowMs) return refused("Failed to create silence: end time can't be in the past")
  if (wish.id !== undefined && previous === undefined) return { kind: 'not_found' }
  const fault = matcherFault(matchers)
  if (fault !== undefined) return refused(`silence invalid: ${fault}`)

  const common = { matchers, endsAtMs, createdBy, comment, untilResolved, updatedAtMs: nowMs }
  if (previous !== undefined && leavesThePast(previous, { matchers, startsAtMs }, nowMs)) {
    return { kind: 'changed', silence: { ...common, id: previous.id, startsAtMs } }
  }
  const silence = { ...common, id: newId(), startsAtMs: Math.max(startsAtMs, nowMs) }
  if (previous === undefined || silenceStateAt(previous, nowMs) === 'expired') return { kind: 'changed', silence }
  return { kind: 'changed', silence, replaced: endSilence(previous, nowMs) }
}

/** Ends a silence now; an expired one is not changed. */
export function endSilence(silence: Silence, nowMs: number): Silence {
  switch (silenceStateAt(silence, nowMs)) {
    case 'expired':
      return silence
    case 'active':
      return { ...silence, endsAtMs: nowMs, updatedAtMs: nowMs }
    case 'pending':
      return { ...silence, startsAtMs: nowMs, endsAtMs: nowMs, updatedAtMs: nowMs }
  }
}

function refused(message: string): SilenceChange {
  return { kind: 'refused', message }
}

/** Whether the change alters nothing before now. Start times are compared by the second, as they are sent. */
function leavesThePast(previous: Silence, next: Pick<Silence, 'matchers' | 'startsAtMs'>, nowMs: number): boolean {
  if (JSON.stringify(previous.matchers.map(parts)) !== JSON.stringify(next.matchers.map(parts))) return false
  switch (silenceStateAt(previous, nowMs)) {
    case 'active':
      return Math.floor(previous.startsAtMs / 1000) === Math.floor(next.startsAtMs / 1000)
    case 'pending':
      return next.startsAtMs >= nowMs
    case 'expired':
      return false
  }
}

function parts({ name, op, value }: Matcher): readonly string[] {
  return [name, op, value]
}

const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/
/** Maximum number of matchers of a silence, and of characters of a value; users need far less. */
const MATCHERS_MAX = 100
const VALUE_CHARS_MAX = 10_000

function matcherFault(matchers: readonly Matcher[]): string | undefined {
  if (matchers.length === 0) return 'at least one matcher required'
  if (matchers.length > MATCHERS_MAX) return `got ${matchers.length} matchers, want at most ${MATCHERS_MAX}`
  let isAllEmpty = true
  for (const [i, matcher] of matchers.entries()) {
    const { name, op, value } = matcher
    if (!LABEL_NAME.test(name)) return `invalid label matcher ${i}: invalid label name ${JSON.stringify(name)}`
    if (value.length > VALUE_CHARS_MAX) {
      return `invalid label matcher ${i}: got a value of ${value.length} characters, want at most ${VALUE_CHARS_MAX}`
    }
    try {
      // As in Alertmanager, a negative matcher counts as selective.
      if (!matchesEmpty(matcher) || op === '!=' || op === '!~') isAllEmpty = false
    } catch (thrown) {
      if (!(thrown instanceof RegexError)) throw thrown
      const shown = JSON.stringify(value)
      return `invalid label matcher ${i}: invalid regular expression ${shown}: ${thrown.message}`
    }
  }
  return isAllEmpty ? 'at least one matcher must not match the empty string' : undefined
}
