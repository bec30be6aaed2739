<?php

declare(strict_types=1);

namespace Postrider;

/** Stands for a field that is not given, where null is a value of it. */
enum Omitted
{
    case Value;
}
