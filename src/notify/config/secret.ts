/** A secret: written in the configuration, or read from a file at each use. */
import { readFile } from 'node:fs/promises'
import { FleetError, messageOf } from '../../base/errors.ts'

export type Secret =
  { readonly kind: 'text'; readonly value: string } | { readonly kind: 'file'; readonly path: string }

/** The text of a secret, trimmed when it is from a file. Throws FleetError when the file cannot be read. */
export async function resolveSecret(secret: Secret): Promise<string> {
  if (secret.kind === 'text') return secret.value
  try {
    return (await readFile(secret.path, 'utf8')).trim()
  } catch (thrown) {
    throw new FleetError('config_invalid', `cannot read the secret in ${secret.path}: ${messageOf(thrown)}`, {
      cause: thrown,
    })
  }
}

/** Replaces each secret by `<secret>`, also in its encoded forms in addresses and in JSON. */
export function withoutSecrets(text: string, secrets: Iterable<string>): string {
  let shown = text
  for (const secret of secrets) {
    // Replacing texts of a few characters would make every text unreadable.
    if (secret.length < SECRET_CHARS_MIN) continue
    for (const form of new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])) {
      shown = shown.replaceAll(form, '<secret>')
    }
  }
  return shown
}

const SECRET_CHARS_MIN = 4
