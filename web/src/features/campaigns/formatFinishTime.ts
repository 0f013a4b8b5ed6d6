import { formatDate, formatTime } from '@/lib/time'

/** Formats the estimated end of a campaign as `hh:mm`, preceded by `dd/mm` when the end is not today. */
export function formatFinishTime(at: string, now: number): string {
  const [day, hour] = [formatDate(at), formatTime(at).slice(0, 5)]
  return day === formatDate(new Date(now)) ? hour : `${day.slice(0, 5)} ${hour}`
}
