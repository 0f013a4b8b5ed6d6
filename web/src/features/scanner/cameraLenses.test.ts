import { expect, test } from 'vitest'
import { createFake } from '@/testing/createFake'
import { listLensesRankedAbove, listLensesInCyclicOrderFrom, rankLens, selectRearLenses } from './cameraLenses'

const devices = (...labels: string[]) => labels.map((label, index) => createFake<MediaDeviceInfo>({ deviceId: `id ${index}`, groupId: '', kind: 'videoinput', label }))
const rear = (...labels: string[]) => selectRearLenses(devices(...labels)).map(({ label }) => label)
const trackOf = (deviceId: string) => createFake<MediaStreamTrack>({ getSettings: () => ({ deviceId }) })

test('rear cameras come with the main one first, whatever the language of the phone', () => {
  expect(rear('camera2 2, facing back', 'camera2 1, facing front', 'camera2 0, facing back')).toEqual(['camera2 0, facing back', 'camera2 2, facing back'])
  expect(rear('Câmera Frontal', 'Câmera Ultra-angular Traseira', 'Câmera Traseira')).toEqual(['Câmera Traseira', 'Câmera Ultra-angular Traseira'])
  expect(rear('Front Camera', 'Back Triple Camera', 'Back Telephoto Camera', 'Back Camera')).toEqual(['Back Triple Camera', 'Back Camera', 'Back Telephoto Camera'])
})

test('where no label says which camera is at the back, all that do not face the person are taken', () => {
  expect(rear('Integrated Webcam', 'USB Camera')).toEqual(['Integrated Webcam', 'USB Camera'])
  expect(selectRearLenses([createFake<MediaDeviceInfo>({ deviceId: 'm', kind: 'audioinput', label: 'back microphone' })])).toEqual([])
})

test('a better camera than the one that runs is one of a lower rank', () => {
  const lenses = selectRearLenses(devices('camera2 2, facing back', 'camera2 0, facing back', 'camera2 3, facing back'))
  expect(lenses.map(rankLens)).toEqual([0, 2, 3])
  expect(listLensesRankedAbove(lenses, trackOf('id 0')).map(({ id }) => id)).toEqual(['id 1'])
  expect([listLensesRankedAbove(lenses, trackOf('id 1')), listLensesRankedAbove(lenses, trackOf('unknown')), listLensesRankedAbove(lenses, undefined)]).toEqual([[], [], []])
})

test('after the chosen camera the others follow in turn; one with a new id is known by its label', () => {
  const lenses = selectRearLenses(devices('camera2 0, facing back', 'camera2 2, facing back', 'camera2 3, facing back'))
  expect(listLensesInCyclicOrderFrom(lenses, { id: 'id 1', label: '' }).map(({ id }) => id)).toEqual(['id 1', 'id 2', 'id 0'])
  expect(listLensesInCyclicOrderFrom(lenses, { id: 'of yesterday', label: 'camera2 3, facing back' }).map(({ id }) => id)).toEqual(['id 2', 'id 0', 'id 1'])
  expect(listLensesInCyclicOrderFrom(lenses, { id: 'gone', label: 'gone' })).toEqual([])
})
