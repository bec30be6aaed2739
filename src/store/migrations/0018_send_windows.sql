-- When messages of a class may be handed over, and what ends a task whose messages may not be held.
alter table customer add column send_windows jsonb not null default '[]';
alter table task drop constraint task_ending_check;
alter table task add constraint task_ending_check check (ending in ('cancelled', 'expired_unsent', 'outside_window')) not valid;
