import { createPrivateKey, createSign, generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto'

/** A certificate and its key, made anew for each run: no key lies in the repository. */
export interface TestCertificate {
  /** PEM. */
  readonly cert: string
  readonly key: string
}

interface CertificateRequest {
  readonly commonName?: string
  /** Besides these, without `issuer`, `localhost` and 127.0.0.1. */
  readonly uris?: readonly string[]
  readonly notBefore?: Date
  readonly notAfter?: Date
  /** Who signs it; absent: it trusts itself. */
  readonly issuer?: TestCertificate
}

/** By default for 127.0.0.1 and localhost. */
export function makeCertificate({
  commonName = 'daytwo test',
  uris = [],
  notBefore = new Date('2020-01-01T00:00:00Z'),
  notAfter = new Date('2049-12-31T23:59:59Z'),
  issuer,
}: CertificateRequest = {}): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])) // ecdsa-with-SHA256
  const validity = sequence(utcTime(notBefore), utcTime(notAfter))
  const isAuthority = issuer === undefined
  const names = [
    ...(isAuthority ? [der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1]))] : []),
    ...uris.map((uri) => der(0x86, Buffer.from(uri))),
  ]
  const yes = der(0x01, Buffer.from([0xff]))
  const extensions = sequence(
    ...(names.length === 0 ? [] : [sequence(oid([0x55, 0x1d, 0x11]), der(0x04, sequence(...names)))]), // subjectAltName
    sequence(oid([0x55, 0x1d, 0x13]), yes, der(0x04, sequence(...(isAuthority ? [yes] : [])))),
  )
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    nameOf(isAuthority ? commonName : commonNameOf(issuer)),
    validity,
    nameOf(commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signingKey = isAuthority ? privateKey : createPrivateKey(issuer.key)
  const signature = createSign('sha256').update(toSign).sign(signingKey)
  const certificate = sequence(toSign, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const body = certificate.toString('base64').replace(/(.{64})/g, '$1\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid([0x55, 0x04, 0x03]), der(0x0c, Buffer.from(commonName)))))
}

function commonNameOf({ cert }: TestCertificate): string {
  return new X509Certificate(cert).subject.replace(/^CN=/, '')
}

function utcTime(time: Date): Buffer {
  return der(0x17, Buffer.from(`${time.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`))
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function oid(bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes))
}
