import { checkBundle, MANIFEST, sha256, SUMS, sumsOf } from '../../../src/bundle/archive/checksums.ts'
import { unzip } from '../../../src/bundle/archive/unzip.ts'
import { zip, type Member } from '../../../src/bundle/archive/zip.ts'
import { bundleWith } from '../../bundle/contents.ts'
import { mutated, mutatedJson, mutatedText, pick, type Random } from '../mutate.ts'
import { BYTES, NOTHING_TO_CLOSE, oneByOne, type Target } from '../target.ts'

/** Evidence bundles that were damaged or changed on their way: bytes of the archive, and archives of other members. */

const text = ({ bytes }: Member): string => Buffer.from(bytes).toString()

/** What `daytwo bundle verify` says, compared with what the bundle had. */
function outcomeOf(archive: Uint8Array, sums: ReadonlySet<string>): string {
  const { members, problems, title } = checkBundle(archive)
  if (problems.length > 0) {
    if (problems.some((problem) => problem === '')) throw new Error('a problem without words')
    return members === 0 ? 'no_archive' : 'changed'
  }
  const found = unzip(archive)
  const others = found.filter(({ name, bytes }) => name !== MANIFEST && name !== SUMS && !sums.has(sha256(bytes)))
  if (others.length > 0) throw new Error(`${others[0]!.name} counts as unchanged`)
  if (found.length !== members || title === undefined) throw new Error('the check has not read what it has')
  return 'whole'
}

const bytes: Target<Uint8Array> = {
  name: 'bundle-bytes',
  claim: 'A damaged archive is refused with the reason, and one that counts as whole has the members that were made.',
  inputs: { suite: 300, long: 300_000 },
  shares: { no_archive: 0.5 },
  open: async () => {
    const made = (await Promise.all([bundleWith('default'), bundleWith('strict')])).map((one) => one.bytes)
    const sums = new Set(made.flatMap((one) => unzip(one).map((member) => sha256(member.bytes))))
    const small = Buffer.concat(await zip([{ name: 'a.json', bytes: Buffer.from('{}') }]))
    return {
      make: (random) => (random(50) === 0 ? Uint8Array.from(pick(random, made)) : mutated(random, [...made, small])),
      check: oneByOne((archive) => outcomeOf(archive, sums)),
      ...BYTES,
      ...NOTHING_TO_CLOSE,
    }
  },
}

/** Archives whose form is right: the checksums alone find what was changed. */
const members: Target<readonly Member[]> = {
  name: 'bundle-members',
  claim:
    'A changed, removed, added or renamed member is found by the checksums, whatever the lists of checksums have become.',
  inputs: { suite: 200, long: 100_000 },
  shares: { changed: 0.3, no_archive: 0.02, whole: 0.01 },
  open: async () => {
    const made = unzip((await bundleWith('default')).bytes)
    const sums = new Set(made.map((member) => sha256(member.bytes)))
    return {
      make: (random) => {
        let all: readonly Member[] = made
        for (let i = random(3); i >= 0; i--) all = pick(random, CHANGES)(random, all)
        return all
      },
      check: oneByOne(async (all) => outcomeOf(Buffer.concat(await zip(all)), sums)),
      *simpler(all) {
        for (let i = 0; i < all.length; i++) yield all.toSpliced(i, 1)
        for (const [i, one] of all.entries())
          if (one.bytes.length > 0) yield all.with(i, { ...one, bytes: new Uint8Array() })
      },
      show: (all) => JSON.stringify(all.map((member) => [member.name, text(member)])),
      ...NOTHING_TO_CLOSE,
    }
  },
}

type Change = (random: Random, all: readonly Member[]) => readonly Member[]

const NAMES = ['', '/etc/passwd', '../x', 'a/../b', 'x'.repeat(300), '__proto__', 'é.json', 'a\nb', MANIFEST, SUMS]

function changed(all: readonly Member[], name: string, change: (member: Member) => Member): readonly Member[] {
  return all.map((member) => (member.name === name ? change(member) : member))
}

const CHANGES: readonly Change[] = [
  (_, all) => all,
  (random, all) => {
    const { name } = pick(random, all)
    return changed(all, name, (member) => ({ name, bytes: mutated(random, [member.bytes]) }))
  },
  (random, all) => all.toSpliced(random(all.length), 1),
  (random, all) => [...all, { name: pick(random, NAMES), bytes: Buffer.from('added') }],
  (random, all) => {
    const { name, bytes: own } = pick(random, all)
    return changed(all, name, () => ({ name: pick(random, NAMES), bytes: own }))
  },
  (random, all) =>
    changed(all, MANIFEST, (member) => {
      const tree = mutatedJson(random, JSON.parse(isJson(text(member)) ? text(member) : '{}'))
      return { name: MANIFEST, bytes: Buffer.from(JSON.stringify(tree ?? null)) }
    }),
  (random, all) =>
    changed(all, SUMS, (member) => ({
      name: SUMS,
      bytes: Buffer.from(text(member) === '' ? 'x' : mutatedText(text(member), random(1_000_000))),
    })),
  // Whoever changes a member can compute its checksum: the other list still has the old one.
  (random, all) => {
    const { name } = pick(random, all)
    const next = changed(all, name, () => ({ name, bytes: Buffer.from('forged') }))
    return changed(next, SUMS, () => sumsOf(next.filter((member) => member.name !== SUMS)))
  },
]

function isJson(value: string): boolean {
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}

export const BUNDLES = [bytes, members] as const
