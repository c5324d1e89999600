import type { IncomingMessage } from 'node:http'
import { TLSSocket, type DetailedPeerCertificate, type PeerCertificate } from 'node:tls'
import {
  clusterOfNames,
  type CertificateName,
  type NameField,
  type NamePattern,
} from '../../model/client-certificate.ts'
import type { Principal } from '../../model/token.ts'

/** The cluster of a connection, by its verified client certificate. */
export type ReadCertificate = (request: IncomingMessage) => Principal | undefined

interface Holder {
  readonly principal: Principal
  readonly expiresAtMs: number
}

/**
 * A certificate that the authority signed, with a name that a pattern knows, is as good as a token that is bound to the
 * cluster. It is read once for each connection, and not accepted after its expiry on a connection that is still open.
 */
export function createCertificateReader(patterns: readonly NamePattern[], clock: { nowMs(): number }): ReadCertificate {
  const holders = new WeakMap<object, Holder | 'none'>()
  return ({ socket }) => {
    let holder = holders.get(socket)
    if (holder === undefined) holders.set(socket, (holder = holderOf(socket, patterns) ?? 'none'))
    return holder === 'none' || clock.nowMs() >= holder.expiresAtMs ? undefined : holder.principal
  }
}

function holderOf(socket: object, patterns: readonly NamePattern[]): Holder | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined
  // Without a certificate the object is empty.
  const certificate: Partial<DetailedPeerCertificate> = socket.getPeerCertificate()
  const names = namesOf(certificate)
  const cluster = clusterOfNames(names, patterns)
  if (cluster === undefined) return undefined
  const name = names[0]?.value ?? cluster
  return {
    principal: { role: 'ingest', name, cluster, via: 'certificate' },
    expiresAtMs: Date.parse(certificate.valid_to ?? ''),
  }
}

const FIELDS: ReadonlyMap<string, NameField> = new Map([
  ['DNS', 'dns'],
  ['URI', 'uri'],
  ['email', 'email'],
])

/** Node writes a value with a comma or a quote as a JSON string, so that no value can pretend to be several. */
const ALTERNATIVE = /([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/gy

/** The names of a certificate: the common name, then the alternative names. None when they cannot be read for sure. */
export function namesOf({
  subject,
  subjectaltname = '',
}: Partial<Pick<PeerCertificate, 'subject' | 'subjectaltname'>>): readonly CertificateName[] {
  const common: unknown = subject?.CN
  const names: CertificateName[] = typeof common === 'string' ? [{ field: 'cn', value: common }] : []
  let end = 0
  for (const match of subjectaltname.matchAll(ALTERNATIVE)) {
    const [all, kind = '', text = ''] = match
    end = match.index + all.length
    const field = FIELDS.get(kind)
    if (field !== undefined) names.push({ field, value: text.startsWith('"') ? (JSON.parse(text) as string) : text })
  }
  return end === subjectaltname.length ? names : []
}
