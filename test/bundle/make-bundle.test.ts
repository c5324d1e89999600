import { describe, expect, test } from 'vitest'
import { NOTHING, opaque, type BundleSubject } from '../../src/bundle/content.ts'
import { checkBundle, sha256 } from '../../src/bundle/archive/checksums.ts'
import { makeBundle } from '../../src/bundle/make-bundle.ts'
import { DEFAULT_REDACTION } from '../../src/model/redaction.ts'
import {
  bundleWith,
  contentOf,
  logRecord,
  PLANTED,
  PORTS,
  SCRIPT,
  span,
  SUBJECT,
  T0,
  transition,
  MINUTE_MS,
} from './contents.ts'

interface Manifest {
  readonly redaction: { readonly profile: string; readonly replaced: Readonly<Record<string, number>> }
  readonly cuts: readonly { readonly text: string }[]
  readonly members: readonly { readonly name: string; readonly sha256: string; readonly bytes: number }[]
  readonly versions: unknown
  readonly faults: readonly string[]
}

const manifestOf = (files: ReadonlyMap<string, string>): Manifest => JSON.parse(files.get('manifest.json')!) as Manifest

/** Each planted text that a member has in it, in any letter case. */
function leaks(files: ReadonlyMap<string, string>, planted: readonly string[]): readonly string[] {
  return [...files].flatMap(([name, text]) =>
    planted.filter((word) => text.toLowerCase().includes(word.toLowerCase())).map((word) => `${name}: ${word}`),
  )
}

describe('a bundle', () => {
  test('has its members, each with its checksum, and passes the check', async () => {
    const { bytes, files } = await bundleWith('none')
    expect([...files.keys()]).toEqual([
      ...['index.html', 'record.json', 'phases.json', 'alerts.json', 'objects.json', 'samples.json', 'trace.json'],
      ...['logs.json', 'rules.json', 'queries.json', 'runbooks/runbook-1.md', 'manifest.json', 'SHA256SUMS'],
    ])
    expect(checkBundle(bytes)).toMatchObject({ members: 13, problems: [], redaction: 'none' })
    const { members, versions } = manifestOf(files)
    expect(versions).toEqual({ daytwo: '0.1.0', schema: 42, bundle: 1 })
    for (const one of members) expect(sha256(files.get(one.name)!)).toBe(one.sha256)
    for (const [name, text] of files) if (name.endsWith('.json')) JSON.parse(text)
  })

  test('equal data makes equal bytes; other data does not', async () => {
    const [first, second] = [await bundleWith('strict'), await bundleWith('strict')]
    expect(first.bytes.equals(second.bytes)).toBe(true)
    expect((await bundleWith('strict', { asOfMs: T0 })).bytes.equals(first.bytes)).toBe(false)
  })

  test('data is as the sources have it', async () => {
    const { files } = await bundleWith('none')
    const objects = JSON.parse(files.get('objects.json')!) as Record<string, unknown>[]
    expect(objects.map(({ at, kind, change, manager }) => [at, kind, change, manager])).toEqual([
      ['2026-08-20T10:01:00.000Z', 'pods', 'modified', 'virt-operator'],
      ['2026-08-20T10:03:00.000Z', 'nodes', 'modified', 'virt-operator'],
    ])
    expect(objects[0]).toMatchObject({ before: { image: 'old' }, fields: [{ field: 'image', before: 'old' }] })
    const samples = JSON.parse(files.get('samples.json')!) as { stepSeconds: number; series: { points: unknown }[] }[]
    expect(samples[0]!.stepSeconds).toBe(16)
    expect(samples[0]!.series[0]!.points).toEqual([
      [T0 / 1000, '1'],
      [T0 / 1000 + 15, 'NaN'],
      [T0 / 1000 + 300, '+Inf'],
    ])
    const logs = JSON.parse(files.get('logs.json')!) as { at: string }[]
    expect(logs.map(({ at }) => at)).toEqual(['2026-08-20T10:01:00.000000000Z', '2026-08-20T10:02:00.000000000Z'])
    const trace = JSON.parse(files.get('trace.json')!) as { durationMs: number; parentSpanId: null }[]
    expect(trace[0]).toMatchObject({ durationMs: 1.5, parentSpanId: null })
    const record = JSON.parse(files.get('record.json')!) as { upgrade: { cluster: string } }
    expect(record.upgrade.cluster).toBe(PLANTED.cluster)
  })

  test('a rollout is a subject with a record, a window, clusters and queries', async () => {
    const canary = {
      cluster: PLANTED.cluster,
      isCanary: true,
      stratum: 'x',
      startedMs: T0,
      id: 'u1',
      observedUntilMs: T0,
    }
    const evidence = {
      signal: 'failures',
      state: 'worse',
      factor: 25,
      needed: 20,
      canary: { count: 3, of: 5 },
      baseline: { count: 1, of: 40 },
    }
    const subject: BundleSubject = {
      ...NOTHING,
      kind: 'rollout',
      ...{ id: '1.17.0', title: 'Rollout of 1.17.0: hold', window: SUBJECT.window, asOfMs: SUBJECT.asOfMs },
      record: opaque({ decision: 'hold', policy: { alpha: 0.05 }, members: [canary], evidence: [evidence] }),
      ...{
        clusters: [PLANTED.cluster, ...Array.from({ length: 30 }, (_, i) => `c-${i}`)],
        queries: [{ title: 'Attempts', expr: 'up' }],
      },
      facts: [{ name: 'Decision', value: 'hold: 3 of 5 canaries failed, 1 of 40 before' }],
    }
    const { files } = await bundleWith('default', subject)
    expect(JSON.parse(files.get('record.json')!)).toMatchObject({
      decision: 'hold',
      evidence: [{ canary: { count: 3, of: 5 } }],
    })
    expect(files.get('index.html')).toContain('hold: 3 of 5 canaries failed, 1 of 40 before')
    expect(manifestOf(files).cuts.map(({ text }) => text)).toContain('20 of 31 clusters with objects and log records')
    expect(leaks((await bundleWith('strict', subject)).files, [PLANTED.cluster])).toEqual([])
  })
})

describe('redaction of every member', () => {
  const { ticket, ...all } = PLANTED

  test('none: every planted text is in the members', async () => {
    const { files } = await bundleWith('none')
    for (const word of Object.values(PLANTED)) expect(leaks(files, [word]).length).toBeGreaterThan(5)
  })

  test('default: secrets, addresses and e-mail addresses are in no byte; names of clusters stay', async () => {
    const { files } = await bundleWith('default')
    expect(leaks(files, [PLANTED.password, PLANTED.address, PLANTED.email])).toEqual([])
    expect(leaks(files, [PLANTED.cluster]).length).toBeGreaterThan(5)
    expect(Object.keys(manifestOf(files).redaction.replaced)).toEqual(['addresses', 'emails', 'secret'])
  })

  test('strict: none of them is in any byte, and the manifest counts without values', async () => {
    const { files } = await bundleWith('strict')
    expect(leaks(files, Object.values(all))).toEqual([])
    const { redaction } = manifestOf(files)
    expect(Object.keys(redaction.replaced)).toEqual([
      'addresses',
      'clusters',
      'emails',
      'hosts',
      'nodes',
      'secret',
      'users',
    ])
    for (const count of Object.values(redaction.replaced)) expect(count).toBeGreaterThan(3)
    expect(files.get('index.html')).toContain('Profile strict: replaced addresses')
    // One cluster is one pseudonym in all members.
    expect(new Set([...files.values()].join('').match(/\[cluster-\d+\]/g))).toEqual(new Set(['[cluster-1]']))
  })

  test('a mask of the policy is in no byte either', async () => {
    const profile = { ...DEFAULT_REDACTION.profiles.strict, masks: [{ name: 'ticket', pattern: '[A-Z]+-[0-9]{4}' }] }
    const parts = await makeBundle({ subject: SUBJECT, redaction: { name: 'strict', profile } }, PORTS)
    const { unzip } = await import('../../src/bundle/archive/unzip.ts')
    const files = new Map(unzip(Buffer.concat(parts)).map((one) => [one.name, Buffer.from(one.bytes).toString()]))
    expect(leaks(files, [ticket])).toEqual([])
  })
})

describe('the page', () => {
  test('has no markup of the data, no script, and a policy that forbids both', async () => {
    const page = (await bundleWith('none')).files.get('index.html')!
    expect(page).not.toContain('<img')
    expect(page).not.toMatch(/<script/i)
    expect(page).not.toMatch(/\son\w+=["']/i)
    expect(page).toContain('&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;')
    expect(page).toMatch(
      /<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-/,
    )
    expect(page).not.toContain('javascript:')
    expect(page).not.toMatch(/<[^>]*\s(?:src|srcset|poster|action|style)=/)
    expect(page).toContain('<a href="https://kubevirt.io/x" rel="noreferrer noopener">docs</a>')
    expect(SCRIPT.length).toBeGreaterThan(5)
  })

  test('characters that hide or turn text are replaced', async () => {
    const facts = [{ name: 'x', value: 'a\u202eb\u0000c\u200bd' }]
    expect((await bundleWith('none', { facts })).files.get('index.html')).toContain('a\ufffdb\ufffdc\ufffdd')
  })

  test('has the phases, the changes, the charts, and lists queries without samples', async () => {
    const page = (await bundleWith('none')).files.get('index.html')!
    expect(page).toMatch(/<th scope="row">olm<\/th><td>succeeded<\/td><td>2026-08-20 10:00:00 UTC<\/td><td>5 min<\/td>/)
    expect(page).toMatch(/<th scope="row">operands<\/th><td>in progress<\/td>.*<td>55 min, not ended<\/td>/)
    expect(page).toMatch(/<th scope="row">workloads<\/th><td>pending<\/td><td>unknown<\/td><td>unknown<\/td>/)
    expect(page).toMatch(/<rect class="bar done" x="0" width="83" height="10"\/>/)
    expect(page).toMatch(/<path class="line c0" d="M0.0 105\.3L0.0 105\.3"\/>/)
    // Steps that follow each other are joined, and a gap is not.
    expect(page).toMatch(/<path class="line c1" d="M0.0 156.0L0.0 156.0L4\.2 4\.0"\/>/)
    expect(page).toContain('1 query without samples in the window')
    expect(page).toContain('<h4>VirtAPIDown</h4>')
  })

  test('texts in attributes end no attribute', async () => {
    const queries = [{ title: `a" onload="b' c`, expr: 'up' }]
    const page = (await bundleWith('none', { queries })).files.get('index.html')!
    expect(page).toContain('aria-label="a&quot; onload=&quot;b&#39; c: 2 series')
  })

  test('long tables are cut with their numbers', async () => {
    const page = (await bundleWith('none', {}, { rowsMax: 1 })).files.get('index.html')!
    expect(page).toContain('1 of 2 object states; all are in objects.json')
    expect(page).toContain('1 of 2 log records; all are in logs.json')
  })
})

describe('limits', () => {
  const cutsOf = async (...parts: Parameters<typeof contentOf>) =>
    (await contentOf(...parts)).cuts.map(
      ({ what, shown, of, isMore }) => `${shown} of ${isMore ? '>' : ''}${of} ${what}`,
    )

  test('nothing is cut within the limits', async () => {
    expect(
      await cutsOf({}, { objectsMax: 2, logsMax: 2, spansMax: 2, seriesMax: 2, queriesMax: 2, clustersMax: 2 }),
    ).toEqual([])
  })

  test('each kind of data has a limit that is stated', async () => {
    const limits = { objectsMax: 1, logsMax: 1, spansMax: 1, seriesMax: 1, queriesMax: 1, clustersMax: 1 }
    expect(await cutsOf({}, limits)).toEqual([
      '1 of 2 clusters with objects and log records',
      '1 of >1 states of objects',
      '1 of 2 queries',
      '1 of 2 series of Panel',
      '1 of 2 spans',
      '1 of 2 log records',
    ])
    const { logs, objects } = await contentOf({}, limits)
    // Of too many the newest.
    expect([logs[0]!.at, objects[0]!.at]).toEqual(['2026-08-20T10:02:00.000000000Z', '2026-08-20T10:03:00.000Z'])
  })

  test('bytes of one kind of data are limited', async () => {
    expect(await cutsOf({}, { partBytesMax: 600 })).toEqual([
      ...['1 of 2 states of objects', '0 of 2 spans', '1 of 2 log records'],
    ])
  })

  test('samples of all queries together are limited', async () => {
    expect(await cutsOf({}, { samplesMax: 5 })).toEqual([])
    expect(await cutsOf({}, { samplesMax: 4 })).toEqual(['1 of 2 series of Panel'])
  })

  test('log records are counted page by page, also many of one moment, up to a number', async () => {
    const records = [
      ...Array.from({ length: 3200 }, (_, i) => logRecord(5, `same ${i}`)),
      ...Array.from({ length: 1200 }, (_, i) => logRecord(4 - i / 1000, `later ${i}`)),
    ]
    const reads: number[] = []
    const logs = ({ cluster, toNs, limit }: { cluster?: string; toNs: bigint; limit: number }) => {
      reads.push(limit)
      return Promise.resolve(
        cluster === PLANTED.cluster ? records.filter(({ timeNs }) => timeNs <= toNs).slice(0, limit) : [],
      )
    }
    const content = await contentOf({ logs }, { logsMax: 5000 })
    expect(content.logs).toHaveLength(4400)
    expect(new Set(content.logs.map(({ body }) => body)).size).toBe(4400)
    expect(Math.max(...reads)).toBe(4000)
    expect(await cutsOf({ logs }, { logsMax: 10, logsCountedMax: 2000 })).toEqual(['10 of >2000 log records'])
    expect(await cutsOf({ logs }, { logsMax: 10, logsCountedMax: 4400 })).toEqual(['10 of 4400 log records'])
  })

  test('long texts are shortened with the number of their characters', async () => {
    const { logs } = await contentOf({}, { textCharsMax: 10 })
    expect(logs[0]!.body).toMatch(/^on lab-eas… \(\d+ more characters\)$/)
  })

  test('a record beyond the limit is refused', async () => {
    await expect(contentOf({}, {}, { record: 'x'.repeat(9 * 1024 * 1024) })).rejects.toMatchObject({
      code: 'too_large',
    })
  })

  test('what cannot be read is stated, and the rest is there', async () => {
    const failing = () => Promise.reject(new Error('the store is away'))
    const content = await contentOf({ objects: failing, range: failing, trace: failing })
    expect(content.faults).toEqual([
      'The objects could not be read: the store is away.',
      'The traces could not be read: the store is away.',
    ])
    expect(content.samples[0]!.warnings).toEqual(['the store is away'])
    expect(content.logs).toHaveLength(2)
  })

  test('a trace that is cut in the store is stated; a trace that is not stored is none', async () => {
    const cut = { trace: () => Promise.resolve({ spans: [span(0)], isCut: true }) }
    expect(await cutsOf(cut)).toEqual([`1 of >1 spans of trace ${SUBJECT.traceIds[0]}`])
    expect((await contentOf({ trace: () => Promise.resolve(undefined) })).spans).toEqual([])
  })

  test('names of one cluster have one state of an object once', async () => {
    const { objects } = await contentOf({ objects: () => Promise.resolve([transition(1, 'virt-api')]) })
    expect(objects).toHaveLength(1)
  })

  test('nothing more is read when the client has left', async () => {
    let reads = 0
    const signal = { aborted: false }
    const sources = {
      ...PORTS.sources,
      objects: () => {
        reads++
        signal.aborted = true
        return Promise.resolve([])
      },
    }
    const wish = { subject: SUBJECT, redaction: { name: 'none', profile: DEFAULT_REDACTION.profiles.none } } as const
    await expect(makeBundle(wish, { ...PORTS, sources }, signal)).rejects.toMatchObject({ code: 'query_canceled' })
    expect([reads, MINUTE_MS]).toEqual([1, 60_000])
  })
})
