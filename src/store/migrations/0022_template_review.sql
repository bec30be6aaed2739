-- Templates that customers submit, and what operators decided about them.
-- Null: made by an operator, nothing to review.
alter table template add column review text;
alter table template add constraint template_review_check check (review in ('pending', 'approved', 'rejected'));
alter table template add column revision integer not null default 1;
alter table template add column submission_id bigint;
alter table template add column reason text;
alter table template add column reviewed_at timestamptz;
alter table template add column approved_body text;
create index template_to_review on template (submission_id) where review = 'pending';

-- Decisions, numbered with the records of their customer: webhooks read them.
create table template_review (
  bucket smallint not null default 0,
  customer_id bigint not null,
  review_id bigint not null,
  template_id bigint not null,
  template_no text not null,
  name text not null,
  body text not null,
  revision integer not null,
  decision text not null check (decision in ('approved', 'rejected')),
  reason text,
  actor text not null,
  primary key (bucket, customer_id, review_id)
);
create index template_review_template on template_review (bucket, customer_id, template_id, review_id);
