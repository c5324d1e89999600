import { Fragment, type ReactNode } from 'react'

/** A name in camel case that may break between its words, so that a narrow screen does not cut one in half. */
export function AlertName({ name }: { readonly name: string }): ReactNode {
  return name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).map((word, i) => (
    <Fragment key={i}>
      {i === 0 ? null : <wbr />}
      {word}
    </Fragment>
  ))
}
