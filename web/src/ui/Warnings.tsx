import { inWords } from '@/lib/inWords'
import { Note } from './Page'

/** Sentences of the server that a person should read, one below the other; nothing when there are none. */
export function Warnings({ sentences = [] }: { sentences?: readonly string[] | undefined }) {
  if (sentences.length === 0) return null
  return (
    <Note kind="warning">
      {sentences.map((sentence) => (
        <p key={sentence}>{inWords(sentence)}</p>
      ))}
    </Note>
  )
}
