import { describe, expect, test } from 'vitest'
import {
  PATCHES_VIEW,
  operationsText,
  operationText,
  patchListMarkdown,
  patchMarkdown,
} from '../../../src/web/lib/patch-text.ts'
import { patchDetail, patchItems } from '../browser/patch-fixtures.ts'

const NOW_MS = Date.parse('2026-08-20T10:00:00Z')

describe('operations', () => {
  test.each([
    [{ op: 'add', path: '/a', value: { b: 1 } }, 'add /a = {"b":1}'],
    [{ op: 'add', path: '/a', value: null }, 'add /a = null'],
    [{ op: 'remove', path: '/a' }, 'remove /a'],
    [{ op: 'move', from: '/a', path: '/b' }, 'move /a to /b'],
    [{ op: 'add', path: '/a', value: 'x'.repeat(99) }, `add /a = "${'x'.repeat(79)}…`],
  ])('%j', (operation, want) => {
    expect(operationText(operation)).toBe(want)
  })

  test('of a patch that is not read: its text', () => {
    expect(operationsText({ operations: null, text: 'no array' })).toBe('no array')
    expect(
      operationsText({
        operations: [
          { op: 'remove', path: '/a' },
          { op: 'remove', path: '/b' },
        ],
        text: '',
      }),
    ).toBe('remove /a; remove /b')
  })
})

describe('Markdown', () => {
  test('of one patch: findings, what to set instead, what changes, how to remove it, where it is', () => {
    expect(patchMarkdown(patchDetail('copy', NOW_MS)!, 'https://daytwo.example/x'))
      .toBe(`## JSON patch of KubeVirt on 2 clusters

\`\`\`json
[
  {
    "op": "replace",
    "path": "/spec/configuration/migrations/allowPostCopy",
    "value": true
  }
]
\`\`\`

### From HCO 1.18.1 to 1.19.0: 2 clusters

- **superseded** (operation 1): HyperConverged has spec.liveMigrationConfig.allowPostCopy: set it instead.

### Set in HyperConverged instead

\`\`\`yaml
spec:
  liveMigrationConfig:
    allowPostCopy: true
\`\`\`

### What the patch changes (defaults of HCO 1.18.1)

| Field | Without | With |
|---|---|---|
| /spec/configuration/migrations/allowPostCopy | false | true |

### Remove the patch

\`\`\`sh
kubectl annotate hyperconverged kubevirt-hyperconverged -n kubevirt-hyperconverged kubevirt.kubevirt.io/jsonpatch-
\`\`\`

Clusters: ams-stuck-1, prod-0001

https://daytwo.example/x
`)
  })

  test('of a patch that is not read, and without findings', () => {
    const detail = patchDetail('text', NOW_MS)!
    const bare = {
      ...detail,
      clusters: 3,
      annotation: null,
      variants: [{ ...detail.variants[0]!, findings: [], target: null }],
    }
    expect(patchMarkdown(bare, 'x')).toBe(`## JSON patch of CDI on 3 clusters

the annotation is no valid patch: it is no array

### From HCO 1.18.1 to the next minor: 1 cluster

Nothing was found.

Clusters: ams-stuck-1 and 2 more

x
`)
  })

  test('of the list; a bar in a patch does not end its cell', () => {
    const items = patchItems(new URLSearchParams('component=cdi'), NOW_MS)
    const [only] = items.patches
    const text = patchListMarkdown({ ...items, patches: [{ ...only!, text: 'a|b\nc' }] }, 'x')
    expect(text.split('\n').slice(0, 5)).toEqual([
      '## JSON patches, checked against the next minor: 1 patch',
      '',
      '| Operand | Operations | Classes | Clusters | Worst finding |',
      '|---|---|---|---|---|',
      '| CDI | a\\|b c | broken | 1 | The annotation is no JSON patch: HCO refuses it and does not reconcile the operand. |',
    ])
  })
})

test('the view of the list is in its address', () => {
  const parse = (query: string) => PATCHES_VIEW.parse(query)
  expect(parse('to=1.19.0&class=gate&breaking=true')).toMatchObject({ to: '1.19.0', class: 'gate', isBreaking: true })
  expect(parse('class=nonsense')).toMatchObject({ to: '', class: '', isBreaking: false })
})
