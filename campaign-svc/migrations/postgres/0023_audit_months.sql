-- The log is partitioned by month, and each month by whether its entries record access. An expired month of access is dropped.
lock table audit_events in access exclusive mode;
alter table audit_events rename to audit_events_first;
drop trigger audit_events_kept on audit_events_first;
drop trigger audit_events_whole on audit_events_first;

create table audit_events (
    id bigint generated always as identity,
    at timestamptz not null,
    user_id bigint,
    role text not null,
    kind text not null,
    subject text not null,
    summary text not null,
    address text not null,
    old_values text not null,
    new_values text not null
) partition by range (at);
create index audit_events_by_time on audit_events (at desc, id desc);
-- The history of a campaign reads its audit entries.
create index audit_events_by_subject on audit_events (subject, at desc, id desc);
-- Ids continue where they were.
do $$
begin
  perform setval(pg_get_serial_sequence('audit_events', 'id'), s.last_value, s.is_called) from audit_events_id_seq s;
end
$$;
alter table audit_events_first alter column id drop identity;

-- The writer may neither change nor delete entries, except expired access entries of the two tables that hold more than a month.
create or replace function kept_audit() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and tg_table_name in ('audit_events_first', 'audit_events_rest') then
    if old.kind in ('page-view', 'login', 'logout', 'login-failed', 'refused') and old.at < now() - interval '183 days' then
      return old;
    end if;
  end if;
  raise exception 'the audit log is only added to';
end
$$;
create trigger audit_events_kept before update or delete on audit_events for each row execute function kept_audit();
create trigger audit_events_whole before truncate on audit_events for each statement execute function kept_audit();
create trigger audit_events_whole before truncate on audit_events_first for each statement execute function kept_audit();

-- First time that a partition of the log does not contain; null for the default partition.
create function audit_part_end(part regclass) returns timestamptz language sql stable as $$
  select cast((regexp_match(pg_get_expr(relpartbound, oid), 'TO \(''([^'']+)''\)'))[1] as timestamptz) from pg_class where oid = part
$$;

-- Attaches the entries so far. Their check has the bound of the partition.
do $$
declare
  bound timestamptz;
begin
  select cast((regexp_match(pg_get_constraintdef(oid), '''([^'']+)'''))[1] as timestamptz) into strict bound
    from pg_constraint where conrelid = cast('audit_events_first' as regclass) and conname = 'audit_events_bound';
  execute format('alter table audit_events attach partition audit_events_first for values from (minvalue) to (%L)', bound);
end
$$;

-- Entries of a month whose partition is missing.
create table audit_events_rest partition of audit_events default;
create index audit_events_rest_id on audit_events_rest (id);
create trigger audit_events_whole before truncate on audit_events_rest for each statement execute function kept_audit();

-- Creates the partitions of a month, unless they exist or the first partition contains the month. Runs as the owner of the log.
create function create_audit_month(month date) returns boolean language plpgsql security definer
set search_path from current set lock_timeout = '500ms' as $$
declare
  name text := 'audit_events_' || to_char(month, 'YYYY_MM');
  low timestamptz := date_trunc('month', cast(month as timestamp)) at time zone 'UTC';
  high timestamptz := (date_trunc('month', cast(month as timestamp)) + interval '1 month') at time zone 'UTC';
  part text;
begin
  perform pg_advisory_xact_lock(hashtext('audit month'));
  if to_regclass(name) is not null or audit_part_end(to_regclass('audit_events_first')) > low then
    return false;
  end if;
  execute format('create table %I (like audit_events) partition by list (kind)', name);
  execute format('create index on %I (id)', name);
  execute format('create table %I partition of %I for values in (''page-view'', ''login'', ''logout'', ''login-failed'', ''refused'')', name || '_access', name);
  execute format('create table %I partition of %I default', name || '_work', name);
  execute format('alter table audit_events attach partition %I for values from (%L) to (%L)', name, low, high);
  foreach part in array array[name || '_access', name || '_work'] loop
    execute format('create trigger audit_events_whole before truncate on %I for each statement execute function kept_audit()', part);
  end loop;
  return true;
end
$$;

-- Drops the access entries of months that ended more than 183 days ago, and returns their number. Runs as the owner of the log.
create function drop_expired_audit_months() returns bigint language plpgsql security definer
set search_path from current set lock_timeout = '500ms' as $$
declare
  part text;
  entries bigint;
  dropped bigint := 0;
begin
  perform pg_advisory_xact_lock(hashtext('audit month'));
  for part in
    select a.relname from pg_inherits m join pg_class c on c.oid = m.inhrelid and c.relkind = 'p'
      join pg_inherits i on i.inhparent = c.oid join pg_class a on a.oid = i.inhrelid and a.relname = c.relname || '_access'
     where m.inhparent = cast('audit_events' as regclass) and audit_part_end(c.oid) < now() - interval '183 days'
  loop
    execute format('select count(*) from %I', part) into entries;
    execute format('drop table %I', part);
    dropped := dropped + entries;
  end loop;
  return dropped;
end
$$;

do $$
begin
  for ahead in 0..4 loop
    perform create_audit_month(cast(date_trunc('month', now() at time zone 'UTC') + make_interval(months => ahead) as date));
  end loop;
end
$$;
