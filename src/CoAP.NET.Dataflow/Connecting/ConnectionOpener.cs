namespace CoAP.NET.Connecting;

/// <summary>
/// Opens the connections of a <see cref="ConnectionPool"/>. Concurrent requests share one attempt. After failures the delay of the next
/// attempt grows. Thread-safe.
/// </summary>
/// <param name="environment">For options, clock and log.</param>
/// <param name="entries">The entries of the pool, and the lock.</param>
/// <param name="hosts">Resolves the alternative addresses of a peer.</param>
internal sealed class ConnectionOpener(CoapEnvironment environment, ConnectionPoolEntries entries, HostLookup hosts)
{
    // The maximum number of alternative addresses of a peer that are tried.
    private const int MaxAlternatives = 4;

    private readonly CoapStreamOptions _options = environment.Streams;

    // Guarded by the lock of the entries.
    private bool _isStopped;

    /// <summary>
    /// Opens a connection, or waits for one that is being opened. It tries all addresses in turn, first those without a delay. If every
    /// address has a delay after a failure, it waits for the end of the shortest one.
    /// </summary>
    /// <param name="route">The route.</param>
    /// <param name="cancellationToken">Stops waiting. The attempt continues for other waiting requests.</param>
    /// <returns>The channel of the connection.</returns>
    /// <exception cref="CoapConnectionException">No connection could be opened, or the peer requested a pause.</exception>
    /// <exception cref="CoapException">The endpoint was stopped.</exception>
    public async Task<CoapChannel> OpenAsync(ConnectionRoute route, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        CoapConnectionException? error = null;
        List<ConnectionKey> keys = InOrder(route);
        foreach (ConnectionKey key in keys)
        {
            try
            {
                CoapChannel? channel = Join(key, out ConnectionAttempt? attempt, out bool isNew);
                return channel ?? await WaitAsync(route, attempt!, isNew, cancellationToken).ConfigureAwait(false);
            }
            catch (CoapConnectionException exception)
            {
                // The next address of the name may be the right one.
                error = exception;
            }
        }

        throw keys.Count == 1
            ? error!
            : new CoapConnectionException(
                error!.Error,
                $"None of the {keys.Count} addresses of {route} could be connected to. Of the last one: {error.Message}",
                error);
    }

    /// <summary>Cancels all attempts and opens no more connections, because the endpoint stops.</summary>
    public void Stop()
    {
        List<ConnectionAttempt> attempts = [];
        lock (entries.Gate)
        {
            _isStopped = true;
            foreach (ConnectionPoolEntry entry in entries.All)
            {
                if (entry.Attempt is { } attempt)
                {
                    attempt.IsOver = true;
                    entry.Attempt = null;
                    attempts.Add(attempt);
                }
            }
        }

        foreach (ConnectionAttempt attempt in attempts)
        {
            attempt.Fail(Stopped());
            attempt.GiveUp();
        }
    }

    private static CoapException Stopped() => new(
        CoapError.EndpointStopped,
        "The endpoint was stopped; requests cannot be sent any more. Make a new one.");

    /// <summary>Returns the addresses without a delay; if there are none, the one whose delay ends first.</summary>
    private List<ConnectionKey> InOrder(ConnectionRoute route)
    {
        List<ConnectionKey> now = [];
        ConnectionKey first = default;
        long earliest = long.MaxValue;
        long time = environment.Now;
        lock (entries.Gate)
        {
            foreach (CoapAddress address in route.Addresses)
            {
                ConnectionKey key = route.KeyOf(address);
                long due = !entries.TryGet(key, out ConnectionPoolEntry? entry) ? time
                    : entry.IsHeldOff(time) ? entry.HeldOffUntil
                    : entry.NextAttemptAt;
                if (due <= time)
                {
                    now.Add(key);
                }
                else if (due < earliest || first.Transport is null)
                {
                    (earliest, first) = (due, key);
                }
            }
        }

        return now.Count > 0 ? now : [first];
    }

    /// <summary>Returns the connection of a target if there is one; otherwise joins the attempt to open one.</summary>
    private CoapChannel? Join(ConnectionKey key, out ConnectionAttempt? attempt, out bool isNew)
    {
        long now = environment.Now;
        isNew = false;
        attempt = null;
        lock (entries.Gate)
        {
            if (_isStopped)
            {
                throw Stopped();
            }

            ConnectionPoolEntry entry = entries.GetOrAdd(key, out CoapChannel? channel);
            if (channel is not null)
            {
                return channel;
            }

            if (entry.IsHeldOff(now))
            {
                throw HeldOff(entry, now, null);
            }

            if (entry.Failures > 0
                && now - entry.NextAttemptAt > _options.MaxReconnectDelay.Ticks
                && _options.MaxReconnectDelay > TimeSpan.Zero)
            {
                // The failures are too old to predict another one.
                entry.Failures = 0;
            }

            if (entry.Attempt is null)
            {
                isNew = true;
                entries.RemoveFromUnconnected(entry);
                entry.Attempt = new ConnectionAttempt(entry, entry.NextAttemptAt > now ? entry.NextAttemptAt - now : 0);
            }

            attempt = entry.Attempt;
            attempt.Waiters++;
            return null;
        }
    }

    private async Task<CoapChannel> WaitAsync(
        ConnectionRoute route, ConnectionAttempt attempt, bool isNew, CancellationToken cancellationToken)
    {
        if (isNew)
        {
            _ = RunAsync(attempt);
        }

        try
        {
            return await attempt.Completion.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            route.Progress = attempt.Progress;
            throw;
        }
        finally
        {
            Leave(attempt);
        }
    }

    private void Leave(ConnectionAttempt attempt)
    {
        lock (entries.Gate)
        {
            if (--attempt.Waiters > 0 || attempt.IsOver)
            {
                return;
            }

            // Later requests start another attempt.
            attempt.IsOver = true;
            attempt.Entry.Attempt = null;
            entries.KeepUnconnected(attempt.Entry, environment.Now);
        }

        attempt.GiveUp();
    }

    private async Task RunAsync(ConnectionAttempt attempt)
    {
        try
        {
            if (attempt.Wait > 0)
            {
                // Timers take no more than 49 days.
                TimeSpan wait = TimeSpan.FromTicks(Math.Min(attempt.Wait, TimeSpan.TicksPerDay));
                await Task.Delay(wait, environment.TimeProvider, attempt.GivenUp).ConfigureAwait(false);
            }

            Succeed(attempt, await ConnectAsync(attempt).ConfigureAwait(false));
        }
#pragma warning disable CA1031 // transports may throw anything, and the waiting requests get it
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Fail(attempt, exception);
        }
    }

    private async Task<CoapConnection> ConnectAsync(ConnectionAttempt attempt)
    {
        ConnectionPoolEntry entry = attempt.Entry;
        ConnectionKey key = entry.Key;
        IReadOnlyList<string> alternatives;
        lock (entries.Gate)
        {
            alternatives = entry.Alternatives;
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
                    ConnectingLog.AlternativeFailed(environment.Logger, alternatives[i], key.ToString(), exception.Message);
                }
            }

            long now = environment.Now;
            lock (entries.Gate)
            {
                entry.Alternatives = [];
                if (entry.IsHeldOff(now))
                {
                    throw HeldOff(entry, now, error);
                }
            }
        }

        return await ConnectAsync(attempt, key.Remote, key.ServerName).ConfigureAwait(false);
    }

    private static ValueTask<CoapConnection> ConnectAsync(ConnectionAttempt attempt, CoapAddress remote, string? serverName)
    {
        ConnectionKey key = attempt.Entry.Key;
        attempt.Begin(remote, serverName);
        return key.Local is { } local
            ? key.Transport.ConnectFromAsync(remote, local, serverName, attempt.GivenUp)
            : key.Transport.ConnectAsync(remote, serverName, attempt.GivenUp);
    }

    // RFC 8323 sections 5.5 and 10.1: the same scheme at another address. The peer there must prove the identity of the original target,
    // not of the alternative name.
    private async Task<CoapConnection> ConnectInsteadAsync(ConnectionAttempt attempt, string alternative)
    {
        ConnectionKey key = attempt.Entry.Key;
        CoapConnectionException? error = null;
        foreach (CoapAddress address in await hosts.FindAlternativeAsync(key.Transport.Scheme, alternative, attempt.GivenUp)
            .ConfigureAwait(false))
        {
            try
            {
                string? identity = key.ServerName ?? (key.Transport.IsSecure ? key.Remote.ToIPAddress().ToString() : null);
                CoapConnection connection = await ConnectAsync(attempt, address, identity).ConfigureAwait(false);
                ConnectingLog.AlternativeTaken(environment.Logger, key.ToString(), address.ToString());
                return connection;
            }
            catch (CoapConnectionException exception)
            {
                error = exception;
            }
        }

        throw error ?? new CoapConnectionException(CoapError.ConnectFailed, $"'{alternative}' has no address.");
    }

    private void Succeed(ConnectionAttempt attempt, CoapConnection connection)
    {
        ConnectionPoolEntry entry = attempt.Entry;
        CoapChannel channel = connection.Channel ?? throw new CoapConnectionException(
            CoapError.ConnectFailed, "The transport returned a connection for which Opened was not called, or not with success.");
        bool isWanted;
        lock (entries.Gate)
        {
            isWanted = !attempt.IsOver && !_isStopped;
            if (isWanted)
            {
                long now = environment.Now;
                attempt.IsOver = true;
                entry.Attempt = null;
                entry.Channel = channel;
                entry.OpenedAt = now;
                if (entry.HeldOffUntil <= now)
                {
                    entry.Alternatives = [];
                }

                channel.SetFeatureState(PeerFeatureKind.Connecting, entry);
                if (channel.IsForgotten)
                {
                    // It has already ended, perhaps before the entry could be found.
                    entries.RemoveConnection(entry, channel);
                }
            }
        }

        if (isWanted)
        {
            attempt.Completion.TrySetResult(channel);
        }
        else
        {
            connection.Close(null);
        }
    }

    private void Fail(ConnectionAttempt attempt, Exception exception)
    {
        ConnectionPoolEntry entry = attempt.Entry;
        long now = environment.Now;
        TimeSpan wait;
        lock (entries.Gate)
        {
            if (attempt.IsOver)
            {
                // No request waits for it any more.
                return;
            }

            attempt.IsOver = true;
            entry.Attempt = null;
            entry.LastFailure = exception.Message;
            entries.CountFailure(entry, now);
            entries.KeepUnconnected(entry, now);
            wait = TimeSpan.FromTicks(entry.NextAttemptAt - now);
        }

        ConnectingLog.ConnectFailed(environment.Logger, entry.ToString(), exception.Message, wait);
        attempt.Fail(exception is CoapConnectionException known
            ? new CoapConnectionException(known.Error, $"No connection to {entry} could be opened: {known.Message}", known)
            {
                Diagnostic = known.Diagnostic,
                RetryAfter = known.RetryAfter,
            }
            : new CoapConnectionException(
                CoapError.ConnectFailed,
                $"No connection to {entry} could be opened: {exception.Message} Check address and port, and whether the server runs.",
                exception));
    }

    private static CoapConnectionException HeldOff(ConnectionPoolEntry entry, long now, Exception? cause)
    {
        TimeSpan left = TimeSpan.FromTicks(entry.HeldOffUntil - now);
        return new CoapConnectionException(
            CoapError.Released,
            $"{entry} released its connection and asked not to be connected to for another {left.TotalSeconds:0.#} s "
                + "(RFC 8323 section 5.5). Try again then.",
            cause)
        {
            RetryAfter = left,
            IsUnsent = true,
        };
    }
}
