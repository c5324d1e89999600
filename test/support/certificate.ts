import { createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

/** A certificate for 127.0.0.1 and localhost that trusts itself, made anew for each run: no key lies in the repository. */
export interface TestCertificate {
  /** PEM. */
  readonly cert: string
  readonly key: string
}

export function makeCertificate(): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const algorithm = sequence(oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])) // ecdsa-with-SHA256
  const commonName = sequence(oid([0x55, 0x04, 0x03]), der(0x0c, Buffer.from('daytwo test')))
  const name = sequence(der(0x31, commonName))
  const validity = sequence(der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('491231235959Z')))
  const names = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])))
  const extensions = sequence(
    sequence(oid([0x55, 0x1d, 0x11]), der(0x04, names)), // subjectAltName
    sequence(
      oid([0x55, 0x1d, 0x13]),
      der(0x01, Buffer.from([0xff])),
      der(0x04, sequence(der(0x01, Buffer.from([0xff])))),
    ),
  )
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = createSign('sha256').update(toSign).sign(privateKey)
  const certificate = sequence(toSign, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const body = certificate.toString('base64').replace(/(.{64})/g, '$1\n')
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
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
