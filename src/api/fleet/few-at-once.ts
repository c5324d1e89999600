import { FleetError } from '../../base/errors.ts'

/** Runs work, so many at a time; more is refused as `overloaded`. @param what is done, such as `plans are computed` */
export function fewAtOnce(most: number, what: string): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  return async (work) => {
    if (running >= most) {
      throw new FleetError('overloaded', `${running} ${what}; at most ${most} at a time`, {
        hint: 'wait for one of them to end',
      })
    }
    running++
    try {
      return await work()
    } finally {
      running--
    }
  }
}
