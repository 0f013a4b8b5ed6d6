import { getCurrentLanguage } from './text'

let translate = (_: string, sentence: string): string => sentence

/** Loads the translations of the server's sentences. Until the translations are loaded, sentences are shown in English. */
export async function loadSentences(): Promise<void> {
  translate = (await import('./sentences')).translateSentenceTo
}

/** Translates a sentence of the server to the chosen language. */
export const translateSentence = (sentence: string): string => translate(getCurrentLanguage(), sentence)
