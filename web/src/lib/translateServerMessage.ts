import { getCurrentLanguage } from './text'

let translate = (_: string, sentence: string): string => sentence

/** Loads the translations of server messages. Until the translations are loaded, messages are shown in English. */
export async function loadServerMessageTranslations(): Promise<void> {
  translate = (await import('./serverMessageTranslation')).translateServerMessageToLanguage
}

/** Translates a server message to the chosen language. Returns an unknown message unchanged. */
export const translateServerMessage = (sentence: string): string => translate(getCurrentLanguage(), sentence)
