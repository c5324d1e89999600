import { describe, expect, test } from 'vitest'
import { CATALOG_CHECKS } from '../../../src/catalog/checks/catalog-checks.ts'
import { SMALL_CONTENT, lintOf, replaced } from './small-content.ts'

// Each row breaks a content without a fault in one place. The check must find it, under the caret it says, and nothing
// else may be found: a defect that is told three times is read by nobody.

const RULES = 'alert-rules/virt.yaml'
const TESTS = 'alert-rules/tests/virt.yaml'
const HANDLER = 'runbooks/NoReadyVirtHandler.md'
const MODIFIED = 'runbooks/KubeVirtCRModified.md'
const BOARD = 'dashboards/virt.yaml'

interface Planted {
  readonly check: string
  readonly what: string
  readonly file: string
  readonly find: string
  readonly by: string
  /** Where it is told when that is another file. */
  readonly toldIn?: string
  /** The text that the caret is under, as far as it must begin with it. */
  readonly under: string
  /** Checks that rightly say something too. */
  readonly also?: readonly string[]
}

const CAPTION = 'A caption:\n\n'
const cell = (query: string): string => `${CAPTION}\`\`\`promql live\n${query}\n\`\`\`\n\n## Mitigation`

const PLANTED: readonly Planted[] = [
  {
    check: 'rule-file-invalid',
    what: 'a parenthesis is missing',
    file: RULES,
    find: '(kubevirt_virt_handler_ready_status)',
    by: '(kubevirt_virt_handler_ready_status',
    under: '',
  },
  {
    check: 'rule-file-invalid',
    what: 'a key is misspelt',
    file: RULES,
    find: 'for: 10m',
    by: 'four: 10m',
    under: 'four',
    also: ['text-duration', 'runbook-duration'],
  },
  {
    check: 'alert-duplicate',
    what: 'a name with the same severity twice',
    file: RULES,
    find: '      - alert: KubeVirtCRModified',
    by: `${ruleNamed('NoReadyVirtHandler')}      - alert: KubeVirtCRModified`,
    under: 'NoReadyVirtHandler',
  },
  {
    check: 'label-missing',
    what: 'no severity',
    file: RULES,
    find: '          severity: critical\n',
    by: '',
    under: 'NoReadyVirtHandler',
    also: ['test-never-fires', 'runbook-severity'],
  },
  {
    check: 'label-missing',
    what: 'a severity that nobody routes by',
    file: RULES,
    find: 'severity: critical',
    by: 'severity: page',
    under: 'page',
    also: ['test-never-fires', 'runbook-severity'],
  },
  {
    check: 'label-missing',
    what: 'no health impact',
    file: RULES,
    find: '          operator_health_impact: warning\n',
    by: '',
    under: 'KubeVirtCRModified',
  },
  {
    check: 'annotation-missing',
    what: 'no description',
    file: RULES,
    find: '          description: It has been so for 10 minutes.\n',
    by: '',
    under: 'NoReadyVirtHandler',
  },
  {
    check: 'annotation-missing',
    what: 'an empty summary',
    file: RULES,
    find: "'No virt-handler on {{ $labels.cluster }} is ready.'",
    by: "''",
    under: 'NoReadyVirtHandler',
  },
  {
    check: 'runbook-url',
    what: 'the link of another alert',
    file: RULES,
    find: '/rb/KubeVirtCRModified',
    by: '/rb/NoReadyVirtHandler',
    under: "'{{ $externalURL }}/rb/NoReadyVirtHandler'",
  },
  {
    check: 'template-label-unknown',
    what: 'a label that the sum drops',
    file: RULES,
    find: '{{ $labels.component_name }} on',
    by: '{{ $labels.pod }} on',
    under: '$labels.pod',
  },
  {
    check: 'text-duration',
    what: 'a description of another for',
    file: RULES,
    find: 'so for 10 minutes',
    by: 'so for a quarter, for 15 minutes',
    under: 'for 15 minutes',
  },
  {
    check: 'text-duration',
    what: 'a description of another window',
    file: RULES,
    find: 'in the last 10 minutes',
    by: 'in the last hour',
    under: 'in the last hour',
  },
  {
    check: 'text-threshold',
    what: 'a description of another threshold',
    file: RULES,
    find: 'Changed {{ $value }} times',
    by: 'Changed more than 20 times',
    under: 'more than 20',
  },
  {
    check: 'cluster-dropped',
    what: 'a sum over the fleet',
    file: RULES,
    find: 'sum by (cluster, cluster_id, component_name)',
    by: 'sum by (component_name)',
    under: 'sum by (component_name)',
    also: ['cluster-not-yielded', 'template-label-unknown'],
  },
  {
    check: 'cluster-dropped',
    what: 'a join over the fleet',
    file: RULES,
    find: 'ready:sum == 0',
    by: 'ready:sum == 0 and on (cluster_id) kubevirt_info',
    under: ' and on (cluster_id) ',
  },
  {
    check: 'cluster-not-yielded',
    what: 'absent knows no cluster',
    file: RULES,
    find: 'cluster:kubevirt_virt_handler_ready:sum == 0',
    by: 'absent(kubevirt_info)',
    under: 'absent(kubevirt_info)',
    also: ['template-label-unknown', 'panel-unalerted'],
  },
  {
    check: 'recording-rule-name',
    what: 'no colons',
    file: RULES,
    find: 'interval: 30s\n    rules:\n',
    by: 'interval: 30s\n    rules:\n      - record: virt_ready\n        expr: sum by (cluster, cluster_id) (kubevirt_info)\n',
    under: 'virt_ready',
  },
  {
    check: 'test-missing',
    what: 'an alert without a test',
    file: TESTS,
    find: testsOfModified(),
    by: '',
    toldIn: RULES,
    under: 'KubeVirtCRModified',
  },
  {
    check: 'test-never-fires',
    what: 'only quiet rows',
    file: TESTS,
    find: '        exp_alerts:\n          - exp_labels: { severity: warning }',
    by: '        exp_alerts: []',
    toldIn: RULES,
    under: 'KubeVirtCRModified',
  },
  {
    check: 'test-never-quiet',
    what: 'only firing rows',
    file: TESTS,
    find: '        exp_alerts: []\n      - eval_time: 11m',
    by: '        exp_alerts: [{ exp_labels: { severity: critical } }]\n      - eval_time: 11m',
    toldIn: RULES,
    under: 'NoReadyVirtHandler',
  },
  {
    check: 'test-of-nothing',
    what: 'a row with an old name',
    file: TESTS,
    find: '      - eval_time: 30m',
    by: '      - eval_time: 2m\n        alertname: KubevirtCRModified\n        exp_alerts: []\n      - eval_time: 30m',
    under: 'KubevirtCRModified',
  },
  {
    check: 'promql-invalid',
    what: 'a cell that does not parse',
    file: MODIFIED,
    find: 'count(ALERTS{',
    by: 'count(sum(ALERTS{',
    under: '',
  },
  {
    check: 'promql-invalid',
    what: 'a panel that does not parse',
    file: BOARD,
    find: 'ready:sum{cluster=~"$cluster"}',
    by: 'ready:sum{cluster=~"$cluster"} >',
    under: '',
  },
  {
    check: 'promql-doubtful',
    what: 'a rate of a sum',
    file: RULES,
    find: 'increase(kubevirt_hco_out_of_band_modifications_total[10m])',
    by: 'increase(max by (cluster, cluster_id, component_name) (kubevirt_hco_out_of_band_modifications_total)[10m:])',
    under: 'increase(',
  },
  {
    check: 'metric-unknown',
    what: 'a metric that nobody sends, in a rule',
    file: RULES,
    find: '(kubevirt_virt_handler_ready_status)',
    by: '(kubevirt_virt_handler_redy_status)',
    under: 'kubevirt_virt_handler_redy_status',
  },
  {
    check: 'metric-unknown',
    what: 'a metric that nobody sends, in a cell',
    file: HANDLER,
    find: 'handler_ready:sum{',
    by: 'handlers_ready:sum{',
    under: 'cluster:kubevirt_virt_handlers_ready:sum',
  },
  {
    check: 'metric-unknown',
    what: 'a metric that nobody sends, in a panel',
    file: BOARD,
    find: 'handler_ready:sum{',
    by: 'handlers_ready:sum{',
    under: 'cluster:kubevirt_virt_handlers_ready:sum',
    also: ['panel-unalerted'],
  },
  {
    check: 'metric-retired',
    what: 'an old name alone',
    file: MODIFIED,
    find: '## Mitigation',
    by: cell('max(kubevirt_vmi_outdated_count)'),
    under: 'kubevirt_vmi_outdated_count',
  },
  {
    check: 'label-unknown',
    what: 'a matcher',
    file: HANDLER,
    find: 'sum{cluster=',
    by: 'sum{clustr=',
    under: 'cluster:kubevirt',
  },
  {
    check: 'label-unknown',
    what: 'a grouping',
    file: RULES,
    find: 'cluster_id, component_name)',
    by: 'cluster_id, component_name, component)',
    under: 'sum by',
  },
  {
    check: 'label-unknown',
    what: 'a join',
    file: RULES,
    find: 'ready:sum == 0',
    by: 'ready:sum == 0 and on (cluster, nodes) kubevirt_info',
    under: ' and on',
  },
  {
    check: 'label-unknown',
    what: 'a label that is copied',
    file: RULES,
    find: 'ready:sum == 0',
    by: 'ready:sum * on (cluster) group_left (kubevrsion) max by (cluster, kubeversion) (kubevirt_info) == 0',
    under: ' * on',
  },
  {
    check: 'counter-without-rate',
    what: 'a counter above a threshold',
    file: RULES,
    find: 'increase(kubevirt_hco_out_of_band_modifications_total[10m])',
    by: 'kubevirt_hco_out_of_band_modifications_total',
    under: 'kubevirt_hco_out_of_band_modifications_total',
    also: ['text-duration', 'runbook-duration'],
  },
  {
    check: 'rate-of-gauge',
    what: 'the increase of a gauge',
    file: RULES,
    find: 'increase(kubevirt_hco_out_of_band_modifications_total[10m])',
    by: 'increase(kubevirt_hco_unsafe_modifications[10m])',
    under: 'increase(',
    also: ['label-unknown', 'template-label-unknown', 'placeholder-unbound'],
  },
  {
    check: 'rate-of-gauge',
    what: 'the rate of a time that is typed as a counter',
    file: MODIFIED,
    find: '## Mitigation',
    by: cell('rate(kubevirt_vm_error_status_last_transition_timestamp_seconds[5m])'),
    under: 'rate(',
  },
  {
    check: 'alert-unknown',
    what: 'ALERTS of no alert',
    file: MODIFIED,
    find: 'alertname="KubeVirtCRModified"',
    by: 'alertname="KubevirtCRModified"',
    under: 'ALERTS{',
  },
  {
    check: 'runbook-missing',
    what: 'an alert without a page',
    file: MODIFIED,
    find: '*',
    by: '',
    toldIn: RULES,
    under: 'KubeVirtCRModified',
    also: ['link-broken'],
  },
  {
    check: 'runbook-orphan',
    what: 'a page without an alert',
    file: 'runbooks/Nobody.md',
    find: '*',
    by: '# Nobody\n\n## Meaning\n\na\n\n## Impact\n\na\n\n## Diagnosis\n\na\n\n## Mitigation\n\na\n',
    under: '# Nobody',
  },
  {
    check: 'runbook-title',
    what: 'another title',
    file: MODIFIED,
    find: '# KubeVirtCRModified',
    by: '# Modified',
    under: '# Modified',
  },
  {
    check: 'runbook-sections',
    what: 'a section is missing',
    file: MODIFIED,
    find: '## Impact\n\nNone.\n\n',
    by: '',
    under: '',
    also: ['link-broken'],
  },
  {
    check: 'runbook-sections',
    what: 'the order',
    file: MODIFIED,
    find: '## Meaning\n\nSomething changed {{component_name}} in the last 10 minutes.\n\n## Impact\n\nNone.',
    by: '## Impact\n\nNone.\n\n## Meaning\n\nSomething changed {{component_name}} in the last 10 minutes.',
    under: '## Meaning',
  },
  { check: 'runbook-front-matter', what: 'a key', file: HANDLER, find: 'aliases:', by: 'alias:', under: 'alias' },
  {
    check: 'runbook-blocks',
    what: 'a command in the text',
    file: HANDLER,
    find: 'Mend the node.',
    by: 'Run `kubectl get pods -n {{namespace}}`.',
    under: '`kubectl',
  },
  {
    check: 'runbook-blocks',
    what: 'a cell without a caption',
    file: MODIFIED,
    find: 'Where else:\n\n',
    by: '',
    under: '```promql live',
  },
  {
    check: 'alias-collision',
    what: 'an alert of today',
    file: HANDLER,
    find: '  - VirtHandlerGone',
    by: '  - KubeVirtCRModified',
    under: 'KubeVirtCRModified',
  },
  {
    check: 'link-broken',
    what: 'a page',
    file: HANDLER,
    find: '(KubeVirtCRModified.md#impact)',
    by: '(KubeVirtCRChanged.md)',
    under: 'KubeVirtCRChanged.md',
  },
  {
    check: 'link-broken',
    what: 'a heading',
    file: HANDLER,
    find: 'md#impact)',
    by: 'md#damage)',
    under: 'KubeVirtCRModified.md#damage',
  },
  {
    check: 'placeholder-unknown',
    what: 'a placeholder that does not exist',
    file: HANDLER,
    find: '-n {{namespace}}',
    by: '-n {{name_space}}',
    under: '{{name_space}}',
  },
  {
    check: 'placeholder-unbound',
    what: 'a label that the alert never has',
    file: HANDLER,
    find: 'of {{cluster}} has',
    by: 'of {{name}} has',
    under: '{{name}}',
  },
  {
    check: 'runbook-severity',
    what: 'another severity',
    file: HANDLER,
    find: 'a critical alert',
    by: 'an informational alert',
    under: 'an informational alert',
  },
  {
    check: 'runbook-severity',
    what: 'another impact',
    file: MODIFIED,
    find: 'None.',
    by: 'The health impact is critical.',
    under: 'health impact is critical',
  },
  {
    check: 'runbook-duration',
    what: 'another for',
    file: HANDLER,
    find: 'for 10 minutes',
    by: 'for at least half an hour',
    under: 'for at least',
  },
  {
    check: 'runbook-threshold',
    what: 'another threshold',
    file: MODIFIED,
    find: 'Something changed',
    by: 'There were more than 5 changes of',
    under: 'more than 5',
  },
  {
    check: 'metric-mentioned',
    what: 'a name in a text',
    file: MODIFIED,
    find: 'Ask who',
    by: 'Look at `kubevirt_hco_out_of_band_modification_total{cluster="x"}`. Ask who',
    under: '`kubevirt_hco',
  },
  {
    check: 'command-kind',
    what: 'a DaemonSet as a Deployment',
    file: HANDLER,
    find: 'get daemonset virt-handler',
    by: 'get deployment virt-handler',
    under: 'deployment virt-handler',
  },
  {
    check: 'command-twin',
    what: 'kubectl alone',
    file: HANDLER,
    find: '```bash kubectl',
    by: '```bash',
    under: 'kubectl',
  },
  {
    check: 'command-twin',
    what: 'oc in a fence for kubectl',
    file: HANDLER,
    find: 'kubectl get daemonset',
    by: 'oc get daemonset',
    under: 'oc',
  },
  {
    check: 'dashboard-invalid',
    what: 'a reference to nothing',
    file: BOARD,
    find: 'panels/ready',
    by: 'panels/redy',
    under: "'#/spec/panels/redy'",
  },
  {
    check: 'dashboard-unread',
    what: 'a kind of panel that is not drawn',
    file: BOARD,
    find: 'StatChart',
    by: 'StatsChart',
    under: 'StatsChart',
  },
  {
    check: 'panel-unalerted',
    what: 'a metric that no rule reads',
    file: BOARD,
    find: 'cluster:kubevirt_virt_handler_ready:sum',
    by: 'kubevirt_info',
    under: 'kubevirt_info',
  },
  {
    check: 'suppression',
    what: 'no reason',
    file: RULES,
    find: '      - record',
    by: '      # daytwo-lint: ignore recording-rule-name\n      - record',
    under: '# daytwo-lint',
  },
  {
    check: 'suppression',
    what: 'nothing to hide',
    file: RULES,
    find: '      - record',
    by: '      # daytwo-lint: ignore recording-rule-name: an old name\n      - record',
    under: '# daytwo-lint',
  },
  {
    check: 'suppression',
    what: 'no such check',
    file: HANDLER,
    find: '## Impact',
    by: '<!-- daytwo-lint: ignore linkbroken: it is new -->\n\n## Impact',
    under: '<!-- daytwo-lint',
  },
]

function ruleNamed(name: string): string {
  const text = SMALL_CONTENT[RULES] ?? ''
  const from = text.indexOf(`      - alert: ${name}`)
  return text.slice(from, text.indexOf('      - alert:', from + 10))
}

function testsOfModified(): string {
  const text = SMALL_CONTENT[TESTS] ?? ''
  return text.slice(text.indexOf('      - eval_time: 1m'))
}

function plant({ file, find, by }: Planted): Record<string, string> {
  if (find !== '*') return replaced(file, find, by)
  const others = Object.fromEntries(Object.entries(SMALL_CONTENT).filter(([path]) => path !== file))
  return by === '' ? others : { ...others, [file]: by }
}

test('the content without a fault has no finding', async () => {
  expect(await lintOf(SMALL_CONTENT)).toEqual([])
})

describe('planted defects', () => {
  test('there are more than thirty, and one at least for each check', () => {
    expect(PLANTED.length).toBeGreaterThan(30)
    expect([...new Set(PLANTED.map(({ check }) => check))].sort()).toEqual(
      CATALOG_CHECKS.map(({ name }) => name).sort(),
    )
  })

  test.each(PLANTED.map((planted) => [planted.check, planted.what, planted] as const))(
    '%s: %s',
    async (_, __, planted) => {
      const content = plant(planted)
      const told = await lintOf(content)
      const file = planted.toldIn ?? planted.file
      const mine = told.filter(({ check }) => check === planted.check)
      expect(mine.map((one) => one.file)).toEqual([file])
      const [one] = mine
      if (planted.under !== '') expect(one?.under.slice(0, planted.under.length)).toBe(planted.under)
      // The place is the one that was changed, or what it is about.
      const line = (content[file] ?? '').split('\n')[(one?.line ?? 0) - 1] ?? ''
      if (planted.under !== '') expect(line).toContain(planted.under.trim().split('\n')[0])
      else
        expect(Math.abs((one?.line ?? 0) - lineOfChange(planted, content))).toBeLessThanOrEqual(
          1 + lastLineSlack(planted, content),
        )
      expect([...new Set(told.map(({ check }) => check))].sort()).toEqual(
        [planted.check, ...(planted.also ?? [])].sort(),
      )
    },
  )
})

function lineOfChange({ file, by }: Planted, content: Readonly<Record<string, string>>): number {
  const text = content[file] ?? ''
  return text.slice(0, text.indexOf(by)).split('\n').length
}

/** A missing section is told at the end of the page. */
function lastLineSlack({ check, by }: Planted, content: Readonly<Record<string, string>>): number {
  return check === 'runbook-sections' && by === '' ? (content[MODIFIED] ?? '').split('\n').length : 0
}

describe('what is right is not told', () => {
  test.each([
    ['a number of a neighbour that the page names', HANDLER, 'This is', 'KubeVirtCRModified fires above 0. This is'],
    ['oc where only oc will do', HANDLER, '```bash kubectl\nkubectl get', '```bash\noc debug node/x -- oc get'],
    [
      'oc in a namespace of OpenShift',
      HANDLER,
      '```bash kubectl\nkubectl get',
      '```bash\noc -n openshift-monitoring get',
    ],
    [
      'a counter that is born',
      RULES,
      'increase(kubevirt_hco_out_of_band_modifications_total[10m])',
      'increase(kubevirt_hco_out_of_band_modifications_total[10m]) and kubevirt_hco_out_of_band_modifications_total offset 10m or kubevirt_hco_out_of_band_modifications_total',
    ],
    [
      'a fault that is meant',
      RULES,
      '      - record:',
      '      # daytwo-lint: ignore recording-rule-name: an old name\n      - record: an_old_name\n        expr: sum by (cluster) (kubevirt_info)\n      - record:',
    ],
    ['a link to another site', HANDLER, '(KubeVirtCRModified.md#impact)', '(https://example.org/nowhere)'],
    ['an old name in a link', MODIFIED, 'None.', 'See [it](VirtHandlerGone.md).'],
    [
      'ALERTS under an old name',
      MODIFIED,
      'alertname="KubeVirtCRModified"',
      'alertname=~"KubeVirtCRModified|VirtHandlerGone"',
    ],
    [
      'a metric in a text',
      MODIFIED,
      'None.',
      'See `kubevirt_info{}`, `kubevirt_vmi_*`, `kubevirt_` and `daytwo_alerts`.',
    ],
    ['a metric of this server', MODIFIED, '## Mitigation', cell('max by (state) (daytwo_alerts)')],
  ])('%s', async (_, file, find, by) => {
    expect(await lintOf(replaced(file, find, by))).toEqual([])
  })
})
