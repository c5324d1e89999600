import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { privacyRulesOf, readPrivacyRules } from '../../src/config/privacy-file.ts'
import { NO_PRIVACY_RULES, parseFieldPath } from '../../src/model/privacy.ts'
import { tempDir } from '../support/temp-dir.ts'

describe('the file of privacy.config', () => {
  test('an absent file option, and an empty file, have no rules', () => {
    expect(readPrivacyRules('')).toEqual(NO_PRIVACY_RULES)
    expect(privacyRulesOf({})).toEqual(NO_PRIVACY_RULES)
  })

  test('is read from YAML, and names its path in an error', () => {
    const folder = tempDir('privacy')
    const path = join(folder.path, 'privacy.yaml')
    writeFileSync(path, "labels: { drop: [pod_ip, 'internal_.*'] }\nmetrics: { keep: [up] }\n")
    expect(readPrivacyRules(path)).toMatchObject({
      labels: { drop: ['pod_ip', 'internal_.*'] },
      metrics: { keep: ['up'], drop: [] },
    })
    writeFileSync(path, 'labels: [')
    expect(() => readPrivacyRules(path)).toThrow(`cannot use the privacy rules in ${path}`)
    folder.remove()
  })

  test.each([
    [[], 'the file: got [], want a map with metrics, labels, attributes, objects'],
    [{ lables: {} }, 'unknown key "lables"; did you mean labels?'],
    [{ labels: ['a'] }, 'labels: got ["a"], want a map with keep, drop'],
    [{ labels: { drop: 'a' } }, 'labels.drop: got "a", want a list'],
    [{ metrics: { drop: [7] } }, 'metrics.drop[0]: got 7, want a text'],
    [{ metrics: { drop: ['('] } }, 'metrics.drop[0]: '],
    [{ objects: { drop: [{ kind: 'nodes' }] } }, 'objects.drop[0]: got no paths, want at least one'],
    [{ objects: { drop: [{ paths: ['spec..x'] }] } }, 'objects.drop[0].paths[0]: got "spec..x", want a path such as'],
    [
      { objects: { drop: [{ paths: ['metadata'] }] } },
      'metadata includes metadata.name, without which no object is stored',
    ],
    [{ objects: { drop: [{ paths: ['metadata.uid'] }] } }, 'includes metadata.uid'],
    [{ objects: { drop: [{ paths: ['*'] }] } }, 'includes kind'],
    [{ metrics: { drop: Array.from({ length: 1001 }, () => 'a') } }, 'metrics.drop: got 1001 items, want at most 1000'],
  ])('%j is refused', (tree, message) => {
    expect(() => privacyRulesOf(tree)).toThrow(message)
  })

  test.each([
    ['spec', ['spec']],
    ['spec.template.spec', ['spec', 'template', 'spec']],
    ['metadata.annotations["example.com/owner"]', ['metadata', 'annotations', 'example.com/owner']],
    ['spec.containers[*].env[*].value', ['spec', 'containers', 'env', 'value']],
    ['status.*.message', ['status', '*', 'message']],
    ['.spec', undefined],
    ['spec.', undefined],
    ['spec[0]', undefined],
    ['', undefined],
  ])('%j is the path %j', (text, path) => {
    expect(parseFieldPath(text)).toEqual(path)
  })
})
