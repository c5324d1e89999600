import { METRIC_NAME } from '../../model/labels.ts'
import type { Matcher } from '../../model/matcher.ts'
import { familiesNamed } from '../../model/metadata.ts'
import type { Queryable } from '../../model/queryable.ts'

type WholeStore = Required<Queryable>

const ALL_TIMES = { fromMs: -Infinity, toMs: Infinity }

/**
 * The series of a scope: a store that answers as if there were no others. Series without a cluster are of no scope, also
 * those that rules compute over the whole fleet.
 * @param scope the matcher of the clusters, as of the call
 */
export function scopedQueryable(store: WholeStore, scope: () => Matcher): Queryable {
  let known = { matcher: scope(), lists: new WeakMap<readonly Matcher[], readonly Matcher[]>() }
  /** One list for each list of a query: caches know selections by their lists. */
  const within = (matchers: readonly Matcher[]): readonly Matcher[] => {
    const matcher = scope()
    if (known.matcher.value !== matcher.value) known = { matcher, lists: new WeakMap() }
    let list = known.lists.get(matchers)
    if (list === undefined) known.lists.set(matchers, (list = [...matchers, matcher]))
    return list
  }
  return {
    select: (request) => store.select({ ...request, matchers: within(request.matchers) }),
    selectNewest: (request) => store.selectNewest({ ...request, matchers: within(request.matchers) }),
    selectRuns: (request) => store.selectRuns({ ...request, matchers: within(request.matchers) }),
    selectRollup: (request) => store.selectRollup({ ...request, matchers: within(request.matchers) }),
    series: (matchers, range) => store.series(within(matchers), range),
    labelNames: (matchers, range) => store.labelNames(within(matchers), range),
    labelValues: (name, matchers, range) => store.labelValues(name, within(matchers), range),
    exemplars: (matchers, range) => store.exemplars(within(matchers), range),
    metadata: (name) =>
      familiesNamed(store.metadata(name), [...store.labelValues(METRIC_NAME, [scope()], ALL_TIMES)].flat()),
  }
}
