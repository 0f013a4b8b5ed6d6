import { sentenceIn } from '@/lib/sentences'
import { useLanguage } from '@/lib/text'
import { Note } from './Page'

/** Sentences of the server that a person should read, one below the other; nothing when there are none. */
export function Warnings({ sentences = [] }: { sentences?: readonly string[] | undefined }) {
  const language = useLanguage()
  if (sentences.length === 0) return null
  return (
    <Note kind="warning">
      {sentences.map((sentence) => (
        <p key={sentence}>{sentenceIn(language, sentence)}</p>
      ))}
    </Note>
  )
}
