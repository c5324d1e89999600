import type { KubeDeschedulerFacts } from '../../model/object-facts.ts'
import { timesOf } from './meta.ts'
import { booleanAt, integerAt, present, textsAt, type ObjectValue } from './object-value.ts'

export function kubeDeschedulerFacts(object: ObjectValue): KubeDeschedulerFacts {
  return present<KubeDeschedulerFacts>({
    kind: 'kubedeschedulers',
    ...timesOf(object),
    profiles: textsAt(object, 'spec', 'profiles') ?? [],
    evictsInBackground: booleanAt(object, 'spec', 'profileCustomizations', 'devEnableEvictionsInBackground'),
    generation: integerAt(object, 'metadata', 'generation'),
  })
}
