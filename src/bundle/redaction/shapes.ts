/**
 * Finds addresses, e-mail addresses, host names and URLs by their form. Candidates are runs of the characters that they
 * consist of, each checked afterwards, so time is linear in the text.
 */
import { isIPv6 } from 'node:net'
import type { PseudonymKind } from '../../model/redaction.ts'

export interface FoundShape {
  readonly from: number
  readonly to: number
  readonly kind: PseudonymKind
}

export function* shapesIn(text: string, kinds: ReadonlySet<PseudonymKind>): Generator<FoundShape> {
  if (kinds.has('addresses')) {
    yield* addresses4(text)
    if (text.includes(':')) yield* addresses6(text)
  }
  if (kinds.has('emails') && text.includes('@')) yield* emails(text)
  if (kinds.has('hosts')) {
    if (text.includes('://')) yield* urls(text)
    yield* hosts(text)
  }
}

/** `10.0.0.1`, and `ip-10-0-0-1` as clouds name their hosts. More than four numbers count too: they may hide an address. */
function* addresses4(text: string): Generator<FoundShape> {
  for (const { 0: run, index } of text.matchAll(/[0-9.-]{7,}/g)) {
    for (const { 0: part, index: at } of run.matchAll(/[0-9.]{7,}|[0-9-]{7,}/g)) {
      const isDotted = part.includes('.')
      const numbers = trimmed(part, isDotted ? '.' : '-')
      const pieces = numbers.text.split(isDotted ? '.' : '-')
      const from = index + at + numbers.skipped
      const isHost = isDotted || /\bip-$/i.test(text.slice(Math.max(0, index + at + numbers.skipped - 4), from))
      if (isHost && pieces.length >= 4 && pieces.every(isByte)) {
        yield { from, to: from + numbers.text.length, kind: 'addresses' }
      }
    }
  }
}

function isByte(text: string): boolean {
  return /^\d{1,3}$/.test(text) && Number(text) <= 255
}

function* addresses6(text: string): Generator<FoundShape> {
  for (const { 0: run, index } of text.matchAll(/[0-9A-Fa-f:.]{3,}/g)) {
    if (!run.includes(':')) continue
    // A full stop or a colon of the sentence.
    for (const end of [run.length, run.length - 1]) {
      const candidate = run.slice(0, end)
      if (!isIPv6(candidate)) continue
      yield { from: index, to: index + end, kind: 'addresses' }
      break
    }
  }
}

function* emails(text: string): Generator<FoundShape> {
  let after = 0
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    let from = at
    while (from > after && /[A-Za-z0-9._%+'-]/.test(text[from - 1]!)) from--
    let to = at + 1
    while (to < text.length && /[A-Za-z0-9.-]/.test(text[to]!)) to++
    after = at + 1
    const domain = trimmed(text.slice(at + 1, to), '.').text
    if (from < at && /[A-Za-z0-9]/.test(domain)) yield { from, to: at + 1 + domain.length, kind: 'emails' }
  }
}

function* urls(text: string): Generator<FoundShape> {
  let after = 0
  for (let at = text.indexOf('://', after); at >= 0; at = text.indexOf('://', after)) {
    let from = at
    while (from > after && /[A-Za-z0-9+.-]/.test(text[from - 1]!)) from--
    let to = at + 3
    while (to < text.length && !/[\s"'`<>\\{}|^()]/.test(text[to]!)) to++
    after = to
    if (from < at && to > at + 3) yield { from, to, kind: 'hosts' }
  }
}

/** Last parts of host names. Two letters are those of a country, besides endings of files and words of names of attributes. */
const TOP_LEVEL: ReadonlySet<string> = new Set(
  'com net org edu gov mil int info biz cloud dev app io ai tech online site local localdomain internal intranet private lan corp home test example invalid svc arpa'.split(
    ' ',
  ),
)
const NOT_COUNTRIES: ReadonlySet<string> = new Set('go py sh js rs md ts so cc pl rb id vm ui k8s'.split(' '))
/** API groups and projects, which name no host of anybody. */
const PUBLIC = [
  'kubevirt.io',
  'k8s.io',
  'kubernetes.io',
  'openshift.io',
  'coreos.com',
  'x-k8s.io',
  'opentelemetry.io',
  'operatorframework.io',
  'cncf.io',
  'metal3.io',
]

function* hosts(text: string): Generator<FoundShape> {
  for (const { 0: run, index } of text.matchAll(/[A-Za-z0-9.-]{4,}/g)) {
    const host = trimmed(run, '.')
    const parts = host.text.toLowerCase().split('.')
    const last = parts.at(-1)!
    const isTop = TOP_LEVEL.has(last) || (/^[a-z]{2}$/.test(last) && !NOT_COUNTRIES.has(last))
    if (parts.length < 2 || parts.includes('') || !isTop) continue
    if (PUBLIC.some((known) => known === parts.slice(-known.split('.').length).join('.'))) continue
    const from = index + host.skipped
    yield { from, to: from + host.text.length, kind: 'hosts' }
  }
}

function trimmed(text: string, char: string): { readonly text: string; readonly skipped: number } {
  let [from, to] = [0, text.length]
  while (from < to && text[from] === char) from++
  while (to > from && text[to - 1] === char) to--
  return { text: text.slice(from, to), skipped: from }
}
