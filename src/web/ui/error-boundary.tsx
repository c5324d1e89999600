import { Component, type ReactNode } from 'react'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

interface Props {
  /** What cannot be shown, as it stands in a sentence: `this page`. */
  readonly what: string
  readonly children: ReactNode
  /** Whether the server is there, as far as is known: what could not be fetched is when it comes back. */
  readonly isServerThere?: boolean
}

/** How browsers say that a file of the program did not come. */
const MISSING_FILE = /preload CSS|dynamically imported module|Importing a module script/i

/** Keeps a fault of one part from taking the rest of the page along. */
export class ErrorBoundary extends Component<Props, { readonly message: string | undefined }> {
  override state: { readonly message: string | undefined } = { message: undefined }

  static getDerivedStateFromError(thrown: unknown): { readonly message: string } {
    return { message: thrown instanceof Error ? thrown.message : String(thrown) }
  }

  override componentDidUpdate(before: Props): void {
    const isBack = this.props.isServerThere === true && before.isServerThere === false
    if (isBack && this.#isFileMissing()) location.reload()
  }

  #isFileMissing(): boolean {
    return this.state.message !== undefined && MISSING_FILE.test(this.state.message)
  }

  override render(): ReactNode {
    const { message } = this.state
    if (message === undefined) return this.props.children
    if (this.#isFileMissing()) return <MissingFile what={this.props.what} />
    return (
      <Notice
        kind="error"
        title={`Internal error: ${this.props.what} cannot be shown`}
        actions={
          <Button
            size="sm"
            onClick={() => {
              this.setState({ message: undefined })
            }}
          >
            Try again
          </Button>
        }
      >
        {message}
      </Notice>
    )
  }
}

/** No fault, and nothing that asking again mends: a browser remembers which file did not come until the page is loaded anew. */
function MissingFile({ what }: { readonly what: string }): ReactNode {
  return (
    <Notice
      kind="error"
      title={`The code for ${what} could not be loaded`}
      actions={
        <Button
          size="sm"
          onClick={() => {
            location.reload()
          }}
        >
          Reload
        </Button>
      }
    >
      The server cannot be reached, or was updated after this tab was opened.
    </Notice>
  )
}
