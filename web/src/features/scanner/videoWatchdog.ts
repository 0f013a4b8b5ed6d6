/** Interval in milliseconds at which the video is checked for new frames. */
const CHECK_MS = 500
const MAX_IDLE_CHECKS = 4

/**
 * Resumes a video paused by the browser, and reports a frozen picture or an ended camera track.
 * Returns a function that stops watching.
 * Detects a frozen picture by the number of checks without a new frame, not by elapsed time, so that a suspended page is not mistaken for a
 * dead camera.
 */
export function startVideoWatchdog(video: HTMLVideoElement, onStandstill: () => void): () => void {
  let stopped = false
  let announced = 0
  const count = () => {
    announced++
    if (!stopped) video.requestVideoFrameCallback(count)
  }
  if ('requestVideoFrameCallback' in video) video.requestVideoFrameCallback(count)
  /**
   * Returns the number of video frames played so far. In browsers without frame counts, returns the playback time, which advances even when
   * the picture is frozen.
   */
  const pictures = () => video.getVideoPlaybackQuality?.().totalVideoFrames || announced || video.currentTime
  let progress = pictures()
  let idle = 0
  const play = () => void video.play().catch(() => undefined) // a video that cannot play is reported as a frozen picture
  const check = () => {
    const now = pictures()
    const isSilent = tracks.some(({ muted, readyState }) => muted || readyState === 'ended') // a muted or ended track may deliver black pictures
    idle = now === progress || isSilent ? idle + 1 : 0
    progress = now
    if (idle > 0 && video.paused) play()
    if (idle < MAX_IDLE_CHECKS) return
    idle = 0
    onStandstill()
  }
  const tracks = video.srcObject instanceof MediaStream ? video.srcObject.getTracks() : []
  for (const track of tracks) track.addEventListener('ended', onStandstill) // the camera was unplugged or taken by the system
  video.addEventListener('pause', play)
  const timer = setInterval(check, CHECK_MS)
  return () => {
    stopped = true
    clearInterval(timer)
    for (const track of tracks) track.removeEventListener('ended', onStandstill)
    video.removeEventListener('pause', play)
  }
}
