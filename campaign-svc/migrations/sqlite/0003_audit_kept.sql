-- Nothing is done here, since the writer of a SQLite file could drop its triggers; the file of seals shows what was changed.
select 1;
