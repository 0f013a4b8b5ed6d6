import { useLanguage } from '@/lib/text'
import { formatTimeAgo, useCurrentTime } from '@/lib/timeAgo'
import { useCampaignsText } from './text'

const MINUTE_MS = 60_000

/** Returns a function that states the age of a time for use inside a sentence, such as '5 minutes ago'. An age below one minute is 'just now'. */
export function useTimeAgoFormatter(): (at: number) => string {
  const t = useCampaignsText()
  const now = useCurrentTime()
  const language = useLanguage()
  return (at) => (now - at < MINUTE_MS ? t('age.justNow') : formatTimeAgo(at, now, language))
}
