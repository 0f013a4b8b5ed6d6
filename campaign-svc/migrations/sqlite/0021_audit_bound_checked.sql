-- Partitions are of PostgreSQL only.
select 1;
