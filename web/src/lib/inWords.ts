import { currentLanguage } from './text'

let translate = (_: string, sentence: string): string => sentence

/** Loads the sentences of the server in other languages; until they are here, each stands as it comes. */
export async function loadSentences(): Promise<void> {
  translate = (await import('./sentences')).sentenceIn
}

/** A sentence of the server in the person's language. */
export const inWords = (sentence: string): string => translate(currentLanguage(), sentence)
