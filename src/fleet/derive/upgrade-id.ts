/** Names of upgrades that a re-derivation finds again: what it is, and nothing of when it was looked at. */
import { createHash } from 'node:crypto'

/** As the trace of the upgrade is called (facts wire 8.2): 32 hex digits. */
export function csvUpgradeId(cluster: string, csvUid: string): string {
  return hashText(`upgrade|${cluster}|${csvUid}`)
}

/** Without a CSV object: the edge and its start; an absent part is empty. */
export function edgeUpgradeId(
  cluster: string,
  operator: string,
  from: string | undefined,
  to: string,
  startedMs: number | undefined,
): string {
  return hashText(['upgrade', cluster, operator, from ?? '', to, startedMs ?? ''].join('|'))
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
