import type { ChangeEvent, SubmitEvent } from 'react'

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** A handler of `onChange` that hands on what is typed or chosen in a field. */
export function valueTo(take: (value: string) => void): (event: ChangeEvent<Field>) => void {
  return ({ target }) => {
    take(target.value)
  }
}

/** A handler of `onSubmit`: the page sends the form, and the browser does not. */
export function submitTo(send: () => void): (event: SubmitEvent) => void {
  return (event) => {
    event.preventDefault()
    send()
  }
}
