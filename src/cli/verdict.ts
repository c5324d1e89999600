/** `daytwo verdict`: whether other clusters may follow to a version, from a running server, with exit codes for pipelines. */
import type { RolloutAnswer, RolloutDetailItem, SignalItem } from '../contract/fleet-rollouts.ts'
import { inputError, parseArguments, unexpected } from './arguments.ts'
import type { Command } from './command.ts'
import { DEFAULT_SERVER, NoAnswer, requestOwn, serverOf } from './prometheus-client.ts'
import { printTable } from './table.ts'

/** Passed on as they are. */
const COHORT = ['operator', 'first', 'channel', 'platform', 'region', 'environment', 'text'] as const
const VALUED = new Set([...COHORT, 'cluster', 'format', 'url', 'token', 'token-file'])
const PATH = '/api/fleet/v1/rollouts'

const NO_ANSWER = 1
/** 2 is wrong usage. */
const EXIT_CODES = { proceed: 0, hold: 3, insufficient: 4, not_comparable: 5 } as const

export const verdictCommand: Command = {
  help: () =>
    [
      'Usage: daytwo verdict VERSION [--first N] [--cluster NAMES] [--channel NAME] [--format text|json] [--url SERVER]',
      '',
      'Prints whether the other clusters may follow those that upgraded to a version, and the evidence. The verdict may be',
      'requested at any time and as often as wanted: that does not make a wrong one more likely (docs: verdicts on rollouts).',
      'The canary is all upgrades to the version, or those for which all given options hold.',
      'Exit code 0 for proceed; 1 when the server refuses or does not respond; 2 for wrong usage; 3 for hold; 4 for',
      'insufficient; 5 for not_comparable.',
      '',
      '  --operator NAME\n      kubevirt-hyperconverged (default), kubevirt or openshift.',
      '  --first N\n      Of the upgrades that match, the first N.',
      '  --cluster NAMES\n      Upgrades of these clusters, by name or alias, separated by commas.',
      '  --channel NAME, --platform NAME, --region NAME, --environment NAME\n      Upgrades of clusters with this channel, platform (openshift, openshift 4.20) or label.',
      '  --text TEXT\n      Upgrades of clusters with this text in their name or an alias.',
      '  --format text|json\n      json prints the rollout as the API returns it.',
      `  --url SERVER\n      A running server (default ${DEFAULT_SERVER}).`,
      '  --token TOKEN, --token-file FILE\n      Of a viewer, sent as a Bearer token. The address may also contain a user and password.',
    ].join('\n'),
  run: async (args) => {
    const { words, options } = parseArguments(args, VALUED, new Set())
    const [version, ...rest] = words
    if (version === undefined) throw inputError('daytwo verdict: got no VERSION, want one', 'such as 1.20.0')
    if (rest.length > 0) throw unexpected('daytwo verdict', rest.join(' '), 'one version')
    const format = options.get('format') ?? 'text'
    if (format !== 'text' && format !== 'json') throw unexpected('option --format', format, 'text or json')
    const server = serverOf(options.get('url') ?? DEFAULT_SERVER, options)
    try {
      const path = `${PATH}/${encodeURIComponent(version)}?${queryOf(options).toString()}`
      const { rollout } = await requestOwn<RolloutAnswer>(server, 'GET', path)
      if (format === 'json') console.log(JSON.stringify(rollout))
      else printRollout(rollout)
      return EXIT_CODES[rollout.decision]
    } catch (thrown) {
      if (!(thrown instanceof NoAnswer)) throw thrown
      console.error(`daytwo verdict: ${thrown.message}`)
      return NO_ANSWER
    }
  },
}

function queryOf(options: ReadonlyMap<string, string>): URLSearchParams {
  const query = new URLSearchParams()
  for (const name of COHORT) {
    const value = options.get(name)
    if (value !== undefined) query.set(name, value)
  }
  for (const name of (options.get('cluster') ?? '').split(',').filter((one) => one.trim() !== '')) {
    query.append('cluster', name.trim())
  }
  return query
}

function printRollout(rollout: RolloutDetailItem): void {
  const { version, decision, reason, canary, baseline, accepted, canariesNeeded, daysNeeded, clusters, leftOut } =
    rollout
  const word = decision.toUpperCase().replace('_', ' ')
  console.log(`${version}: ${word}${reason === null ? '' : `. ${reason}`}`)
  if (decision === 'insufficient') console.log(neededText(canariesNeeded, daysNeeded))
  console.log(
    `Failures: ${canary.count} of ${canary.of} canary upgrades, at most ${percent(canary.high)}; accepted ${percent(accepted)}; ` +
      `baseline ${baseline.count} of ${baseline.of}. ${clusters} clusters; ${leftOut} upgrades left out.`,
  )
  printTable(
    ['SIGNAL', 'STATE', 'EVIDENCE', 'CANARY', 'BASELINE', 'RATIO', 'SINCE'],
    rollout.signals.map(({ signal, state, factor, needed, canary: own, baseline: other, effect, since }) => [
      signal,
      state,
      `${factor.toPrecision(3)} of ${needed}`,
      `${own.count} of ${own.of}`,
      `${other.count} of ${other.of}`,
      effect === null ? '–' : ratioText(effect),
      since ?? '–',
    ]),
  )
  const slower = rollout.phases.filter(({ change }) => change === 'slower')
  for (const { phase, ratio, canary: own, baseline: other } of slower) {
    console.log(`Slower: ${phase}, ${ratioText(ratio!)} times as long (${own.runs} and ${other.runs} upgrades).`)
  }
  for (const { alertname, canary: own } of rollout.alertChanges.filter(({ isNew }) => isNew)) {
    console.log(`New alert: ${alertname}, on ${own.count} of ${own.of} clusters after the upgrade, and never before.`)
  }
}

function neededText(canaries: number | null, days: number | null): string {
  if (canaries === null)
    return 'Too many upgrades failed: no number of upgrades like those until now is enough to proceed.'
  const time = days === null ? '' : ` (about ${Math.ceil(days)} days at the present rate)`
  return `${canaries} more upgrades that end like those until now are needed${time}.`
}

/** With its interval; an open bound is `?`. */
function ratioText({ value, low, high }: Pick<NonNullable<SignalItem['effect']>, 'value' | 'low' | 'high'>): string {
  const [middle, from, to] = [value, low, high].map((one) => (one === null ? '?' : one.toFixed(2)))
  return `${middle!} (${from!} to ${to!})`
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}
