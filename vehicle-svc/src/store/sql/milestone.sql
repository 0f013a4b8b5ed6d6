-- Milestone that a change of a campaign's counters reaches, or null. The value is the number in the gRPC enum `Milestone`: 1 is work
-- begun, 2 complete, 3 incomplete again. `begun` states whether work had begun before the change.
case when {total} = {inspected} and {total} > 0 and {was_total} <> {was_inspected} then 2
     when {was_total} = {was_inspected} and {total} <> {inspected} and {begun} then 3
     when not {begun} then 1 end
