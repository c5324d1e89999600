/**
 * State that a browser carries for the server: encrypted and authenticated with a key that only this process knows, so
 * that a sign-in that is never finished takes no memory. A restart makes what is under way invalid.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface StateSeal<T> {
  seal(state: T): string
  /** `undefined`: not sealed by this process, or changed. */
  open(text: string): T | undefined
}

export function createStateSeal<T>(): StateSeal<T> {
  const key = randomBytes(32)
  return {
    seal: (state) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, nonce)
      const text = Buffer.concat([cipher.update(JSON.stringify(state), 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')
    },
    open: (text) => {
      const bytes = Buffer.from(text, 'base64url')
      if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      try {
        const opened = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
        return JSON.parse(opened.toString('utf8')) as T
      } catch {
        return undefined
      }
    },
  }
}
