-- What people call a task, and what it says: its text with placeholders and the values of each number. Neither changes, so that rows
-- that outgrow a page keep them aside.
alter table task add column title text;
alter table task add column content text;
