using CoAP.NET.Transports;

namespace CoAP.NET.Connecting;

/// <summary>How an attempt connects: after its pause, and first to the alternatives that the peer named (RFC 8323 section 5.5).</summary>
/// <param name="environment">For clock and log.</param>
/// <param name="hosts">Finds the addresses of what a peer named as an alternative to it.</param>
/// <param name="gate">The lock of the pool.</param>
internal sealed class ConnectRun(CoapEnvironment environment, HostLookup hosts, Lock gate)
{
    // How many of the addresses that a peer names as alternatives to itself are looked at.
    private const int MaxAlternatives = 4;

    /// <summary>Why a target is not connected to.</summary>
    /// <param name="target">The target.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="cause">What went wrong where it named an alternative; null for nothing.</param>
    public static CoapConnectionException HeldOff(ConnectionTarget target, long now, Exception? cause)
    {
        TimeSpan left = TimeSpan.FromTicks(target.HeldOffUntil - now);
        return new CoapConnectionException(
            CoapConnectionError.Released,
            $"{target} released its connection and asked not to be connected to for another {left.TotalSeconds:0.#} s "
                + "(RFC 8323 section 5.5). Try again then.",
            cause)
        {
            RetryAfter = left,
            IsUnsent = true,
        };
    }

    /// <summary>Connects, when the time for that has come: to where the peer asked to be connected to instead, otherwise to the
    /// target.</summary>
    /// <param name="attempt">The attempt.</param>
    /// <exception cref="CoapConnectionException">It failed.</exception>
    public async Task<CoapConnection> RunAsync(ConnectAttempt attempt)
    {
        if (attempt.Wait > 0)
        {
            // Timers take no more than 49 days.
            await Task.Delay(TimeSpan.FromTicks(Math.Min(attempt.Wait, TimeSpan.TicksPerDay)), environment.TimeProvider, attempt.GivenUp)
                .ConfigureAwait(false);
        }

        ConnectionTarget target = attempt.Target;
        ConnectionKey key = target.Key;
        IReadOnlyList<string> alternatives;
        lock (gate)
        {
            alternatives = target.Alternatives;
        }

        if (alternatives.Count > 0)
        {
            CoapException? error = null;
            for (int i = 0; i < Math.Min(alternatives.Count, MaxAlternatives); i++)
            {
                try
                {
                    return await ConnectInsteadAsync(attempt, alternatives[i]).ConfigureAwait(false);
                }
                catch (CoapException exception)
                {
                    error = exception;
                    Log.AlternativeFailed(environment.Logger, alternatives[i], key.ToString(), exception.Message);
                }
            }

            long now = environment.Now;
            lock (gate)
            {
                target.Alternatives = [];
                if (target.IsHeldOff(now))
                {
                    throw HeldOff(target, now, error);
                }
            }
        }

        return await ConnectAsync(attempt, key.Remote, key.ServerName).ConfigureAwait(false);
    }

    private static ValueTask<CoapConnection> ConnectAsync(ConnectAttempt attempt, CoapAddress remote, string? serverName)
    {
        ConnectionKey key = attempt.Target.Key;
        attempt.Begin(remote, serverName);
        return key.Local is { } local
            ? key.Transport.ConnectFromAsync(remote, local, serverName, attempt.GivenUp)
            : key.Transport.ConnectAsync(remote, serverName, attempt.GivenUp);
    }

    // RFC 8323 sections 5.5 and 10.1: the same scheme at another address. Whoever is found there has to prove to be the one that was asked
    // for, not the one that was named.
    private async Task<CoapConnection> ConnectInsteadAsync(ConnectAttempt attempt, string alternative)
    {
        ConnectionKey key = attempt.Target.Key;
        CoapConnectionException? error = null;
        foreach (CoapAddress address in await hosts.FindAlternativeAsync(key.Transport.Scheme, alternative, attempt.GivenUp).ConfigureAwait(false))
        {
            try
            {
                string? identity = key.ServerName ?? (key.Transport.IsSecure ? key.Remote.ToIPAddress().ToString() : null);
                CoapConnection connection = await ConnectAsync(attempt, address, identity).ConfigureAwait(false);
                Log.AlternativeTaken(environment.Logger, key.ToString(), address.ToString());
                return connection;
            }
            catch (CoapConnectionException exception)
            {
                error = exception;
            }
        }

        throw error ?? new CoapConnectionException(CoapConnectionError.ConnectFailed, $"'{alternative}' has no address.");
    }
}
