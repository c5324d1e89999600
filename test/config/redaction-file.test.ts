import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readRedactionPolicy, redactionPolicyOf } from '../../src/config/redaction-file.ts'
import { DEFAULT_REDACTION } from '../../src/model/redaction.ts'
import { tempDir } from '../support/temp-dir.ts'

const noFile = (): string => {
  throw new Error('no file')
}

describe('the redaction policy', () => {
  test('without a file it is the built-in one, and an empty file changes nothing', () => {
    expect(readRedactionPolicy('')).toBe(DEFAULT_REDACTION)
    expect(redactionPolicyOf({}, noFile)).toEqual(DEFAULT_REDACTION)
  })

  test('a file changes parts of profiles', () => {
    const folder = tempDir('redaction')
    const key = join(folder.path, 'key')
    const path = join(folder.path, 'policy.yaml')
    writeFileSync(key, ' 0123456789abcdef \n')
    writeFileSync(
      path,
      `allow: [strict]
pseudonymKeyFile: ${key}
default:
  pseudonyms: [clusters]
  secrets: false
  labels: { drop: ['pod_.*'] }
  mask: [{ name: ticket, pattern: 'OPS-[0-9]+' }]
`,
    )
    expect(readRedactionPolicy(path)).toEqual({
      profiles: {
        ...DEFAULT_REDACTION.profiles,
        default: {
          pseudonyms: new Set(['clusters']),
          masksSecrets: false,
          dropLabels: ['pod_.*'],
          masks: [{ name: 'ticket', pattern: 'OPS-[0-9]+' }],
        },
      },
      allowed: ['strict'],
      pseudonymKey: '0123456789abcdef',
    })
    writeFileSync(path, 'strict: [x]\n')
    expect(() => readRedactionPolicy(path)).toThrow(
      /cannot use the redaction policy in .*strict: got \["x"\], want a map/,
    )
    folder.remove()
  })

  test.each([
    [{ defalt: {} }, /unknown key "defalt"; did you mean default/],
    [{ allow: [] }, /allow: got no profile, want at least one/],
    [{ allow: ['all'] }, /allow: got "all", want default, strict, none/],
    [{ default: { pseudonyms: ['pods'] } }, /default.pseudonyms: got "pods", want clusters, nodes/],
    [{ default: { secrets: 'yes' } }, /default.secrets: got "yes", want true or false/],
    [{ strict: { mask: [{ name: 'x', pattern: '(' }] } }, /strict.mask\[0\].pattern: .*missing/],
    [{ strict: { mask: [{ name: 'x', pattern: 'a*' }] } }, /matches the empty text/],
    [{ strict: { mask: [{ name: 'X Y', pattern: 'a' }] } }, /strict.mask\[0\].name: got "X Y"/],
    [{ strict: { labels: { drop: ['('] } } }, /strict.labels.drop\[0\]/],
    [
      { strict: { mask: Array.from({ length: 51 }, () => ({ name: 'x', pattern: 'a' })) } },
      /got 51 items, want at most 50/,
    ],
  ])('%j is refused', (tree, why) => {
    expect(() => redactionPolicyOf(tree, noFile)).toThrow(why)
  })

  test('a short key is refused', () => {
    const read = (key: string) => redactionPolicyOf({ pseudonymKeyFile: 'k' }, () => key)
    expect(() => read('0123456789abcde')).toThrow(/a key of 15 characters, want at least 16/)
    expect(read('0123456789abcdef').pseudonymKey).toBe('0123456789abcdef')
  })
})
