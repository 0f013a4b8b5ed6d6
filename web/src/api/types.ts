import type { paths } from './schema'

type Json<R> = R extends { content: { 'application/json': infer Body } } ? Body : never
type Got<P extends keyof paths> = paths[P] extends { get: { responses: { 200: infer R } } } ? Json<R> : never
type Put<P extends keyof paths> = paths[P] extends { put: { requestBody: infer B } } ? Json<B> : never

export type Me = Got<'/me'>
export type CampaignFilter = NonNullable<paths['/campaigns']['get']['parameters']['query']>['status']
export type Campaign = Got<'/campaigns/{id}'>
export type CampaignPage = Got<'/campaigns'>
export type Yard = Got<'/yards'>['yards'][number]
export type YardCount = Got<'/yards/vehicle-counts'>[number]
export type Vehicle = Got<'/vehicles/{id}'>
export type VehicleInput = Put<'/vehicles/{id}'>
export type ListedVehicle = Got<'/vehicles/campaign/{id}/all'>[number]
/** One field that two people changed; both values are kept until somebody settles it. */
export type Conflict = Got<'/conflicts'>['conflicts'][number]
/** Who saved in the last quarter of an hour, and when all is done if it goes on like that. */
export type Pace = Got<'/campaigns/{id}/pace'>
export type Imported = paths['/documents/upload']['post']['responses'][201]['content']['application/json']
export type User = Got<'/users'>[number]
export type NewUser = Posted<'/sign-up'>
export type UserEdit = Put<'/users/{id}'>
type Posted<P extends keyof paths> = paths[P] extends { post: { requestBody: { content: { 'application/json': infer B } } } } ? B : never
export type BulkStatus = Posted<'/vehicles/bulk/status'>
export type BulkSpaces = Posted<'/vehicles/bulk/parking-space'>
export type CsvResult = paths['/vehicles/csv']['post']['responses'][200]['content']['application/json']
/** What becomes of one vehicle, field by field. */
export type Previewed = CsvResult['preview'][number]
export type BulkResult = paths['/vehicles/bulk/status']['post']['responses'][200]['content']['application/json']
export type JobPage = Got<'/jobs'>
export type Job = JobPage['jobs'][number]
export type UndoResult = paths['/jobs/{id}/undo']['post']['responses'][200]['content']['application/json']
export type CampaignStatus = Campaign['status']
export type AuditEvent = Got<'/logs/audit'>['events'][number]
