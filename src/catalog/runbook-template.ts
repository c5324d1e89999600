/**
 * The file that a new runbook starts from: the four sections, filled in as far as the alert and its rule are known. What is left
 * to the author is an instruction in the place of its answer. Pure.
 */
import { isPlaceholderName } from './placeholder.ts'

/** What is known of an alert without a runbook. */
export interface AlertSketch {
  readonly name: string
  /** PromQL; absent for an alert that a cluster raises itself. */
  readonly expr?: string
  /** As the rule has them (templates), or as the alert has them (text of a cluster). */
  readonly annotations: Readonly<Record<string, string>>
}

/** Names that are a file name everywhere, and need no quoting in a shell. */
export const RUNBOOK_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,199}$/

export function runbookTemplate({ name, expr, annotations }: AlertSketch): string {
  const { summary = '', description = '' } = annotations
  const says = [...new Set([summary, description].map(plainText))].filter((text) => text !== '')
  const alerts = `ALERTS{alertname=${JSON.stringify(name)}, alertstate="firing"`
  return [
    `# ${plainText(name)}`,
    '## Meaning',
    ...(says.length === 0 ? ['State in one sentence when the alert fires.'] : says),
    ...(expr === undefined ? [] : ['The rule:', fence('promql', expr)]),
    '## Impact',
    'State what fails while the alert fires, what keeps working, and for whom.',
    '## Diagnosis',
    '### Other clusters with this alert',
    'Number of clusters:',
    fence('promql live', `count(count by (cluster) (${alerts}}))`),
    '### What to check first',
    'State what each command shows when all is well. Warnings of the namespace:',
    fence('bash kubectl', 'kubectl get events -n {{namespace}} --field-selector type=Warning --sort-by=.lastTimestamp'),
    '## Mitigation',
    'One row for each cause that the diagnosis can find:',
    '| Observation | Action |\n|---|---|\n| What the diagnosis shows | What to do, and what it affects |',
    '### Verification',
    'Firing alerts of this name on the cluster; no result after the repair:',
    fence('promql live', `${alerts}, cluster="{{cluster}}"}`),
  ]
    .join('\n\n')
    .concat('\n')
}

/** Longer than any run of backticks in the content, so that the content cannot end it. */
function fence(info: string, content: string): string {
  const runs = content.match(/`+/g) ?? []
  const marker = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)))
  return `${marker}${info}\n${content.trim()}\n${marker}`
}

const TEXT_CHARS_MAX = 1000

/** One line of prose. References of a template to labels and the value become placeholders; nothing else is one, or is markup. */
function plainText(text: string): string {
  return text
    .slice(0, TEXT_CHARS_MAX)
    .replace(/\s+/g, ' ')
    .split(/(\{\{[^{}]*\}\})/)
    .map((part, i) => (i % 2 === 1 ? placeholderOf(part) : part.replace(/\{\{/g, '{ {')))
    .join('')
    .replace(/`/g, "'")
    .replace(/<(?=[!/a-z])/gi, '< ')
    .replace(/^[\s#>|*+=~-]+/, '')
    .trim()
}

function placeholderOf(reference: string): string {
  const [, label] = /\$labels\.(\w+)/.exec(reference) ?? []
  const name = label ?? (/\$value\b/.test(reference) ? 'value' : '')
  return isPlaceholderName(name) ? `{{${name}}}` : name === '' ? '…' : `(${name})`
}
