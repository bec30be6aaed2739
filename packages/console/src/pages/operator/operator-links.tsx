// From a number of the operator's lists to its page.

import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';

const NONE = <span className="soft">–</span>;

export function CustomerLink({ customerNo }: { readonly customerNo: string | null }): ReactElement {
  if (customerNo === null) return NONE;
  return (
    <Link to="/operator/customers/$customerNo" params={{ customerNo }} className="mono">
      {customerNo}
    </Link>
  );
}

export function ChannelLink({ channelNo }: { readonly channelNo: string | null }): ReactElement {
  if (channelNo === null) return NONE;
  return (
    <Link to="/operator/channels/$channelNo" params={{ channelNo }} className="mono">
      {channelNo}
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
