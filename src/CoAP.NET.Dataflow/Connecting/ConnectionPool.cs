namespace CoAP.NET.Connecting;

// RFC 8323 section 3: how an endpoint keeps the connections that it opens.

/// <summary>
/// The connections that an endpoint opened, one for each target, shared by all requests to it. Concurrent requests share one attempt. After
/// failures the delay of the next attempt grows. The pool stores what a peer requested when it released a connection (RFC 8323 section
/// 5.5). Thread-safe; existing connections need no background work.
/// </summary>
internal sealed class ConnectionPool
{
    private readonly ConnectionTargets _targets;
    private readonly ConnectionOpener _opener;

    /// <summary>Creates a pool.</summary>
    /// <param name="environment">For options, clock, counters and log.</param>
    /// <param name="hosts">Finds the addresses of what a peer named as an alternative to it.</param>
    public ConnectionPool(CoapEnvironment environment, HostLookup hosts)
    {
        _targets = new ConnectionTargets(environment);
        _opener = new ConnectionOpener(environment, _targets, hosts);
    }

    /// <summary>Targets that are known: with a connection, an attempt or a past.</summary>
    public int Count
    {
        get
        {
            lock (_targets.Gate)
            {
                return _targets.Count;
            }
        }
    }

    /// <summary>The connection that requests on a route use now; null when one has to be opened first.</summary>
    public CoapChannel? Find(ConnectionRoute route)
    {
        if (route.Only is { } only)
        {
            return ConnectionStatusReader.IsUsable(only) ? only : null;
        }

        lock (_targets.Gate)
        {
            foreach (CoapAddress address in route.Addresses)
            {
                if (_targets.TryGet(route.KeyOf(address), out ConnectionPoolEntry? target) && _targets.UsableOf(target) is { } channel)
                {
                    return channel;
                }
            }
        }

        return null;
    }

    /// <summary>Returns the route to the peer of a connection, valid during the connection and after its end.</summary>
    // A connection opened by another party, including a user of the transport, can only be reopened by that party.
    public static ConnectionRoute RouteTo(CoapChannel channel) =>
        ConnectionPoolEntry.Of(channel) is { Key: var key }
            ? new ConnectionRoute(key.Transport, [key.Remote], key.ServerName, key.Local)
            : new ConnectionRoute(channel);

    /// <summary>The connection to the peer of a connection of ours that has ended; null when there is none.</summary>
    public CoapChannel? SuccessorOf(CoapChannel channel)
    {
        lock (_targets.Gate)
        {
            return ConnectionPoolEntry.Of(channel) is { Key: var key } && _targets.TryGet(key, out ConnectionPoolEntry? target)
                ? _targets.UsableOf(target)
                : null;
        }
    }

    public void OnGone(CoapChannel channel)
    {
        lock (_targets.Gate)
        {
            if (ConnectionPoolEntry.Of(channel) is { } target && target.Channel == channel)
            {
                _targets.Remove(target, channel);
            }
        }
    }

    /// <summary>
    /// Whether a connection was aborted for the same cause as the one before it, so that there is no hope in another one.
    /// </summary>
    /// <param name="channel">The channel of the connection.</param>
    /// <param name="error">How a request on it failed.</param>
    public bool IsAbortedAgain(CoapChannel channel, CoapConnectionException error)
    {
        lock (_targets.Gate)
        {
            // A connection that ended otherwise has no cause in common with an abort.
            return ConnectionPoolEntry.Of(channel) is { } target
                && (target.LastAbort?.Channel == channel ? target.AbortBefore : target.LastAbort) is { } before
                && before.Cause == ConnectionTargets.CauseOf(error.InnerException as CoapConnectionException ?? error);
        }
    }

    /// <summary>
    /// The connection that requests on a route use: an open one, or one that is being opened. All addresses are tried in turn, those first
    /// that may be tried at once; where all failed a short while ago the next attempt is waited for.
    /// </summary>
    /// <param name="route">The route.</param>
    /// <param name="cancellationToken">Stops waiting; the attempt goes on for others that wait.</param>
    /// <returns>The channel of the connection.</returns>
    /// <exception cref="CoapConnectionException">It could not be opened, or the peer asked not to be connected to for a while.</exception>
    /// <exception cref="CoapException">The endpoint was stopped.</exception>
    public ValueTask<CoapChannel> GetAsync(ConnectionRoute route, CancellationToken cancellationToken) =>
        Find(route) is { } channel ? new ValueTask<CoapChannel>(channel)
        : route.Only is { } gone ? ValueTask.FromException<CoapChannel>(Gone(gone))
        : new ValueTask<CoapChannel>(_opener.OpenAsync(route, cancellationToken));

    /// <summary>Gives all attempts up and opens no more connections, because the endpoint stops.</summary>
    public void Stop() => _opener.Stop();

    private static CoapConnectionException Gone(CoapChannel channel)
    {
        CoapConnectionException? reason = ConnectionStatusReader.EndOf(channel).Reason;
        string what = channel.Connection!.IsInitiator
            ? "Open it again where it was opened."
            : "It had opened the connection itself, so wait until it connects again (PeerConnected tells).";
        return new CoapConnectionException(
            reason?.Error ?? CoapError.Closed, $"{channel} is not connected any more. {what} {reason?.Message}".TrimEnd(), reason)
        {
            Diagnostic = reason?.Diagnostic,
            IsUnsent = true,
        };
    }
}
