namespace CoAP.NET.Connecting;

// RFC 8323 section 3: how an endpoint keeps the connections that it opens.

/// <summary>
/// The connections that an endpoint opened, one for each target, shared by all requests to it. Concurrent requests share one attempt. After
/// failures the delay of the next attempt grows. The pool stores what a peer requested when it released a connection (RFC 8323 section
/// 5.5). Thread-safe; existing connections need no background work.
/// </summary>
internal sealed class ConnectionPool
{
    private readonly ConnectionPoolEntries _entries;
    private readonly ConnectionOpener _opener;

    /// <summary>Creates a pool.</summary>
    /// <param name="environment">For options, clock, counters and log.</param>
    /// <param name="hosts">Resolves the alternative addresses of a peer.</param>
    public ConnectionPool(CoapEnvironment environment, HostLookup hosts)
    {
        _entries = new ConnectionPoolEntries(environment);
        _opener = new ConnectionOpener(environment, _entries, hosts);
    }

    /// <summary>Number of known targets.</summary>
    public int Count
    {
        get
        {
            lock (_entries.Gate)
            {
                return _entries.Count;
            }
        }
    }

    /// <summary>Returns the connection that requests on a route use now; null if the endpoint must open one first.</summary>
    public CoapChannel? Find(ConnectionRoute route)
    {
        if (route.Only is { } only)
        {
            return ConnectionStatusReader.IsUsable(only) ? only : null;
        }

        lock (_entries.Gate)
        {
            foreach (CoapAddress address in route.Addresses)
            {
                if (_entries.TryGet(route.KeyOf(address), out ConnectionPoolEntry? entry) && _entries.UsableOf(entry) is { } channel)
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

    /// <summary>Returns the connection that replaced an ended one to the same target; null when there is none.</summary>
    public CoapChannel? SuccessorOf(CoapChannel channel)
    {
        lock (_entries.Gate)
        {
            return ConnectionPoolEntry.Of(channel) is { Key: var key } && _entries.TryGet(key, out ConnectionPoolEntry? entry)
                ? _entries.UsableOf(entry)
                : null;
        }
    }

    public void OnGone(CoapChannel channel)
    {
        lock (_entries.Gate)
        {
            if (ConnectionPoolEntry.Of(channel) is { } entry && entry.Channel == channel)
            {
                _entries.RemoveConnection(entry, channel);
            }
        }
    }

    /// <summary>Whether a connection was aborted for the same cause as the one before it. Another connection would fail too.</summary>
    /// <param name="channel">The channel of the connection.</param>
    /// <param name="error">The error of a request on it.</param>
    public bool IsAbortedAgain(CoapChannel channel, CoapConnectionException error)
    {
        lock (_entries.Gate)
        {
            // A connection that ended without an abort has no cause to compare.
            return ConnectionPoolEntry.Of(channel) is { } entry
                && (entry.LastAbort?.Channel == channel ? entry.AbortBefore : entry.LastAbort) is { } before
                && before.Cause == ConnectionPoolEntries.CauseOf(error.InnerException as CoapConnectionException ?? error);
        }
    }

    /// <summary>
    /// Returns the connection that requests on a route use: an open one, or one that is being opened. The pool tries all addresses in
    /// turn, first those without a delay. If every address has a delay after a failure, it waits for the end of the shortest one.
    /// </summary>
    /// <param name="route">The route.</param>
    /// <param name="cancellationToken">Stops waiting. The attempt continues for other waiting requests.</param>
    /// <returns>The channel of the connection.</returns>
    /// <exception cref="CoapConnectionException">No connection could be opened, or the peer requested a pause.</exception>
    /// <exception cref="CoapException">The endpoint was stopped.</exception>
    public ValueTask<CoapChannel> GetAsync(ConnectionRoute route, CancellationToken cancellationToken) =>
        Find(route) is { } channel ? new ValueTask<CoapChannel>(channel)
        : route.Only is { } gone ? ValueTask.FromException<CoapChannel>(Gone(gone))
        : new ValueTask<CoapChannel>(_opener.OpenAsync(route, cancellationToken));

    /// <summary>Cancels all attempts and opens no more connections, because the endpoint stops.</summary>
    public void Stop() => _opener.Stop();

    private static CoapConnectionException Gone(CoapChannel channel)
    {
        CoapConnectionException? reason = ConnectionStatusReader.EndOf(channel).Reason;
        string what = channel.Connection!.IsInitiator
            ? "Open it again where it was opened."
            : "The peer had opened the connection. Wait until it connects again; the event PeerConnected reports that.";
        return new CoapConnectionException(
            reason?.Error ?? CoapError.Closed, $"{channel} is not connected any more. {what} {reason?.Message}".TrimEnd(), reason)
        {
            Diagnostic = reason?.Diagnostic,
            IsUnsent = true,
        };
    }
}
