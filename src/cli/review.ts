/** `daytwo review`: post-incident reviews and outcomes of runbooks, from a running server. */
import { writeFileSync } from 'node:fs'
import { messageOf } from '../base/errors.ts'
import type { AlertRuns } from '../contract/alert-history.ts'
import type { OutcomeList, OutcomesAnswer, OutcomeSummaryItem, ReviewAnswer } from '../contract/runbook-work.ts'
import { inputError, parseArguments, timeGiven, unexpected, verbOf } from './arguments.ts'
import type { Command } from './command.ts'
import { DEFAULT_SERVER, NoAnswer, requestOwn, serverOf, type Server } from './prometheus-client.ts'
import { tableLines } from './table.ts'

const VALUED = new Set(['active-at', 'days', 'format', 'output', 'url', 'token', 'token-file'])
const NO_ANSWER = 3
const API = '/api/runbooks/v1'

type Options = ReadonlyMap<string, string>

export const reviewCommand: Command = {
  help: () =>
    [
      'Usage: daytwo review alert FINGERPRINT [--active-at TIME] [--format markdown|json] [-o FILE] [--url SERVER]',
      '       daytwo review upgrade ID [--format markdown|json] [-o FILE] [--url SERVER]',
      '       daytwo review outcomes [NAME] [--days N] [--format text|json] [-o FILE] [--url SERVER]',
      '',
      'alert and upgrade export a post-incident review: timeline, work by runbook, what ended the alerts, and what is missing.',
      'outcomes exports how alerts ended, with times to acknowledge and to resolve; with NAME (an alert or runbook) also by revision',
      'of the runbook, and the steps that helped and that never did.',
      'Exit code 0; 2 for wrong usage; 3 when the server refuses or does not respond.',
      '',
      '  --active-at TIME\n      The start of the occurrence, RFC 3339 or seconds (default: the newest occurrence).',
      '  --days N\n      Occurrences of the last N days (default 30; with NAME 365).',
      '  --format FORMAT\n      json has all that the API returns (default markdown; of outcomes text).',
      '  -o FILE, --output FILE\n      Where the text is stored (default: standard output).',
      `  --url SERVER\n      A running server (default ${DEFAULT_SERVER}).`,
      '  --token TOKEN, --token-file FILE\n      Of a viewer, sent as a Bearer token. The address may also contain a user and password.',
    ].join('\n'),
  run: async (args) => {
    const { words, options } = parseArguments(
      args.map((arg) => (arg === '-o' ? '--output' : arg)),
      VALUED,
      new Set(),
    )
    const [verb = '', ...rest] = words
    const { work, subject, formats } = verbOf('review', VERBS, verb)
    const [word, ...others] = rest
    if ((word === undefined && verb !== 'outcomes') || others.length > 0)
      throw unexpected(`daytwo review ${verb}`, rest.join(' '), subject)
    const format = options.get('format') ?? formats[0]!
    if (!formats.includes(format)) throw unexpected('option --format', format, formats.join(' or '))
    const server = serverOf(options.get('url') ?? DEFAULT_SERVER, options)
    try {
      const text = await work(server, word ?? '', format === 'json', options)
      const file = options.get('output')
      // Notes of people may have characters that a terminal would obey.
      if (file === undefined) console.log(text.replaceAll(/(?!\n)\p{Cc}/gu, '').trimEnd())
      else store(file, text)
      return 0
    } catch (thrown) {
      if (!(thrown instanceof NoAnswer)) throw thrown
      console.error(`no review: ${thrown.message}`)
      return NO_ANSWER
    }
  },
}

type Work = (server: Server, word: string, isJson: boolean, options: Options) => Promise<string>

const VERBS: Readonly<
  Record<string, { readonly work: Work; readonly subject: string; readonly formats: readonly string[] }>
> = {
  alert: { work: alert, subject: 'the fingerprint of an alert', formats: ['markdown', 'json'] },
  upgrade: { work: upgrade, subject: 'the ID of an upgrade', formats: ['markdown', 'json'] },
  outcomes: { work: outcomes, subject: 'the name of an alert, or nothing', formats: ['text', 'json'] },
}

function store(file: string, text: string): void {
  try {
    writeFileSync(file, text)
  } catch (thrown) {
    throw inputError(`cannot store the review in ${file}: ${messageOf(thrown)}`, 'name another file with -o')
  }
}

/** Without a time the newest occurrence that is stored. */
async function alert(server: Server, fingerprint: string, isJson: boolean, options: Options): Promise<string> {
  const given = options.get('active-at')
  const path = encodeURIComponent(fingerprint)
  const atMs =
    given === undefined ? await newestOf(server, fingerprint) : timeGiven(given, 'active-at', Date.parse('2200-01-01'))
  return reviewText(server, `alerts/${path}/${atMs}`, isJson)
}

async function newestOf(server: Server, fingerprint: string): Promise<number> {
  const query = new URLSearchParams({ fingerprint, fromMs: '0', limit: '1' }).toString()
  const { runs } = await requestOwn<AlertRuns>(server, 'GET', `/api/fleet/v1/alerts/history?${query}`)
  const [newest] = runs
  if (newest === undefined) throw new NoAnswer(`no alert has the fingerprint ${JSON.stringify(fingerprint)}`)
  return newest.activeAtMs
}

function upgrade(server: Server, id: string, isJson: boolean): Promise<string> {
  return reviewText(server, `upgrades/${encodeURIComponent(id)}`, isJson)
}

async function reviewText(server: Server, path: string, isJson: boolean): Promise<string> {
  const { markdown, review } = await requestOwn<ReviewAnswer>(server, 'GET', `${API}/reviews/${path}`)
  return isJson ? `${JSON.stringify(review)}\n` : markdown
}

async function outcomes(server: Server, name: string, isJson: boolean, options: Options): Promise<string> {
  const days = options.get('days')
  const query = days === undefined ? '' : `?days=${encodeURIComponent(days)}`
  if (name === '') {
    const list = await requestOwn<OutcomeList>(server, 'GET', `${API}/outcomes${query}`)
    return isJson ? `${JSON.stringify(list)}\n` : listText(list)
  }
  const answer = await requestOwn<OutcomesAnswer>(server, 'GET', `${API}/outcomes/${encodeURIComponent(name)}${query}`)
  return isJson ? `${JSON.stringify(answer)}\n` : outcomesText(answer)
}

const SUMMARY_HEAD = [
  ...['OCCURRENCES', 'WORKED', 'FIX', 'UPGRADE', 'NO INTERVENTION', 'UNKNOWN', 'FIRING'],
  ...['ACKNOWLEDGE p50', 'RESOLVE p50'],
]

function summaryCells({ runs, worked, ended, firing, acknowledge, resolve }: OutcomeSummaryItem): readonly string[] {
  const counts = [runs, worked, ended.fix, ended.upgrade_ended, ended.by_itself, ended.unknown, firing]
  return [...counts.map(String), minutesText(acknowledge.p50Seconds), minutesText(resolve.p50Seconds)]
}

function listText({ alerts, isPartial }: OutcomeList): string {
  const rows = alerts.map(({ name, summary }) => [name, ...summaryCells(summary)])
  return linesText([...tableLines(['ALERT', ...SUMMARY_HEAD], rows), ...partialNote(isPartial)])
}

function outcomesText({ name, summary, revisions, steps, isPartial }: OutcomesAnswer): string {
  const rows = [
    ['all', ...summaryCells(summary)],
    ...revisions.map((one) => [one.revision ?? 'before the first', ...summaryCells(one.summary)]),
  ]
  const stepRows = steps.map(({ section, text, of, ticked, helped, isCurrent }) => {
    return [`${helped} of ${ticked}`, `${ticked} of ${of}`, section, isCurrent ? text : `${text} (removed)`]
  })
  return linesText([
    `Outcomes of ${name}`,
    '',
    ...tableLines(['REVISION', ...SUMMARY_HEAD], rows),
    '',
    ...(steps.length === 0 ? ['No step is recorded.'] : tableLines(['HELPED', 'TICKED', 'SECTION', 'STEP'], stepRows)),
    ...partialNote(isPartial),
  ])
}

function partialNote(isPartial: boolean): readonly string[] {
  return isPartial ? ['', 'Older occurrences are left out: only the newest were read.'] : []
}

function linesText(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`
}

/** To a tenth of a minute; too few times are complete: `–`. */
function minutesText(seconds: number | null): string {
  return seconds === null ? '–' : `${(seconds / 60).toFixed(1)} min`
}
