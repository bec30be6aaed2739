// From what the operator's lists name to its page. Customers and channels go by the names that people gave them; the number is
// at hand.

import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { nameOf, useChannelNames, useCustomerNames } from '../../api/names.js';

const NONE = <span className="soft">–</span>;

export function CustomerLink({ customerNo }: { readonly customerNo: string | null }): ReactElement {
  const names = useCustomerNames();
  if (customerNo === null) return NONE;
  return (
    <Link to="/operator/customers/$customerNo" params={{ customerNo }} title={customerNo}>
      {nameOf(names, customerNo) ?? customerNo}
    </Link>
  );
}

export function ChannelLink({ channelNo }: { readonly channelNo: string | null }): ReactElement {
  const names = useChannelNames();
  if (channelNo === null) return NONE;
  return (
    <Link to="/operator/channels/$channelNo" params={{ channelNo }} title={channelNo}>
      {nameOf(names, channelNo) ?? channelNo}
    </Link>
  );
}

interface OperatorTaskLinkProps {
  readonly taskNo: string | null;
  readonly children?: ReactNode;
}

export function OperatorTaskLink({ taskNo, children }: OperatorTaskLinkProps): ReactElement {
  if (taskNo === null) return NONE;
  return (
    <Link to="/operator/tasks/$taskNo" params={{ taskNo }} className="mono">
      {children ?? taskNo}
    </Link>
  );
}

/** What an entry of the audit log is about, by the letter that its number begins with. */
export function SubjectLink({ subject }: { readonly subject: string }): ReactElement {
  if (/^C[0-9A-Z]{8,}$/.test(subject)) return <CustomerLink customerNo={subject} />;
  if (/^H[0-9A-Z]{8,}$/.test(subject)) return <ChannelLink channelNo={subject} />;
  if (/^T[0-9A-Z]{8,}$/.test(subject)) return <OperatorTaskLink taskNo={subject} />;
  return <code title={subject}>{subject}</code>;
}
