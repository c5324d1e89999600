import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkBundle, FORMAT, MANIFEST, sha256, sumsOf } from '../../src/bundle/archive/checksums.ts'
import { ARCHIVE_LIMITS, unzip } from '../../src/bundle/archive/unzip.ts'
import { CENTRAL_BYTES, LOCAL_BYTES, zip, type Member } from '../../src/bundle/archive/zip.ts'
import { tempDir } from '../support/temp-dir.ts'

const member = (name: string, text: string): Member => ({ name, bytes: Buffer.from(text) })

async function archiveOf(...members: readonly Member[]): Promise<Buffer> {
  return Buffer.concat(await zip(members))
}

const [PAGE, RUNBOOK] = [member('index.html', '<p>a page</p>'.repeat(100)), member('runbooks/runbook-1.md', '# A')]

async function bundleOf(files: readonly Member[] = [PAGE, RUNBOOK]): Promise<Buffer> {
  const members = files.map(({ name, bytes }) => ({ name, sha256: sha256(bytes) }))
  const about = { format: FORMAT, subject: { title: 'An upgrade' }, redaction: { profile: 'strict' }, members }
  const all = [...files, member(MANIFEST, JSON.stringify(about))]
  return archiveOf(...all, sumsOf(all))
}

describe('archives', () => {
  test('equal members make equal bytes, which end in no time of day', async () => {
    const first = await archiveOf(PAGE, RUNBOOK)
    expect((await archiveOf(PAGE, RUNBOOK)).equals(first)).toBe(true)
    expect((await archiveOf(RUNBOOK, PAGE)).equals(first)).toBe(false)
  })

  test('other programs read them: names, content, times', async () => {
    const folder = tempDir('bundle-zip')
    const path = join(folder.path, 'a.zip')
    writeFileSync(path, await archiveOf(PAGE, RUNBOOK, member('empty.json', '')))
    const script = `import zipfile, sys
z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None
print([(i.filename, i.file_size, i.date_time, oct(i.external_attr >> 16)) for i in z.infolist()])
print(z.read('runbooks/runbook-1.md'))`
    const out = execFileSync('python3', ['-c', script, path], { encoding: 'utf8' })
    expect(out).toContain("('index.html', 1300, (1980, 1, 1, 0, 0, 0), '0o100644')")
    expect(out).toContain("('empty.json', 0, ")
    expect(out).toContain("b'# A'")
    folder.remove()
  })

  test('any members come back as they were', async () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,10}(\/[a-z0-9]{1,5})?$/)
    const entries = fc.uniqueArray(fc.tuple(name, fc.uint8Array({ maxLength: 500 })), {
      selector: ([one]) => one,
      maxLength: 8,
    })
    await fc.assert(
      fc.asyncProperty(entries, async (all) => {
        const members = all.map(([one, bytes]) => ({ name: one, bytes }))
        const read = unzip(await archiveOf(...members))
        expect(read.map((one) => [one.name, Array.from(one.bytes)])).toEqual(
          all.map(([one, bytes]) => [one, Array.from(bytes)]),
        )
      }),
      { numRuns: 50 },
    )
  })

  test.each([
    ['../up.txt', /not a name of a member/],
    ['/root.txt', /not a name of a member/],
    ['a//b', /not a name of a member/],
    ['a/../b', /not a name of a member/],
    ['c\\d', /not a name of a member/],
    ['line\nbreak', /not a name of a member/],
  ])('a member called %j is refused', async (name, why) => {
    const bytes = await archiveOf(member(name, 'x'))
    expect(() => unzip(bytes)).toThrow(why)
  })

  test('two members of one name are refused', async () => {
    const bytes = await archiveOf(PAGE, PAGE)
    expect(() => unzip(bytes)).toThrow(/two members are called "index.html"/)
  })

  test('limits are inclusive: members, bytes of one, bytes of all', async () => {
    const bytes = await archiveOf(PAGE, RUNBOOK)
    const limits = { membersMax: 2, memberBytesMax: 1300, bytesMax: 1303 }
    expect(unzip(bytes, limits)).toHaveLength(2)
    expect(() => unzip(bytes, { ...limits, membersMax: 1 })).toThrow(/it has 2 members/)
    expect(() => unzip(bytes, { ...limits, memberBytesMax: 1299 })).toThrow(/has 1300 bytes, at most 1299/)
    expect(() => unzip(bytes, { ...limits, bytesMax: 1302 })).toThrow(/more than 1302 bytes/)
  })
})

describe('a hostile archive', () => {
  test('every truncation is refused', async () => {
    const bytes = await bundleOf()
    for (let length = 0; length < bytes.length; length++)
      expect(() => unzip(bytes.subarray(0, length))).toThrow(/not an archive/)
  })

  test('every changed byte is found, by the form or by a checksum', async () => {
    const bytes = await bundleOf()
    const missed: number[] = []
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = changed[at]! ^ 0x41
      if (checkBundle(changed).problems.length === 0) missed.push(at)
    }
    expect(missed).toEqual([])
  })

  test('a bomb is stopped at the size that it declares', async () => {
    const packed = deflateRawSync(Buffer.alloc(8 * 1024 * 1024))
    const bytes = await archiveOf(member('index.html', 'x'))
    // The headers of a member of one byte, before eight megabytes of zeros.
    const old = bytes.readUInt32LE(18)
    const grown = Buffer.concat([bytes.subarray(0, LOCAL_BYTES + 10), packed, bytes.subarray(LOCAL_BYTES + 10 + old)])
    const directory = LOCAL_BYTES + 10 + packed.length
    grown.writeUInt32LE(packed.length, 18)
    grown.writeUInt32LE(packed.length, directory + 20)
    grown.writeUInt32LE(directory, grown.length - 6)
    expect(() => unzip(grown)).toThrow(/cannot be unpacked to 1 bytes/)
    grown.writeUInt32LE(ARCHIVE_LIMITS.memberBytesMax + 1, 22)
    grown.writeUInt32LE(ARCHIVE_LIMITS.memberBytesMax + 1, directory + 24)
    expect(() => unzip(grown)).toThrow(/bytes, at most/)
  })

  test('a wrong checksum, and bytes behind the end of a member, are refused', async () => {
    const bytes = await archiveOf(member('index.html', 'text'))
    const directory = bytes.readUInt32LE(bytes.length - 6)
    const changed = Buffer.from(bytes)
    for (const at of [14, directory + 16]) changed.writeUInt32LE(1, at)
    expect(() => unzip(changed)).toThrow(/member "index.html" is damaged/)
    const longer = Buffer.concat([bytes.subarray(0, directory), Buffer.from('xyz'), bytes.subarray(directory)])
    const packedBytes = bytes.readUInt32LE(18) + 3
    for (const at of [18, directory + 3 + 20]) longer.writeUInt32LE(packedBytes, at)
    longer.writeUInt32LE(directory + 3, longer.length - 6)
    expect(() => unzip(longer)).toThrow(/member "index.html" has bytes after its end/)
  })

  test('bytes before, between and after the members are refused', async () => {
    const bytes = await bundleOf()
    expect(() => unzip(Buffer.concat([Buffer.from('x'), bytes]))).toThrow(/not an archive/)
    expect(() => unzip(Buffer.concat([bytes, Buffer.from('x')]))).toThrow(/does not end as an archive/)
    const directory = bytes.readUInt32LE(bytes.length - 6)
    const gap = Buffer.concat([bytes.subarray(0, directory), Buffer.from('gap'), bytes.subarray(directory)])
    gap.writeUInt32LE(directory + 3, gap.length - 6)
    expect(() => unzip(gap)).toThrow(/bytes of no member/)
  })

  test.each([
    ['encrypted', 8, 1],
    ['of another method', 10, 0],
    ['with another size of the name', 28, 5],
  ])('a member %s is refused', async (_what, field, value) => {
    const bytes = await archiveOf(PAGE)
    const directory = bytes.readUInt32LE(bytes.length - 6)
    bytes.writeUInt16LE(value, directory + field)
    expect(() => unzip(bytes)).toThrow(/not an archive/)
    expect(directory + CENTRAL_BYTES).toBeLessThan(bytes.length)
  })

  test('random bytes never do anything else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(checkBundle(bytes).problems).toHaveLength(1)
      }),
      { numRuns: 200 },
    )
  })
})

describe('checksums', () => {
  test('a bundle is whole, and `sha256sum -c` agrees', async () => {
    const bundle = await bundleOf()
    expect(checkBundle(bundle)).toEqual({ members: 4, problems: [], title: 'An upgrade', redaction: 'strict' })
    const folder = tempDir('bundle-sums')
    mkdirSync(join(folder.path, 'runbooks'))
    for (const { name, bytes } of unzip(bundle)) writeFileSync(join(folder.path, name), bytes)
    const out = execFileSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: folder.path, encoding: 'utf8' })
    expect(out).toBe('index.html: OK\nrunbooks/runbook-1.md: OK\nmanifest.json: OK\n')
    expect(readFileSync(join(folder.path, 'index.html'), 'utf8')).toBe(Buffer.from(PAGE.bytes).toString())
    folder.remove()
  })

  test.each<[string, (members: readonly Member[]) => readonly Member[], readonly string[]]>([
    [
      'a changed member',
      (all) => all.map((one) => (one.name === 'index.html' ? member('index.html', 'other') : one)),
      [
        'index.html is not as SHA256SUMS has it: its checksum is different',
        'index.html is not as manifest.json has it: its checksum is different',
      ],
    ],
    [
      'a missing member',
      (all) => all.filter(({ name }) => name !== 'runbooks/runbook-1.md'),
      [
        '"runbooks/runbook-1.md" is in SHA256SUMS and missing',
        '"runbooks/runbook-1.md" is in manifest.json and missing',
      ],
    ],
    [
      'an added member',
      (all) => [...all, member('more.txt', 'x')],
      ['more.txt is not in SHA256SUMS', 'more.txt is not in manifest.json'],
    ],
    ['no list', (all) => all.filter(({ name }) => name !== 'SHA256SUMS'), ['SHA256SUMS is missing or not in its form']],
    [
      'a list of another form',
      (all) => all.map((one) => (one.name === 'SHA256SUMS' ? member('SHA256SUMS', 'MD5 x\n') : one)),
      ['SHA256SUMS is missing or not in its form'],
    ],
    [
      'no manifest',
      (all) => all.filter(({ name }) => name !== 'manifest.json'),
      ['"manifest.json" is in SHA256SUMS and missing', 'manifest.json is missing or not of a bundle'],
    ],
  ])('%s is a problem', async (_what, change, problems) => {
    const changed = await archiveOf(...change(unzip(await bundleOf())))
    expect(checkBundle(changed).problems).toEqual(problems)
  })

  test('another archive is no bundle', async () => {
    expect(checkBundle(await archiveOf(PAGE)).problems).toHaveLength(2)
    expect(checkBundle(await archiveOf(member(MANIFEST, '{"format":"other"}'))).problems).toContain(
      'manifest.json is missing or not of a bundle',
    )
    expect(checkBundle(await archiveOf(member(MANIFEST, '[null'))).problems).toContain(
      'manifest.json is missing or not of a bundle',
    )
  })
})
