-- Milestone that a change of a campaign's counters reaches, as the number of the contract's `Milestone`, or null: 2 is complete,
-- 3 incomplete again, 1 begun. `begun` says whether work had begun before the change.
case when {total} = {inspected} and {total} > 0 and {was_total} <> {was_inspected} then 2
     when {was_total} = {was_inspected} and {total} <> {inspected} and {begun} then 3
     when not {begun} then 1 end
