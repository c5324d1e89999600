import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { copyText, headingId, parseBlocks, sectionsOf } from '../../../src/web/lib/runbook-blocks.ts'

const fence = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\`\n`
const kinds = (markdown: string): string[] => parseBlocks(markdown).map(({ kind }) => kind)

describe('code', () => {
  test('a command for both clients is one block', () => {
    expect(parseBlocks(`${fence('bash kubectl', 'kubectl get x')}\n${fence('bash oc', 'oc get x')}`)).toEqual([
      { kind: 'cli', commands: { kubectl: 'kubectl get x', oc: 'oc get x' } },
    ])
  })
  test('two commands for one client stay two', () => {
    expect(kinds(fence('bash kubectl', 'a') + fence('bash kubectl', 'b') + fence('bash oc', 'c'))).toEqual([
      'cli',
      'cli',
    ])
  })
  test('text between them keeps them apart', () => {
    expect(kinds(`${fence('bash kubectl', 'a')}\nor\n\n${fence('bash oc', 'b')}`)).toEqual(['cli', 'markdown', 'cli'])
  })
  test('a live query carries its id', () => {
    expect(parseBlocks(fence('promql live#c1', 'up'))).toEqual([{ kind: 'live', id: 'c1', text: 'up' }])
    expect(parseBlocks(fence('promql live', 'up'))).toEqual([{ kind: 'live', id: '', text: 'up' }])
  })
  test.each(['', 'bash', 'yaml', 'promql', 'kubectl'])('any other fence is code: %s', (info) => {
    expect(parseBlocks(fence(info, 'x'))).toEqual([{ kind: 'code', lang: info, text: 'x' }])
  })
})

test('jump links are the second-level headings', () => {
  expect(sectionsOf(parseBlocks('# Title\n\n## Meaning\n\n### No\n\n## What to do?\n'))).toEqual([
    { id: 'meaning', title: 'Meaning' },
    { id: 'what-to-do', title: 'What to do?' },
  ])
})

test('an id has no sign that an address would need to escape', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(headingId(text)).toMatch(/^[\p{L}\p{N}-]*$/u)
    }),
  )
})

test('the clipboard gets no prompt', () => {
  expect(copyText('$ kubectl get x\n$ kubectl get y\n')).toBe('kubectl get x\nkubectl get y')
  expect(copyText('echo $ HOME')).toBe('echo $ HOME')
})

test('no text breaks the reader', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      parseBlocks(text)
    }),
  )
})
