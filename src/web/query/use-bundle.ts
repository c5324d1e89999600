import { saveFile } from '../ui/save-file.ts'
import { fetchFile } from './fetch-file.ts'
import { useApiAction, type ApiAction } from './use-api-action.ts'

/** Evidence bundles: files that the server makes on request. */

const BUNDLES = '/api/fleet/v1/bundles'
/** The server reads all data of the subject, within limits. */
const MADE_WITHIN_MS = 180_000

export function upgradeBundleCall(id: string): string {
  return `${BUNDLES}/upgrades/${encodeURIComponent(id)}`
}

/** @param call of the verdict, with what it is asked for */
export function rolloutBundleCall(call: string): string {
  return call.replace('/rollouts/', '/bundles/rollouts/')
}

/** @param activeAtMs the start of the occurrence */
export function alertBundleCall(fingerprint: string, activeAtMs: number): string {
  return `${BUNDLES}/alerts/${encodeURIComponent(fingerprint)}?activeAtMs=${activeAtMs}`
}

/** Requests the bundle of a call, and gives it to the reader as a file. */
export function useBundle(): ApiAction<string> {
  return useApiAction(async (call) => {
    const file = await fetchFile(call, MADE_WITHIN_MS)
    saveFile(file.name, file, file.type)
  }, [])
}
