import { expect, test } from 'vitest'
import { otherScopes, shownClusters } from '../../../src/web/lib/scope-text.ts'

const ada = { name: 'ada', role: 'responder', via: 'session' } as const
const viewer = (clusters: string) => ({ role: 'viewer', clusters })
const responder = (clusters: string) => ({ role: 'responder', clusters })

test.each([
  [ada, undefined, []],
  [{ ...ada, scopes: [viewer('region=eu'), responder('region=eu')], clusters: 1 }, '1 cluster: region=eu', []],
  [
    { ...ada, scopes: [viewer('region=eu,cluster=x'), responder('cluster=x')], clusters: 34 },
    '34 clusters: region=eu or cluster=x',
    ['responder: cluster=x'],
  ],
  // All of the fleet is shown, and acted on in a part.
  [
    { ...ada, scopes: [viewer(''), responder('cluster=x,region=eu')] },
    undefined,
    ['responder: cluster=x or region=eu'],
  ],
])('%j', (signedIn, shown, others) => {
  expect([shownClusters(signedIn), otherScopes(signedIn)]).toEqual([shown, others])
})
