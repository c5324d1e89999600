/**
 * The update graph of the known releases of HCO, where no catalog was imported. OperatorHub builds it in its semver mode: each
 * version replaces the one before it; what a bundle itself declares that it replaces is an update too.
 */
import type { Release } from '../../model/release.ts'
import type { UpdateGraph } from '../../model/update-graph.ts'
import { RELEASES } from '../releases.ts'
import { compareVersions } from '../version-order.ts'
import type { CatalogChannel } from './catalog.ts'
import { catalogGraph } from './catalog-graph.ts'

/** @param versions that clusters run, see `catalogGraph` */
export function releaseGraph(versions: Iterable<string> = [], releases: readonly Release[] = RELEASES): UpdateGraph {
  const inOrder = [...releases].sort((a, b) => compareVersions(a.version, b.version))
  return catalogGraph(
    {
      package: 'community-kubevirt-hyperconverged',
      // The newest bundles may be seen before their release.
      channels: [
        channelOf('candidate', inOrder),
        channelOf(
          'stable',
          inOrder.filter(({ seenAt }) => seenAt !== 'main'),
        ),
      ],
      bundles: inOrder.map(({ name, version, properties }) => ({ name, version, ...maxOpenShift(properties) })),
    },
    versions,
  )
}

function channelOf(name: string, releases: readonly Release[]): CatalogChannel {
  return {
    name,
    entries: releases.map(({ name: bundle, replaces, skips, skipRange }, i) => {
      const before = releases[i - 1]?.name ?? replaces
      const declared = replaces === null || replaces === before ? skips : [replaces, ...skips]
      return {
        name: bundle,
        ...(before === null ? {} : { replaces: before }),
        ...(declared.length === 0 ? {} : { skips: declared }),
        ...(skipRange === null ? {} : { skipRange }),
      }
    }),
  }
}

function maxOpenShift(properties: Release['properties']): { readonly maxOpenShiftVersion?: string } {
  const value = properties.find(({ type }) => type === 'olm.maxOpenShiftVersion')?.value
  return typeof value === 'string' ? { maxOpenShiftVersion: value } : {}
}
