/**
 * The words that no text for people contains, with what to write instead; `docs/style.md` has the vocabulary. A text is a
 * string of `src` that a page, a log, an error or `--help` shows, and the prose of runbooks, alerts, dashboards and documents.
 */
export const TERMS: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\b(?:tells?|told|untold)\b/i, 'report, notify, distinguish'],
  [/\b(?:heard|hears?)\b/i, 'last seen, not reported'],
  [/\bask(?:s|ed|ing)?\b/i, 'request, require, query'],
  [/\bkept\b(?! \w+ing\b)/i, 'stored, retained, unchanged'],
  [/\b(?:stands?|stood)\b/i, 'is; no progress for'],
  [/(?<!\bstate )\bmachines?\b(?![ -](?:types?|config))/i, 'VM; host'],
  [/\bvirtual machines?\b/i, 'VM'],
  [/\b(?:follow their|machines follow)\b/i, 'workload update'],
  [/\b(?:said|says?|saying|speaks?|spoken|speaking)\b/i, 'report, declare, state'],
  [/\bsee (?:that (?:it|they)|to)\b|\bsees to\b/i, 'check, fix'],
  [/\bdeeds?\b/i, 'action'],
  [/\bedges?\b(?! (?:kit|cases?)\b)/i, 'upgrade path'],
  [/\b(?:got|gets?) (?:further|through|worse)\b/i, 'progressed, succeeded, regressing'],
  [/\b(?:is|are|was|were|not) through\b/i, 'complete'],
  [/\b(?:beg[au]n|begins?)\b/i, 'start'],
  [/\b\d+ of 100\b|\bhalf (?:stand|of the runs)\b/i, 'p90, p50'],
  [/\busual(?:ly)?\b/i, 'typical, default'],
  [/\bended well\b/i, 'success rate'],
  [/\b(?:some|any|every|no)body\b|\bwhoever\b/i, 'the role: administrator, user, client'],
  [/\bin (?:its|the) way\b/i, 'blocked by'],
  [/\bedited past\b|\bpast (?:HyperConverged|the API)\b/i, 'out-of-band modification'],
  [/\bonly (?:me|this cluster)\?/i, 'other clusters with this alert'],
  [/\bdid it work\b/i, 'verification'],
  [/\bwhat about\b/i, 'previous occurrences'],
  [/\bstand(?:s|ing)? still\b|\blet go\b/i, 'paused, resume'],
  [/\bnot fit\b(?! (?:in|into)\b)/i, 'not supported, misconfigured'],
  [/\bat hand\b|\bthe book\b/i, 'in memory; index'],
  [/\bbeats?\b/i, 'evaluation cycle'],
  [/\banew\b|\breckon|\b(?:read|tried|started) again\b/i, 'again, reload, restart, retry, recompute'],
  [/\blook(?:s|ed|ing)? (?:at|into|for)\b|\blook-ups?\b/i, 'check, query'],
  [/\b(?:by|other|either) ways?\b|\bway (?:to|out)\b/i, 'source, connection'],
  [/\bsigns? of life\b/i, 'heartbeat'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix, repair'],
  [/\bgone\b/i, 'removed, expired, decommissioned'],
  [/\b(?:go(?:es)?|going|went) on\b/i, 'continue'],
  [/\b(?:living|loud(?:ly|er))\b/i, 'running; severity'],
  [/\bfor ever\b/i, 'permanently'],
  [/\bin one another\b/i, 'nested'],
  [/(?<!\bone )\bpass(?:es|ed)? over\b/i, 'ignore, skip'],
  [/\bput apart\b|\b(?:taken?|have|had) back\b/i, 'distinguish; revert; restore'],
  [/\bseldom\b|\bin truth\b|\bby (?:it|them)sel(?:f|ves)\b/i, 'rarely; in fact; automatically, alone'],
  [/\banswered (?:with )?\d/i, 'rejected with status 503'],
  [/(?<!\bthere )\b(?:is|are) no (?!longer\b|more\b|\w+ (?:to|that)\b)/i, 'is not a'],
  [/\bno like\b|\bcarried over\b/i, 'no equivalent; converted'],
  [/\b(?:was got|is wanted|for want of)\b/i, 'received, expected, lack of'],
  [/\bruns? of (?:an |one )?alerts?\b/i, 'occurrences of alerts'],
  [/\bslips?\b/i, 'typo'],
  [/\bfor the hand\b/i, 'manually'],
  [/\bof which\b/i, 'whose; the noun'],
  [/\bdoors?\b/i, 'access control'],
]

/** Where a term has another sense, and which one. A place is a file, or the name of a runbook or an alert's annotation. */
export const EXCEPTIONS: readonly {
  readonly place: string
  readonly phrase: string
  readonly reason: string
}[] = [
  { place: 'docs/concepts.md', phrase: '(in the API: edge)', reason: 'names the field of the API' },
  { place: 'src/bundle/redaction/patterns.ts', phrase: 'BEGIN', reason: 'the first line of a PEM file' },
  { place: 'CHANGELOG.md', phrase: '*Daytwo itself*', reason: 'name of a dashboard' },
  {
    place: 'src/fleet/readiness/hazards/machine-types.ts',
    phrase: '.machine.type',
    reason: 'names the field of the object',
  },
  { place: 'bench/README.md', phrase: 'machine', reason: 'the host of a measurement, as in benchmarks elsewhere' },
]
