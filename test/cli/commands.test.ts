import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, test } from 'vitest'
import { auditedSession } from '../../src/runtime/sessions.ts'
import { openFacts } from '../../src/store/facts/facts.ts'
import { postWrite, writeBody } from '../support/remote-write.ts'
import { MAIN, startServer, withoutContent } from '../support/server.ts'
import { tempDir } from '../support/temp-dir.ts'
import { daytwo } from './run.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

function folder(): string {
  const dir = tempDir('cli')
  closers.push(() => {
    dir.remove()
  })
  return join(dir.path, 'data')
}

describe('daytwo', () => {
  test('--help lists the commands, and each command explains itself', async () => {
    const { code, stdout } = await daytwo('--help')
    expect(code).toBe(0)
    for (const name of [
      'serve',
      'demo',
      'sim',
      'token',
      'session',
      'audit',
      'fleet',
      'ready',
      'verdict',
      'decommission',
      'query',
      'plan',
      'bundle',
      'review',
      'check',
      'config',
      'test',
      'lint',
      'runbook',
      'import',
      'version',
    ]) {
      expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
      const help = await daytwo(name, '--help')
      expect(help.code).toBe(0)
      expect(help.stdout).toMatch(new RegExp(`^Usage: daytwo ${name}`))
    }
  })

  test('version is the package’s', async () => {
    const { version } = JSON.parse(readFileSync(join(MAIN, '../../package.json'), 'utf8')) as { version: string }
    expect((await daytwo('version')).stdout).toContain(`daytwo ${version} `)
    expect((await daytwo('--version')).stdout).toContain(`daytwo ${version} `)
  })

  test.each([
    [['serv'], 'unknown command serv', 'did you mean serve?'],
    [['serve', '--retention.row', '1d'], 'unknown option --retention.row', 'did you mean --retention.raw?'],
    [['serve', '--retention.raw', 'long'], 'got "long", want a duration', ''],
    [['demo', '--clusters', 'many'], 'option clusters: got "many"', ''],
    [['sim', '--mode', 'smoke'], 'option mode: got "smoke", want one of objects, metrics, all, mixed', ''],
    [['sim', '--months', '0'], 'option months: got "0", want a whole number above 0', ''],
    [['token', 'make'], 'got "make", want add, list or remove', ''],
    [['token', 'add', '--role', 'boss', '--name', 'x'], 'option --role: got "boss"', ''],
    [['token', 'add', '--role', 'admin', '--name', 'x', '--expires', '0s'], 'got "0s", want a duration above 0', ''],
    [
      ['token', 'add', '--role', 'admin', '--name', 'x', '--clusters', 'eu'],
      'got "eu", want conditions KEY=PATTERN',
      '',
    ],
    [
      ['token', 'add', '--role', 'ingest', '--name', 'x', '--clusters', 'region=eu'],
      'got role ingest, want --cluster',
      '',
    ],
    [['audit', 'sign'], 'got "sign", want verify', ''],
    [['audit', 'verify', '--expect', '7:zz'], 'option --expect: got "7:zz", want ID:HASH', ''],
  ])('%j is refused with a hint and exit code 2', async (args, message, hint) => {
    const { code, stderr } = await daytwo(...args)
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
    expect(stderr).not.toContain('    at ')
    expect(code).toBe(2)
  })

  test('no command prints the help and fails', async () => {
    expect(await daytwo()).toMatchObject({
      code: 2,
      stdout: expect.stringContaining('Usage: daytwo COMMAND') as string,
    })
  })
})

describe('daytwo serve', () => {
  test('SIGTERM ends it gracefully, and what was received is there in its next life', async () => {
    const data = folder()
    const args = ['serve', '--listen', '127.0.0.1:0', '--data', data, '--retention.raw', '100y', ...withoutContent()]
    const first = await startServer(args)
    expect((await fetch(`${first.url}/-/healthy`)).status).toBe(200)
    const body = writeBody([{ labels: { __name__: 'm', cluster: 'a' }, samples: [{ timeMs: 1000, value: 7 }] }])
    expect((await postWrite(first.url, body)).status).toBe(204)
    expect(await first.stop()).toBe(0)

    const second = await startServer(args)
    closers.push(() => second.stop())
    expect((await second.query('m', 2000)).map(({ value }) => value)).toEqual([[2, '7']])
  })

  test('a second server on the same folder says who has it', async () => {
    const data = folder()
    const server = await startServer(['serve', '--listen', '127.0.0.1:0', '--data', data])
    closers.push(() => server.stop())
    const { code, stderr } = await daytwo('serve', '--listen', '127.0.0.1:0', '--data', data)
    expect(code).toBe(2)
    expect(stderr).toContain(data)
  })

  test('a bad rule file keeps it from starting, with a caret', async () => {
    const rules = tempDir('rules')
    closers.push(() => {
      rules.remove()
    })
    const { writeFileSync } = await import('node:fs')
    writeFileSync(
      join(rules.path, 'bad.yaml'),
      'groups:\n  - name: g\n    rules:\n      - alert: A\n        expr: sum(up\n',
    )
    const { code, stderr } = await daytwo('serve', '--listen', '127.0.0.1:0', '--data', folder(), '--rules', rules.path)
    expect(code).toBe(2)
    expect(stderr).toContain('bad.yaml:5')
    expect(stderr).toMatch(/\^/)
  })

  test('beyond loopback it wants tokens, and then asks for them', async () => {
    const data = folder()
    const args = ['serve', '--listen', '0.0.0.0:0', '--data', data, ...withoutContent()]
    const refused = await daytwo(...args)
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('without tokens')
    expect(refused.stderr).toContain('daytwo token add')

    const token = (
      await daytwo(
        'token',
        'add',
        '--data',
        data,
        '--role',
        'ingest',
        '--name',
        'prague',
        '--cluster',
        'prague-prod-01',
      )
    ).stdout.trim()
    const viewer = (await daytwo('token', 'add', '--data', data, '--role', 'viewer', '--name', 'sre')).stdout.trim()
    const listed = await daytwo('token', 'list', '--data', data)
    expect(listed.stdout).toMatch(/1 +ingest +prague-prod-01 +\S+ +never +never +prague\n2 +viewer/)
    expect(listed.stdout).not.toContain(token)

    const server = await startServer(args)
    closers.push(() => server.stop())
    const at = { timeMs: Date.now(), value: 1 }
    const own = writeBody([{ labels: { __name__: 'up', job: 'x' }, samples: [at] }])
    const other = writeBody([{ labels: { __name__: 'up', cluster: 'brno' }, samples: [at] }])
    const bearer = (value: string) => ({ authorization: `Bearer ${value}` })
    expect((await postWrite(server.url, own)).status).toBe(401)
    expect((await postWrite(server.url, own, bearer(viewer))).status).toBe(403)
    expect((await postWrite(server.url, own, bearer(token))).status).toBe(204)
    const refusal = await postWrite(server.url, other, bearer(token))
    expect([refusal.status, await refusal.text()]).toEqual([400, expect.stringContaining('cluster_mismatch')])

    const ask = (value: string) =>
      fetch(`${server.url}/api/v1/query?query=up`, {
        headers: { authorization: `Basic ${Buffer.from(`x:${value}`).toString('base64')}` },
      })
    expect((await ask(token)).status).toBe(403)
    const answer = await (await ask(viewer)).json()
    expect(answer).toMatchObject({ data: { result: [{ metric: { cluster: 'prague-prod-01', job: 'x' } }] } })
    expect((await fetch(`${server.url}/-/healthy`)).status).toBe(200)
  })

  test('a token is over the clusters of its selectors, which the list has', async () => {
    const data = folder()
    mkdirSync(data)
    const scope = ['--clusters', 'region=eu&cluster=p-*', '--clusters', 'cluster=lab']
    const made = await daytwo('token', 'add', '--role', 'admin', '--name', 'eu', ...scope, '--data', data)
    expect(made.stderr).toContain('token 1, role admin, clusters region=eu&cluster=p-*,cluster=lab;')
    const { stdout } = await daytwo('token', 'list', '--data', data)
    expect(stdout).toMatch(/1 +admin +region=eu&cluster=p-\*,cluster=lab +/)
  })

  test('a token ends when it was made to, and making and removing it is in the audit, whose chain is verified', async () => {
    const data = folder()
    mkdirSync(data)
    const token = async (...args: string[]) => daytwo('token', ...args, '--data', data)
    const made = await token('add', '--role', 'viewer', '--name', 'sre', '--expires', '90d')
    const day = new Date(Date.now() + 90 * 86_400_000).toISOString().slice(0, 10)
    expect(made.stderr).toMatch(new RegExp(`token 1, role viewer, expires ${day}T`))
    expect((await token('list')).stdout).toMatch(new RegExp(`1 +viewer +\\S+ +${day}T\\S+ +never +sre`))
    const head = (await daytwo('audit', 'verify', '--data', data)).stdout.trim()
    expect(head).toMatch(/^1:[0-9a-f]{64}$/)
    // Several processes continue one chain.
    await Promise.all([
      token('remove', '1'),
      ...['a', 'b'].map((name) => token('add', '--role', 'viewer', '--name', name)),
    ])
    const verify = (...args: string[]) => daytwo('audit', 'verify', '--data', data, ...args)
    expect(await verify('--expect', head)).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^4 entries are sound/) as string,
    })

    const database = new Database(join(data, 'daytwo.db'))
    database.exec(`UPDATE audit SET by = 'nobody' WHERE id = 1`)
    database.close()
    const broken = await verify()
    expect([broken.code, broken.stdout]).toEqual([1, ''])
    expect(broken.stderr).toContain('broken after 0 sound entries: entry 1 (token.add by nobody)')
  })

  test.each([
    ['audit', 'verify'],
    ['backup', 'file'],
    ['doctor'],
    ['fleet', 'rederive'],
    ['session', 'list'],
    ['session', 'end', 'ada'],
    ['token', 'list'],
    ['token', 'remove', '1'],
    ['token', 'add', '--role', 'viewer', '--name', 'sre'],
  ])('%s %s on a folder that does not exist is an error, and makes none', async (...words) => {
    const data = folder()
    const { code, stderr } = await daytwo(...words, '--data', data)
    expect([code, stderr]).toEqual([2, expect.stringContaining(`there is no folder ${data}`)])
    expect(existsSync(data)).toBe(false)
    mkdirSync(data)
    const empty = await daytwo(...words, '--data', data)
    // The first token of a new server comes before its first start.
    if (words[1] === 'add') expect(empty.code).toBe(0)
    else expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining(`no data in ${data}`)])
  })

  test('a backup is not compared with a folder that does not exist', async () => {
    const data = folder()
    mkdirSync(data)
    await daytwo('token', 'add', '--role', 'viewer', '--name', 'sre', '--data', data)
    const file = join(data, 'backup')
    expect((await daytwo('backup', file, '--data', data)).code).toBe(0)
    const compared = await daytwo('backup', '--verify', file, '--against', join(data, 'none'))
    expect([compared.code, compared.stderr]).toEqual([2, expect.stringContaining('no data in')])
  })

  test('session list and end are about people by name, with an entry in the audit for each session', async () => {
    const data = folder()
    mkdirSync(data)
    const facts = openFacts(data)
    const times = { startedAtMs: 0, rotatedAtMs: 0, lastSeenMs: 60_000 }
    const sessions = ['ada', 'ada', 'bob'].map((name, i) => ({
      ...{ id: `id-${i}`, hash: `hash-${i}`, key: `https://idp ${name}`, name, groups: ['sre', 'x'], ...times },
    }))
    await facts.sessions.write(
      sessions.map((one) => auditedSession('session.start', one, one.name, 0)),
      [],
    )
    const listed = await daytwo('session', 'list', '--data', data)
    expect(listed.stdout.split('\n')[1]).toBe('1970-01-01T00:00  1970-01-01T00:01  ada     sre,x')
    const none = await daytwo('session', 'end', 'eve', '--data', data)
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('"eve" has no session')])
    expect((await daytwo('session', 'end', 'ada', 'bob', '--data', data)).code).toBe(2)
    const ended = await daytwo('session', 'end', 'ada', '--data', data)
    expect([ended.code, ended.stderr]).toEqual([0, '2 sessions of ada ended\n'])
    expect((await facts.sessions.list()).map(({ name }) => name)).toEqual(['bob'])
    const entries = await facts.audit.list(9)
    expect(entries.slice(0, -3).map(({ action, subject, by }) => `${action} ${subject} ${by.slice(0, 14)}`)).toEqual(
      Array(2).fill('session.end https://idp ada command line ('),
    )
    facts.close()
  })
})
