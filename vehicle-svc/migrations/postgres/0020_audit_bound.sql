-- The entries so far become the first partition of the log. Its bound lies ahead, so that no entry of the upgrade exceeds it.
do $$
begin
  execute format('alter table audit_events add constraint audit_events_bound check (at < %L) not valid',
                 to_char(date_trunc('month', now() at time zone 'UTC') + interval '2 months', 'YYYY-MM-DD') || ' 00:00:00+00');
end
$$;
