namespace CoAP.NET.Connecting;

/// <summary>
/// Opens the connections of a <see cref="ConnectionPool"/>. Concurrent requests share one attempt. After failures the delay of the next
/// attempt grows. Thread-safe.
/// </summary>
/// <param name="environment">For options, clock and log.</param>
/// <param name="targets">The state of targets, and the lock.</param>
/// <param name="hosts">Resolves the alternative addresses of a peer.</param>
internal sealed class ConnectionOpener(CoapEnvironment environment, ConnectionTargets targets, HostLookup hosts)
{
    // How many of the addresses that a peer names as alternatives to itself are looked at.
    private const int MaxAlternatives = 4;

    private readonly CoapStreamOptions _options = environment.Streams;

    /// <summary>
    /// Opens a connection, or waits for one that is being opened. All addresses are tried in turn, those first that may be tried at once;
    /// where all failed a short while ago the next attempt is waited for.
    /// </summary>
    /// <param name="route">The route.</param>
    /// <param name="cancellationToken">Stops waiting; the attempt goes on for others that wait.</param>
    /// <returns>The channel of the connection.</returns>
    /// <exception cref="CoapConnectionException">It could not be opened, or the peer asked not to be connected to for a while.</exception>
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

    /// <summary>Gives all attempts up and opens no more connections, because the endpoint stops.</summary>
    public void Stop()
    {
        List<ConnectionAttempt> attempts = [];
        lock (targets.Gate)
        {
            targets.IsStopped = true;
            foreach (ConnectionPoolEntry target in targets.All)
            {
                if (target.Attempt is { } attempt)
                {
                    attempt.IsOver = true;
                    target.Attempt = null;
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

    /// <summary>Those addresses that may be connected to now; if there are none the one that may be first.</summary>
    private List<ConnectionKey> InOrder(ConnectionRoute route)
    {
        List<ConnectionKey> now = [];
        ConnectionKey first = default;
        long earliest = long.MaxValue;
        long time = environment.Now;
        lock (targets.Gate)
        {
            foreach (CoapAddress address in route.Addresses)
            {
                ConnectionKey key = route.KeyOf(address);
                long due = !targets.TryGet(key, out ConnectionPoolEntry? target) ? time
                    : target.IsHeldOff(time) ? target.HeldOffUntil
                    : target.NextAttemptAt;
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

    /// <summary>Takes the connection of a target if there is one; otherwise joins the attempt to open one.</summary>
    private CoapChannel? Join(ConnectionKey key, out ConnectionAttempt? attempt, out bool isNew)
    {
        long now = environment.Now;
        isNew = false;
        attempt = null;
        lock (targets.Gate)
        {
            if (targets.IsStopped)
            {
                throw Stopped();
            }

            ConnectionPoolEntry target = targets.Get(key, out CoapChannel? channel);
            if (channel is not null)
            {
                return channel;
            }

            if (target.IsHeldOff(now))
            {
                throw HeldOff(target, now, null);
            }

            if (target.Failures > 0
                && now - target.NextAttemptAt > _options.MaxReconnectDelay.Ticks
                && _options.MaxReconnectDelay > TimeSpan.Zero)
            {
                // Too long ago to say anything.
                target.Failures = 0;
            }

            if (target.Attempt is null)
            {
                isNew = true;
                targets.Unlist(target);
                target.Attempt = new ConnectionAttempt(target, target.NextAttemptAt > now ? target.NextAttemptAt - now : 0);
            }

            attempt = target.Attempt;
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
        lock (targets.Gate)
        {
            if (--attempt.Waiters > 0 || attempt.IsOver)
            {
                return;
            }

            // Later requests start another attempt.
            attempt.IsOver = true;
            attempt.Target.Attempt = null;
            targets.Keep(attempt.Target, environment.Now);
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
#pragma warning disable CA1031 // whatever a transport throws, those who wait are told
        catch (Exception exception)
#pragma warning restore CA1031
        {
            Fail(attempt, exception);
        }
    }

    private async Task<CoapConnection> ConnectAsync(ConnectionAttempt attempt)
    {
        ConnectionPoolEntry target = attempt.Target;
        ConnectionKey key = target.Key;
        IReadOnlyList<string> alternatives;
        lock (targets.Gate)
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
                    ConnectingLog.AlternativeFailed(environment.Logger, alternatives[i], key.ToString(), exception.Message);
                }
            }

            long now = environment.Now;
            lock (targets.Gate)
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

    private static ValueTask<CoapConnection> ConnectAsync(ConnectionAttempt attempt, CoapAddress remote, string? serverName)
    {
        ConnectionKey key = attempt.Target.Key;
        attempt.Begin(remote, serverName);
        return key.Local is { } local
            ? key.Transport.ConnectFromAsync(remote, local, serverName, attempt.GivenUp)
            : key.Transport.ConnectAsync(remote, serverName, attempt.GivenUp);
    }

    // RFC 8323 sections 5.5 and 10.1: the same scheme at another address. The peer there must prove the identity of the original target,
    // not of the alternative name.
    private async Task<CoapConnection> ConnectInsteadAsync(ConnectionAttempt attempt, string alternative)
    {
        ConnectionKey key = attempt.Target.Key;
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
        ConnectionPoolEntry target = attempt.Target;
        CoapChannel channel = connection.Channel ?? throw new CoapConnectionException(
            CoapError.ConnectFailed, "The transport returned a connection for which Opened was not called, or not with success.");
        bool isWanted;
        lock (targets.Gate)
        {
            isWanted = !attempt.IsOver && !targets.IsStopped;
            if (isWanted)
            {
                long now = environment.Now;
                attempt.IsOver = true;
                target.Attempt = null;
                target.Channel = channel;
                target.OpenedAt = now;
                if (target.HeldOffUntil <= now)
                {
                    target.Alternatives = [];
                }

                channel.SetPart(PeerFeatureKind.Connecting, target);
                if (channel.IsForgotten)
                {
                    // It has ended again, and those who tell it may not have known where to.
                    targets.Remove(target, channel);
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
        ConnectionPoolEntry target = attempt.Target;
        long now = environment.Now;
        TimeSpan wait;
        lock (targets.Gate)
        {
            if (attempt.IsOver)
            {
                // Given up.
                return;
            }

            attempt.IsOver = true;
            target.Attempt = null;
            target.LastFailure = exception.Message;
            targets.CountFailure(target, now);
            targets.Keep(target, now);
            wait = TimeSpan.FromTicks(target.NextAttemptAt - now);
        }

        ConnectingLog.ConnectFailed(environment.Logger, target.ToString(), exception.Message, wait);
        attempt.Fail(exception is CoapConnectionException known
            ? new CoapConnectionException(known.Error, $"No connection to {target} could be opened: {known.Message}", known)
            {
                Diagnostic = known.Diagnostic,
                RetryAfter = known.RetryAfter,
            }
            : new CoapConnectionException(
                CoapError.ConnectFailed,
                $"No connection to {target} could be opened: {exception.Message} Check address and port, and whether the server runs.",
                exception));
    }

    private static CoapConnectionException HeldOff(ConnectionPoolEntry target, long now, Exception? cause)
    {
        TimeSpan left = TimeSpan.FromTicks(target.HeldOffUntil - now);
        return new CoapConnectionException(
            CoapError.Released,
            $"{target} released its connection and asked not to be connected to for another {left.TotalSeconds:0.#} s "
                + "(RFC 8323 section 5.5). Try again then.",
            cause)
        {
            RetryAfter = left,
            IsUnsent = true,
        };
    }
}
