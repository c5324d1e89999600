import { describe, expect, test } from 'vitest'
import { bindRunbook, type BoundPage } from '../../src/catalog/bind-runbook.ts'
import { componentOf, pageValues, type PageContext } from '../../src/catalog/page-values.ts'
import { parseRunbookPage } from '../../src/catalog/runbook-page.ts'
import { Labels } from '../../src/model/labels.ts'

const FENCE = '```'

function alertWith(labels: Record<string, string>): NonNullable<PageContext['alert']> {
  return { labels: Labels.of(labels), value: 3, activeAtMs: Date.UTC(2026, 7, 20, 10, 0, 0, 250) }
}

function bind(text: string, context: PageContext): BoundPage {
  return bindRunbook(parseRunbookPage('runbooks/Alpha.md', text).page, context)
}

function fence(info: string, content: string): string {
  return `${FENCE}${info}\n${content}\n${FENCE}\n`
}

describe('a value is written as its place demands', () => {
  const context = { alert: alertWith({ name: `it's "$(x)" a|b`, cluster: 'fra-1' }) }
  test.each([
    ['a shell word', fence('bash', 'get {{name}}'), fence('bash', `get 'it'\\''s "$(x)" a|b'`)],
    ['a part of a word', fence('sh', 'get vm/{{cluster}}-'), fence('sh', 'get vm/fra-1-')],
    ['single quotes', fence('bash', "get '{{name}}'"), fence('bash', `get 'it'\\''s "$(x)" a|b'`)],
    ['double quotes', fence('bash', 'get "{{name}}"'), fence('bash', `get "it's \\"\\$(x)\\" a|b"`)],
    ['a shell comment', fence('bash', '# on {{cluster}}'), fence('bash', '# on fra-1')],
    ['backticks', fence('bash', 'a `b {{cluster}}`'), fence('bash', "a `b '<cluster>'`")],
    ['PromQL', fence('promql', 'up{a="{{name}}"}'), fence('promql', `up{a="it's \\"$(x)\\" a|b"}`)],
    [
      'a pattern',
      fence('promql', 'up{a=~"{{name}}"}'),
      fence('promql', `up{a=~"it's \\"\\\\$\\\\(x\\\\)\\" a\\\\|b"}`),
    ],
    ['PromQL outside a string', fence('promql', '{{cluster}}'), fence('promql', '<cluster>')],
    ['other code, a plain value', fence('yaml', 'a: {{cluster}}'), fence('yaml', 'a: fra-1')],
    ['other code, another value', fence('yaml', 'a: {{name}}'), fence('yaml', 'a: <name>')],
    ['prose', 'Look at {{name}}.\n', `Look at it\\'s \\"\\$\\(x\\)\\" a\\|b.\n`],
    ['a code span', 'Look at `{{name}}`.\n', `Look at \`'it'\\''s "$(x)" a|b'\`.\n`],
    ['a command in a code span', 'Run `get "{{name}}"`.\n', 'Run `get "it\'s \\"\\$(x)\\" a|b"`.\n'],
    ['a name in a code span', 'Look at `vm/{{cluster}}`.\n', 'Look at `vm/fra-1`.\n'],
    ['an open placeholder in a code span', 'Look at `vm/{{node}}`.\n', 'Look at `vm/<node>`.\n'],
    ['a code span that no quoting is known for', 'Run `get ${A:-{{cluster}}}`.\n', "Run `get ${A:-'<cluster>'}`.\n"],
    ['a link', '[x](/rb/A?c={{name}})\n', '[x](/rb/A?c=it%27s%20%22%24%28x%29%22%20a%7Cb)\n'],
    ['a fence in a list', '- a\n\n  ```bash\n  get {{cluster}}\n  ```\n', '- a\n\n  ```bash\n  get fra-1\n  ```\n'],
  ])('%s', (_, text, markdown) => {
    expect(bind(text, context).markdown).toBe(markdown)
  })

  test('a backtick in a code span gets a longer fence', () => {
    expect(bind('a `{{name}}` b', { alert: alertWith({ name: 'x`y' }) }).markdown).toBe("a ``'x`y'`` b")
  })

  test('a value that looks like a placeholder is not bound again', () => {
    const bound = bind('{{name}} ' + '`{{name}}`', { alert: alertWith({ name: '{{cluster}}', cluster: 'fra-1' }) })
    expect(bound.markdown).toBe("\\{\\{cluster\\}\\} `'{{cluster}}'`")
  })
})

describe('what nothing fills stays open and is said', () => {
  const text = `On {{cluster}}.\n${fence('bash', 'a {{namespace}} "{{name}}" \'{{name}}\'')}`

  test('in prose and in commands, quoted there: bare it would be a redirection', () => {
    const bound = bind(text, { alert: alertWith({ cluster: 'fra-1' }) })
    expect(bound.markdown).toBe(`On fra-1.\n${fence('bash', `a '<namespace>' "<name>" '<name>'`)}`)
    expect(bound.unbound).toEqual(['namespace', 'name'])
    expect(bound.bindings).toEqual([{ name: 'cluster', value: 'fra-1', source: 'cluster key' }])
  })

  test('the plain page fills nothing, whatever is known', () => {
    const bound = bind(text, { alert: alertWith({ cluster: 'fra-1', namespace: 'n', name: 'x' }), isPlain: true })
    expect(bound.markdown).toContain('On \\<cluster\\>.')
    expect(bound).toMatchObject({ bindings: [], unbound: ['cluster', 'namespace', 'name'] })
  })

  test('a value no quoting makes safe counts as not there', () => {
    expect(bind(text, { alert: alertWith({ cluster: 'a\u001b[201~b', name: '--all' }) }).unbound).toEqual([
      'cluster',
      'namespace',
      'name',
    ])
  })

  test('a live cell runs only when nothing in it is open', () => {
    const cells = `A:\n\n${fence('promql live', 'up{a="{{cluster}}"}')}\nB:\n\n${fence('promql live', 'up{a="{{name}}"}')}`
    const page = `# Alpha\n\n## Meaning\n\n${cells}`
    const bound = bind(page, { alert: alertWith({ cluster: 'fra"1' }) })
    expect(bound.cells).toEqual([{ id: 'meaning-1', expr: 'up{a="fra\\"1"}' }])
    expect(bound.markdown).toContain('```promql live#meaning-1\nup{a="fra\\"1"}\n```')
    expect(bound.markdown).toContain('```promql\nup{a="<name>"}\n```')
  })

  test('a cell in a list runs without the indentation of the list', () => {
    const bound = bind('- A:\n\n  ```promql live\n  sum(\n    up\n  )\n  ```\n', {})
    expect(bound.cells).toEqual([{ id: 'page-1', expr: 'sum(\n  up\n)' }])
  })
})

describe('commands for kubectl have a twin for oc', () => {
  test.each([
    [
      'written once',
      fence('bash kubectl', 'kubectl get ns | grep kubectl.x'),
      fence('bash oc', 'oc get ns | grep kubectl.x'),
    ],
    [
      'at each command',
      fence('bash kubectl', 'kubectl a\nkubectl b $(kubectl c)'),
      fence('bash oc', 'oc a\noc b $(oc c)'),
    ],
    ['in a list', '  ```bash kubectl\n  kubectl a\n  ```\n', '  ```bash oc\n  oc a\n  ```\n'],
  ])('%s', (_, text, twin) => {
    expect(bind(text, {}).markdown).toBe(text + twin)
  })

  test('but not a second one, and none for other commands', () => {
    const pair = `${fence('bash kubectl', 'kubectl a')}\n${fence('bash oc', 'oc adm a')}${fence('bash', 'kubectl b')}`
    expect(bind(pair, {}).markdown).toBe(pair)
  })

  test('a value that says kubectl is left alone', () => {
    const bound = bind(fence('bash kubectl', 'kubectl get ns {{name}}'), { alert: alertWith({ name: 'kubectl' }) })
    expect(bound.markdown).toContain('oc get ns kubectl\n')
  })
})

describe('where values come from', () => {
  const inventory = { cluster: 'fra-1', namespace: 'openshift-cnv', hcoVersion: '1.17.0', channel: 'stable' }

  test.each<[string, PageContext, string, string | undefined, string | undefined]>([
    ['a label', { alert: alertWith({ namespace: 'n' }) }, 'namespace', 'n', 'label namespace'],
    [
      'a label before the inventory',
      { alert: alertWith({ namespace: 'n' }), inventory },
      'namespace',
      'n',
      'label namespace',
    ],
    [
      'the inventory when there is no label',
      { alert: alertWith({}), inventory },
      'namespace',
      'openshift-cnv',
      'inventory',
    ],
    ['the inventory without an alert', { inventory }, 'hco_version', '1.17.0', 'inventory'],
    ['nothing', { inventory }, 'kubevirt_version', undefined, undefined],
    ['the cluster, by another label', { alert: alertWith({ clusterID: 'id-1' }) }, 'cluster', 'id-1', 'cluster key'],
    ['the cluster, from the inventory', { alert: alertWith({}), inventory }, 'cluster', 'fra-1', 'cluster key'],
    ['the value', { alert: alertWith({}) }, 'value', '3', 'the alert'],
    ['the time', { alert: alertWith({}) }, 'since', '2026-08-20T10:00:00Z', 'the alert'],
    [
      'kind and name',
      { alert: alertWith({ component_name: 'cdi/x/y' }) },
      'component_object',
      'x/y',
      'from component_name',
    ],
    ['the kind', { alert: alertWith({ component_name: 'cdi/x' }) }, 'component_kind', 'cdi', 'from component_name'],
    [
      'the kind of an old short name',
      { alert: alertWith({ component_name: 'ssp-kubevirt-hyperconverged' }) },
      'component_kind',
      'ssp',
      'from component_name',
    ],
    [
      'no kind for an unknown short name',
      { alert: alertWith({ component_name: 'x' }) },
      'component_kind',
      undefined,
      undefined,
    ],
    [
      'what an annotation patches',
      { alert: alertWith({ annotation_name: 'containerizeddataimporter.kubevirt.io/jsonpatch' }) },
      'annotation_operand',
      'cdi',
      'from annotation_name',
    ],
    [
      'an unknown annotation',
      { alert: alertWith({ annotation_name: 'x' }) },
      'annotation_operand',
      undefined,
      undefined,
    ],
  ])('%s', (_, context, name, value, source) => {
    const found = [...pageValues(context)].find(([known]) => known === name)?.[1]
    expect({ value: found?.value, source: found?.source }).toEqual({ value, source })
  })

  test('a component is kind and name, or the name alone', () => {
    expect(componentOf('kubevirt/kubevirt-kubevirt-hyperconverged')).toEqual({
      kind: 'kubevirt',
      object: 'kubevirt-kubevirt-hyperconverged',
    })
    expect(componentOf('kubevirt-kubevirt-hyperconverged')).toEqual({
      kind: 'kubevirt',
      object: 'kubevirt-kubevirt-hyperconverged',
    })
  })
})
