import { without } from '../../../src/base/without.ts'
import { expect, test } from 'vitest'
import type { AuditedAction } from '../../../src/model/audit.ts'
import type { GraphImport } from '../../../src/model/graph-import.ts'
import { NOW_MS } from '../temp-store.ts'
import { describeInBoth } from './in-both.ts'

const CATALOG: GraphImport = {
  ...{ name: 'community', kind: 'catalog', operator: 'kubevirt-hyperconverged', source: 'catalog/ "ü"' },
  ...{ importedMs: NOW_MS, by: 'ada', document: '{"package":"community"}' },
}
const GRAPH: GraphImport = { ...CATALOG, name: 'stable-4.19', kind: 'graph', operator: 'openshift', arch: 'amd64' }
const audited = (action: AuditedAction['action'], subject: string): AuditedAction => ({
  ...{ atMs: NOW_MS, by: 'ada', action, subject, detail: '{}' },
})

describeInBoth('imported graphs', (open) => {
  test('come back as they were, after a restart too, replaced by name and removed, with the audit', async () => {
    const facts = await open()
    expect(await facts.updateGraphs.list()).toEqual([])
    await facts.updateGraphs.put(GRAPH, audited('graph.import', GRAPH.name))
    await facts.updateGraphs.put(CATALOG, audited('graph.import', CATALOG.name))
    const anyArch = without({ ...GRAPH, document: '{}' }, 'arch')
    await facts.updateGraphs.put(anyArch, audited('graph.import', GRAPH.name))
    const reopened = await facts.reopened()
    expect(await reopened.updateGraphs.list()).toEqual([CATALOG, anyArch])
    await reopened.updateGraphs.remove('community', audited('graph.remove', 'community'))
    expect(await reopened.updateGraphs.list()).toEqual([anyArch])
    expect((await reopened.audit.list(9)).map(({ action, subject }) => `${action} ${subject}`)).toEqual([
      'graph.remove community',
      'graph.import stable-4.19',
      'graph.import community',
      'graph.import stable-4.19',
    ])
  })
})
