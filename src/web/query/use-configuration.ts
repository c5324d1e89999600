import {
  keepPreviousData,
  type InfiniteData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import type {
  BaselineAnswer,
  BaselineReplayAnswer,
  ConfigurationAnswer,
  DeprecatedApisAnswer,
  DifferencesAnswer,
  KvmStackAnswer,
  SettingDetail,
} from '../../contract/fleet-configuration.ts'
import { searchOf, withSearch } from '../lib/address.ts'
import { sendJson } from './fetch-json.ts'
import { useApiAction, type ApiAction } from './use-api-action.ts'
import { useApiAnswer, useApiPages } from './use-api-answer.ts'
import { callAt, useMoment } from './use-moment.ts'

const CONFIGURATION = '/api/fleet/v1/configuration'
const BASELINE = `${CONFIGURATION}/baseline`
const POLL_MS = 60_000
const PAGE = '200'

/** Empty values are left out. */
export interface ConfigurationAsked {
  readonly version: string
  readonly region: string
  readonly against: string
}

export function configurationCall(
  { version, region, against }: ConfigurationAsked,
  moment: string | undefined,
): string {
  return callAt(CONFIGURATION, moment, { version, region, against })
}

export function useConfiguration(asked: ConfigurationAsked): UseQueryResult<ConfigurationAnswer> {
  return useApiAnswer<ConfigurationAnswer>('configuration', configurationCall(asked, useMoment()), {
    placeholderData: keepPreviousData,
    pollMs: POLL_MS,
  })
}

export function settingCall(
  name: string,
  asked: ConfigurationAsked,
  outliers: boolean,
  moment: string | undefined,
): string {
  const { version, region, against } = asked
  const search = { version, region, against, outliers: outliers ? 'true' : '', limit: PAGE }
  return callAt(`${CONFIGURATION}/settings/${encodeURIComponent(name)}`, moment, search)
}

/** The clusters of a setting, page by page. Not polled: rows do not move while they are read. */
export function useSetting(
  name: string,
  asked: ConfigurationAsked,
  outliers: boolean,
): UseInfiniteQueryResult<InfiniteData<SettingDetail>> {
  return useApiPages<SettingDetail>('setting', settingCall(name, asked, outliers, useMoment()))
}

export function differencesCall(cluster: string, moment: string | undefined): string {
  return callAt(`${CONFIGURATION}/clusters/${encodeURIComponent(cluster)}`, moment)
}

export function useDifferences(cluster: string): UseQueryResult<DifferencesAnswer> {
  return useApiAnswer<DifferencesAnswer>('differences', differencesCall(cluster, useMoment()), { pollMs: POLL_MS })
}

const CHANGED_KEYS = ['configuration', 'setting', 'differences']

/** An empty name removes the choice. */
export function useChooseBaseline(): ApiAction<string, BaselineAnswer> {
  return useApiAction(
    async (cluster) =>
      (cluster === ''
        ? await sendJson('DELETE', BASELINE)
        : await sendJson('PUT', BASELINE, { cluster })) as BaselineAnswer,
    CHANGED_KEYS,
  )
}

export function kvmStackCall(target: string, moment: string | undefined): string {
  return callAt('/api/fleet/v1/kvm-stack', moment, { target })
}

export function useKvmStack(target: string): UseQueryResult<KvmStackAnswer> {
  return useApiAnswer<KvmStackAnswer>('kvm-stack', kvmStackCall(target, useMoment()), {
    placeholderData: keepPreviousData,
  })
}

export function deprecatedApisCall(target: string, moment: string | undefined): string {
  return callAt('/api/fleet/v1/deprecated-apis', moment, { target })
}

export function useDeprecatedApis(target: string): UseQueryResult<DeprecatedApisAnswer> {
  return useApiAnswer<DeprecatedApisAnswer>('deprecated-apis', deprecatedApisCall(target, useMoment()), {
    placeholderData: keepPreviousData,
  })
}

export function baselineReplayCall(baseline: string, fromMs: number, toMs: number): string {
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()]
  return withSearch(`${BASELINE}/replay`, searchOf({ baseline, from, to }))
}

export function useBaselineReplay(call: string): UseQueryResult<BaselineReplayAnswer> {
  return useApiAnswer<BaselineReplayAnswer>('baseline-replay', call)
}
