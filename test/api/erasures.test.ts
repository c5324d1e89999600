import { describe, expect, test } from 'vitest'
import { createErasures, type ErasureStore } from '../../src/fleet/clusters/erasures.ts'
import type { Erasure } from '../../src/model/erasure.ts'
import type { Principal } from '../../src/model/token.ts'
import { makeServer, NOW_MS } from './test-server.ts'

const TOKENS: ReadonlyMap<string, Principal> = new Map([
  ['v', { role: 'viewer', name: 'wall' }],
  ['r', { role: 'responder', name: 'bob' }],
  ['a', { role: 'admin', name: 'ada' }],
])

/** Knows one cluster, and ends an erasure when it is told to. */
class MemoryErasures implements ErasureStore {
  all: Erasure[] = []
  list() {
    return Promise.resolve(this.all)
  }
  begin(cluster: string, id: string, by: string, startedMs: number) {
    if (cluster !== 'prague') return Promise.resolve(undefined)
    const begun = { id, names: ['prague', 'prague-uid'], by, startedMs, removed: 0 }
    this.all.push(begun)
    return Promise.resolve(begun)
  }
  allow(id: string, by: string, atMs: number) {
    const known = this.all.find((one) => one.id === id && one.doneMs !== undefined)
    if (known === undefined) return Promise.resolve(undefined)
    this.all = [{ ...known, allowed: { atMs, by } }]
    return Promise.resolve(this.all[0])
  }
  refused(names: readonly string[]) {
    return Promise.resolve(this.all.length === 0 ? [] : names.filter((name) => name.startsWith('prague')))
  }
  done() {
    this.all = this.all.map(({ id, by, startedMs }) => ({ id, by, startedMs, removed: 7, doneMs: NOW_MS }))
  }
}

async function rig() {
  const store = new MemoryErasures()
  const forgotten: string[] = []
  const erasures = await createErasures(
    store,
    () => 'id-1',
    (names, by) => {
      forgotten.push(`${names.join('+')} by ${by}`)
      return Promise.resolve()
    },
  )
  const report = {
    names: ['prague'],
    stored: [{ what: 'samples', count: 3, bytes: 10, oldestMs: 0, newestMs: NOW_MS }],
  } as const
  const { app } = await makeServer({
    ...{ erasures, requiresToken: true, authenticate: (token) => Promise.resolve(TOKENS.get(token)) },
    clusterReport: (cluster) => Promise.resolve(cluster === 'prague' ? report : undefined),
    settings: { options: { 'retention.raw': '30d' } },
  })
  const ask = async (token: string, method: 'GET' | 'POST', path: string, payload?: object) => {
    const answer = await app.inject({
      method,
      url: `/api/fleet/v1${path}`,
      headers: { authorization: `Bearer ${token}` },
      ...(payload === undefined ? {} : { payload }),
    })
    return { status: answer.statusCode, body: answer.json<Record<string, unknown>>() }
  }
  return { app, store, erasures, forgotten, ask }
}

describe('/api/fleet/v1/erasures', () => {
  test('erases a cluster whose name is confirmed, and allows its data again when that is done', async () => {
    const { app, ask, store, erasures, forgotten } = await rig()
    const wrong = await ask('a', 'POST', '/erasures', { cluster: 'prague', confirm: 'prage' })
    expect(wrong).toMatchObject({
      status: 400,
      body: { error: 'confirm: got "prage", want the name of the cluster again, "prague"' },
    })
    expect(await ask('a', 'POST', '/erasures', { cluster: 'x', confirm: 'x' })).toMatchObject({ status: 404 })
    expect(store.all).toEqual([])
    const begun = await ask('a', 'POST', '/erasures', { cluster: 'prague', confirm: 'prague', by: 'mallory' })
    expect(begun).toMatchObject({
      status: 201,
      body: { id: 'id-1', names: ['prague', 'prague-uid'], state: 'erasing', by: 'ada' },
    })
    expect(await ask('a', 'POST', '/erasures/id-1/allow', {})).toMatchObject({ status: 404 })
    await erasures.cycle(NOW_MS)
    expect(forgotten).toEqual(['prague+prague-uid by ada', 'prague+prague-uid by daytwo'])
    store.done()
    expect(await ask('a', 'GET', '/erasures')).toMatchObject({
      body: { erasures: [{ names: null, state: 'erased', removed: 7 }] },
    })
    // Once more after its end, also when somebody has read of that before.
    await erasures.cycle(NOW_MS)
    await erasures.cycle(NOW_MS)
    expect(forgotten).toHaveLength(3)
    const allowed = await ask('a', 'POST', '/erasures/id-1/allow', {})
    expect(allowed).toMatchObject({ status: 200, body: { state: 'allowed', allowedBy: 'ada' } })
    await app.close()
  })

  test('refuses alerts of an erased cluster, by any name, and takes the others of the request', async () => {
    const { app, ask } = await rig()
    const post = async (...all: readonly Readonly<Record<string, string>>[]) => {
      const answer = await app.inject({
        method: 'POST',
        url: '/api/v2/alerts',
        headers: { authorization: 'Bearer a', 'content-type': 'application/json' },
        payload: JSON.stringify(all.map((labels) => ({ labels: { alertname: 'A', ...labels } }))),
      })
      return answer.statusCode
    }
    expect(await post({ cluster: 'prague' })).toBe(200)
    await ask('a', 'POST', '/erasures', { cluster: 'prague', confirm: 'prague' })
    expect(await post({ cluster: 'brno', cluster_id: 'prague-uid' }, { cluster: 'zlin' })).toBe(400)
    const shown = await app.inject({ url: '/api/v2/alerts', headers: { authorization: 'Bearer v' } })
    expect(shown.json<{ labels: { cluster: string } }[]>().map(({ labels }) => labels.cluster)).toEqual([
      'prague',
      'zlin',
    ])
    await app.close()
  })

  test('and the report are for admins', async () => {
    const { app, ask } = await rig()
    for (const token of ['v', 'r']) {
      expect(await ask(token, 'GET', '/erasures')).toMatchObject({ status: 403 })
      expect(await ask(token, 'POST', '/erasures', { cluster: 'prague', confirm: 'prague' })).toMatchObject({
        status: 403,
      })
      expect(await ask(token, 'POST', '/erasures/id-1/allow', {})).toMatchObject({ status: 403 })
      expect(await ask(token, 'GET', '/clusters/prague/stored')).toMatchObject({ status: 403 })
    }
    const samples = {
      what: 'samples',
      count: 3,
      bytes: 10,
      retention: { option: 'retention.raw', value: '30d' },
      partial: false,
    }
    expect(await ask('a', 'GET', '/clusters/prague/stored')).toMatchObject({
      body: { names: ['prague'], stored: [samples] },
    })
    expect(await ask('a', 'GET', '/clusters/x/stored')).toMatchObject({ status: 404 })
    await app.close()
  })
})

test('an erasure that begins while a cycle forgets one that has ended is forgotten by the next cycle too', async () => {
  let all: readonly Erasure[] = [{ id: '1', names: ['prague'], by: 'ada', startedMs: 0, removed: 0 }]
  const store: ErasureStore = {
    list: () => Promise.resolve(all),
    begin: (cluster, id, by, startedMs) => {
      const begun = { id, names: [cluster], by, startedMs, removed: 0 }
      all = [...all, begun]
      return Promise.resolve(begun)
    },
    allow: () => Promise.resolve(undefined),
    refused: () => Promise.resolve([]),
  }
  const forgotten: string[] = []
  const erasures = await createErasures(
    store,
    () => '2',
    async (names, by) => {
      forgotten.push(`${names.join('+')} by ${by}`)
      if (forgotten.length === 1) await erasures.begin('brno', 'bob', NOW_MS)
    },
  )
  all = [{ id: '1', by: 'ada', startedMs: 0, removed: 7, doneMs: NOW_MS }]
  await erasures.cycle(NOW_MS)
  await erasures.cycle(NOW_MS)
  expect(forgotten).toEqual(['prague by daytwo', 'brno by bob', 'brno by daytwo'])
})
