<?php

declare(strict_types=1);

namespace Postrider\Http;

/**
 * Exchanges that are under way together.
 *
 * @internal
 */
final class CurlPool
{
    private readonly \CurlMultiHandle $multi;
    /** @var array<int, CurlExchange> */
    private array $running = [];

    public function __construct()
    {
        $this->multi = curl_multi_init();
    }

    public function add(CurlExchange $exchange): void
    {
        curl_multi_add_handle($this->multi, $exchange->handle);
        $this->running[spl_object_id($exchange->handle)] = $exchange;
    }

    public function remove(CurlExchange $exchange): void
    {
        $id = spl_object_id($exchange->handle);
        if (isset($this->running[$id])) {
            unset($this->running[$id]);
            curl_multi_remove_handle($this->multi, $exchange->handle);
        }
    }

    /** Moves what can be moved; waits until something can be, or the seconds are over. */
    public function advance(float $seconds): void
    {
        if ($this->exec()) {
            return;
        }
        if (curl_multi_select($this->multi, max(0.0, min($seconds, 1.0))) === -1) {
            // No socket yet, while a name is looked up.
            usleep(1000);
        }
        $this->exec();
    }

    /** Returns whether an exchange has ended. */
    private function exec(): bool
    {
        $active = 0;
        curl_multi_exec($this->multi, $active);
        $ended = false;
        while (($told = curl_multi_info_read($this->multi)) !== false) {
            $exchange = $this->running[spl_object_id($told['handle'])];
            $this->remove($exchange);
            $exchange->end($told['result']);
            $ended = true;
        }
        return $ended;
    }
}
