/** Fisher's exact test of a table of two groups and two outcomes: one-sided, whether the first group has more of the outcome. */
export interface TwoShares {
  readonly first: { readonly count: number; readonly of: number }
  readonly second: { readonly count: number; readonly of: number }
}

/** The probability of so many or more in the first group, given all sums, when both shares are equal. */
export function fisherPValue({ first, second }: TwoShares): number {
  const [all, marked] = [first.of + second.of, first.count + second.count]
  const [least, most] = [Math.max(0, first.of - (all - marked)), Math.min(first.of, marked)]
  // Relative to the most probable table, so that nothing underflows.
  let [term, sum, tail] = [1, 0, 0]
  const mode = Math.min(most, Math.max(least, Math.floor(((first.of + 1) * (marked + 1)) / (all + 2))))
  const add = (count: number): void => {
    sum += term
    if (count >= first.count) tail += term
  }
  for (let count = mode; count <= most; count++) {
    add(count)
    term *= ((first.of - count) * (marked - count)) / ((count + 1) * (all - first.of - marked + count + 1))
  }
  term = 1
  for (let count = mode; count > least; count--) {
    term *= (count * (all - first.of - marked + count)) / ((first.of - count + 1) * (marked - count + 1))
    add(count - 1)
  }
  return tail / sum
}
