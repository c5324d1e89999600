/**
 * Sends a sequence of items that the remote side refused in halves, down to the items that it refuses. Each refused item
 * costs two requests per halving, so log2 of the items; when a request has been split into `SPLIT_REQUESTS_MAX` requests, many
 * items are refused, and the rest goes item by item: one request each, which no halving can do better then.
 */
export const SPLIT_REQUESTS_MAX = 256

/** Counts the requests of all splits of one batch. */
export interface SplitBudget {
  requests: number
}

/**
 * @param length items that were refused together
 * @param send whether items `[from, to)` are accepted; temporary failures are over when it resolves
 * @param refuse called for each item that is refused by itself
 */
export async function splitRefused<R>(
  length: number,
  send: (from: number, to: number) => Promise<R | undefined>,
  refuse: (item: number, refusal: R) => Promise<void> | void,
  refusal: R,
  budget: SplitBudget,
): Promise<void> {
  /** Of items that are known to be refused together. Returns whether some of them were. */
  const split = async (from: number, to: number, known: R): Promise<void> => {
    if (to - from === 1) {
      await refuse(from, known)
      return
    }
    if (budget.requests >= SPLIT_REQUESTS_MAX) {
      for (let item = from; item < to; item++) await sendAndSplit(item, item + 1)
      return
    }
    const middle = (from + to) >> 1
    const isAccepted = await sendAndSplit(from, middle)
    // All that was refused is in the other half: it need not be sent as a whole.
    if (isAccepted && to - middle > 1) await split(middle, to, known)
    else await sendAndSplit(middle, to)
  }
  const sendAndSplit = async (from: number, to: number): Promise<boolean> => {
    budget.requests++
    const refused = await send(from, to)
    if (refused !== undefined) await split(from, to, refused)
    return refused === undefined
  }
  await split(0, length, refusal)
}
