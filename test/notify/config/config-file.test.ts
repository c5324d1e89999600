import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { renderDiagnostic } from '../../../src/model/diagnostic.ts'
import { loadConfig, type LoadedConfig } from '../../../src/notify/config/config-file.ts'
import { readTemplateFiles } from '../../../src/notify/config/read-config.ts'
import { findPeer } from '../../support/peers.ts'
import { BAD_CONFIGS, GOOD_CONFIGS } from './config-cases.ts'

const load = (text: string): LoadedConfig => loadConfig('am.yml', text, readTemplateFiles)
const errorsOf = (text: string): readonly string[] =>
  load(text)
    .diagnostics.filter(({ severity }) => severity === 'error')
    .map(({ message }) => message)

describe('loadConfig', () => {
  test.each(GOOD_CONFIGS)('$name', ({ text }) => {
    expect(errorsOf(text)).toEqual([])
    expect(load(text).config).toBeDefined()
  })

  test.each(BAD_CONFIGS)('$name', ({ text, error }) => {
    const { config, diagnostics } = load(text)
    expect(config).toBeUndefined()
    expect(diagnostics.map(({ message }) => message).join('\n')).toMatch(error!)
    for (const { from, to } of diagnostics) {
      expect(from).toBeGreaterThanOrEqual(0)
      expect(to).toBeGreaterThan(from)
    }
  })

  test('all faults of a file are found at once, each where it stands', () => {
    const text = [
      'route:',
      '  receiver: nobody',
      '  group_wait: soon',
      '  routes:',
      "    - matchers: [ 'severity=\"critical\"', 'oops' ]",
      'receivers:',
      '  - name: a',
      '    webhook_configs:',
      '      - ur: http://h/',
      '',
    ].join('\n')
    const loaded = load(text)
    expect(loaded.diagnostics.map((found) => renderDiagnostic(loaded.maskedText, found)).join('\n\n'))
      .toMatchInlineSnapshot(`
      "am.yml:3:15: error: group_wait: got "soon", want a duration such as 30s, 5m, 4h
         3 |   group_wait: soon
           |               ^^^^

      am.yml:5:42: error: bad matcher: got the end after oops, want =, !=, =~ or !~
         5 |     - matchers: [ 'severity="critical"', 'oops' ]
           |                                          ^^^^^^
           = help: write it like severity="critical"

      am.yml:9:9: error: unknown key "ur" in webhook_configs[0]
         9 |       - ur: *********
           |         ^^
           = help: did you mean url?

      am.yml:9:9: error: webhook_configs[0] needs url or url_file
         9 |       - ur: *********
           |         ^

      am.yml:2:3: error: there is no receiver named "nobody"
         2 |   receiver: nobody
           |   ^^^^^^^^
           = help: known: a"
    `)
  })

  test('what receivers do not say, global says, wherever it stands', () => {
    const { config } = load(`
route: { receiver: a }
receivers:
  - name: a
    email_configs: [{ to: x@y.z }]
    slack_configs: [{ channel: '#a' }]
global:
  smtp_smarthost: mail.example.com:587
  smtp_from: me@y.z
  slack_api_url: https://hooks.example/abc
`)
    const integrations = config!.receivers.get('a')!.integrations
    expect(integrations.map(({ kind, sendResolved }) => [kind, sendResolved])).toEqual([
      ['email', false],
      ['slack', false],
    ])
    expect(integrations[0]).toMatchObject({ from: 'me@y.z', smarthost: { host: 'mail.example.com', port: 587 } })
  })
})

describe('secrets of the file', () => {
  const SECRET = 'hunter2-sEcReT'
  const cases = [
    ['a password', `http_config: { basic_auth: { username: u, password: ${SECRET} } }, url: http://h/`],
    ['the address itself', `url: http://h/${SECRET}`],
    ['an address that is none', `url: htp://h/${SECRET}`],
    ['a misspelt key', `url: http://h/, http_config: { bearer_tokn: ${SECRET} }`],
    ['a misspelt address', `urll: http://h/${SECRET}`],
    ['a quoted one', `url: http://h/, http_config: { authorization: { credentials: "${SECRET}" } }`],
  ] as const

  test.each(cases)('%s is in nothing that is shown', (_, fields) => {
    const text = `route: { receiver: a }\nreceivers:\n  - name: a\n    webhook_configs: [{ ${fields}, max_alerts: no }]\n`
    const loaded = load(text)
    const shown = loaded.diagnostics.map((found) => renderDiagnostic(loaded.maskedText, found)).join('\n')
    expect(shown).toContain('max_alerts')
    expect(shown).not.toContain(SECRET)
    expect(loaded.maskedText).toHaveLength(text.length)
  })

  test('nor where the YAML cannot be read', () => {
    const loaded = load(`global:\n  smtp_auth_password: ${SECRET}: x\nroute: { receiver: a`)
    expect(loaded.diagnostics).not.toEqual([])
    expect(loaded.diagnostics.map((found) => renderDiagnostic(loaded.maskedText, found)).join('\n')).not.toContain(
      SECRET,
    )
  })

  test('the shown file has <secret> in their places, and is a configuration still', () => {
    const text = `
global:
  smtp_smarthost: m:25
  smtp_from: a@b.c
  smtp_auth_password: ${SECRET}
  slack_api_url: 'https://hooks.example/${SECRET}'
route: { receiver: a }
receivers:
  - name: a
    webhook_configs:
      - url: http://h/${SECRET}
    pagerduty_configs:
      - routing_key: |
          ${SECRET}
        client: c
    slack_configs: [{ channel: b }]
`
    const { config } = load(text)
    expect(config!.shownText).not.toContain(SECRET)
    expect(config!.shownText.match(/<secret>/g)).toHaveLength(4)
    expect(load(config!.shownText).config).toBeDefined()
    expect(config!.secrets).toContain(SECRET)
  })
})

test('any text is read or refused, never thrown at, and carets stay inside', () => {
  const fragment = fc.constantFrom(
    'route:', 'receiver: a', 'receivers:', '- name: a', '  ', '\n', 'matchers:', "['a=b']", '{', '}', '[', ']', ': ', '- ',
    'webhook_configs:', 'url: http://h', '&x', '*x', '|', '"', "'", 'global:', 'time_intervals:', 'é', '\t', 'null', '{{', '<<: *x',
  ) // prettier-ignore
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 40 }), (parts) => {
      const text = parts.join('')
      const { diagnostics, maskedText, config } = load(text)
      expect(maskedText).toHaveLength(text.length)
      expect(config === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'))
      for (const found of diagnostics) expect(renderDiagnostic(maskedText, found)).toContain('^')
    }),
    { numRuns: 200 },
  )
})

describe('template files', () => {
  const dir = mkdtempSync(join(tmpdir(), 'daytwo-templates-'))
  beforeAll(() => {
    writeFileSync(join(dir, 'b.tmpl'), '{{ define "x" }}b{{ end }}')
    writeFileSync(join(dir, 'a.tmpl'), '{{ define "x" }}a{{ end }}')
    writeFileSync(join(dir, 'bad.tpl'), 'one\n{{ define }}')
  })
  afterAll(() => {
    rmSync(dir, { recursive: true })
  })
  const withTemplates = (pattern: string): string =>
    `templates: ['${pattern}']\nroute: { receiver: a }\nreceivers: [{ name: a }]`

  test('the later file wins, and a pattern that matches nothing is no fault', () => {
    expect(errorsOf(withTemplates(`${dir}/*.tmpl`))).toEqual([])
    expect(errorsOf(withTemplates(`${dir}/none-*`))).toEqual([])
    expect(readTemplateFiles(`${dir}/[ab].tmp?`).map(({ path }) => path)).toEqual([`${dir}/a.tmpl`, `${dir}/b.tmpl`])
  })

  test('a fault in one is told with its line', () => {
    expect(errorsOf(withTemplates(`${dir}/*.tpl`))).toEqual([expect.stringMatching(/bad\.tpl:2: /)])
  })
})

const amtool = findPeer('amtool')
describe.skipIf(amtool === undefined)('the same verdict as amtool check-config', () => {
  test.each([...GOOD_CONFIGS, ...BAD_CONFIGS])('$name', ({ text, error, differs }) => {
    const dir = mkdtempSync(join(tmpdir(), 'daytwo-amtool-'))
    try {
      const path = join(dir, 'am.yml')
      writeFileSync(path, text)
      const { status } = spawnSync(amtool!, ['check-config', path], { encoding: 'utf8' })
      const isGoodThere = status === 0
      expect(isGoodThere).toBe(differs === undefined ? error === undefined : error !== undefined)
    } finally {
      rmSync(dir, { recursive: true })
    }
  })
})
