using CoAP.NET.Channels;
using CoAP.NET.Transports;

namespace CoAP.NET.Connecting;

// RFC 8323 section 3: how an endpoint keeps the connections that it opens.

/// <summary>
/// The connections that an endpoint opened, one for each target, shared by all requests to it. Concurrent requests wait for one attempt. After failures the next attempt
/// waits ever longer. What a peer said when it released a connection is kept (RFC 8323 section 5.5). Thread-safe; nothing runs for connections that stand.
/// </summary>
internal sealed partial class ConnectionPool
{
    // Targets without a connection of which something is remembered; the oldest is forgotten first.
    private const int MaxRemembered = 1024;

    private readonly CoapEnvironment _environment;
    private readonly CoapStreamOptions _options;
    private readonly IConnectionSignals _signals;
    private readonly HostLookup _hosts;
    private readonly Lock _gate = new();

    // Guarded by the gate, as are the targets. Under it no lock but that of a shard is taken, for a moment.
    private readonly Dictionary<ConnectionKey, ConnectionTarget> _targets = [];
    private readonly LinkedList<ConnectionTarget> _remembered = [];
    private JitterSequence _jitter;
    private bool _isStopped;

    /// <summary>Makes a pool.</summary>
    /// <param name="environment">For options, clock, counters and log.</param>
    /// <param name="signals">What signalling knows of connections.</param>
    /// <param name="hosts">Finds the addresses of what a peer named as an alternative to it.</param>
    public ConnectionPool(CoapEnvironment environment, IConnectionSignals signals, HostLookup hosts)
    {
        _environment = environment;
        _options = environment.Streams;
        _signals = signals;
        _hosts = hosts;
        _jitter = new JitterSequence(environment.Random.NextUInt64());
    }

    /// <summary>Targets that are known: with a connection, an attempt or a past.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
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
            return _signals.IsUsable(only) ? only : null;
        }

        lock (_gate)
        {
            foreach (CoapAddress address in route.Addresses)
            {
                if (_targets.TryGetValue(route.KeyOf(address), out ConnectionTarget? target) && UsableOf(target) is { } channel)
                {
                    return channel;
                }
            }
        }

        return null;
    }

    /// <summary>The route by which the peer of a connection is reached, now and after the connection has ended.</summary>
    // What others opened, be it a user by the transport, is theirs to open again.
    public static ConnectionRoute RouteTo(CoapChannel channel) =>
        channel.ConnectingState is { Key: var key } ? new ConnectionRoute(key.Transport, [key.Remote], key.ServerName, key.Local) : new ConnectionRoute(channel);

    /// <summary>The connection to the peer of a connection of ours that has ended; null when there is none.</summary>
    public CoapChannel? SuccessorOf(CoapChannel channel)
    {
        lock (_gate)
        {
            return channel.ConnectingState is { Key: var key } && _targets.TryGetValue(key, out ConnectionTarget? target) ? UsableOf(target) : null;
        }
    }

    /// <summary>A connection has ended.</summary>
    public void OnGone(CoapChannel channel)
    {
        lock (_gate)
        {
            if (channel.ConnectingState is { } target && target.Channel == channel)
            {
                Retire(target, channel);
            }
        }
    }

    /// <summary>Whether a connection was aborted for the same cause as the one before it, so that there is no hope in another one.</summary>
    /// <param name="channel">The channel of the connection.</param>
    /// <param name="error">How a request on it failed.</param>
    public bool IsAbortedAgain(CoapChannel channel, CoapConnectionException error)
    {
        lock (_gate)
        {
            return error.Error == CoapConnectionError.Aborted
                && channel.ConnectingState is { } target
                && (target.LastAbort?.Channel == channel ? target.AbortBefore : target.LastAbort) is { } before
                && before.Cause == CauseOf(error.InnerException as CoapConnectionException ?? error);
        }
    }

    /// <summary>Gives all attempts up and opens no more connections, because the endpoint stops.</summary>
    public void Stop()
    {
        List<ConnectAttempt> attempts = [];
        lock (_gate)
        {
            _isStopped = true;
            foreach (ConnectionTarget target in _targets.Values)
            {
                if (target.Attempt is { } attempt)
                {
                    attempt.IsOver = true;
                    target.Attempt = null;
                    attempts.Add(attempt);
                }
            }
        }

        foreach (ConnectAttempt attempt in attempts)
        {
            attempt.Fail(Stopped());
            attempt.GiveUp();
        }
    }

    private static CoapException Stopped() => new("The endpoint was stopped; requests cannot be sent any more. Make a new one.");

    private static string CauseOf(CoapConnectionException error) => error.Diagnostic ?? error.Message;

    private CoapChannel? UsableOf(ConnectionTarget target)
    {
        if (target.Channel is not { } channel || _signals.IsUsable(channel))
        {
            return target.Channel;
        }

        Retire(target, channel);
        return null;
    }

    /// <summary>A connection is not used for new requests any more.</summary>
    private void Retire(ConnectionTarget target, CoapChannel channel)
    {
        target.Channel = null;
        long now = _environment.Now;
        ConnectionEnd end = _signals.EndOf(channel);
        if (end.HoldOff is { } holdOff && holdOff > TimeSpan.Zero)
        {
            target.HeldOffUntil = now + holdOff.Ticks;
        }

        if (end.AlternativeAddresses.Count > 0)
        {
            target.Alternatives = end.AlternativeAddresses;
        }

        target.AbortBefore = target.LastAbort;
        target.LastAbort = end.Reason is { Error: CoapConnectionError.Aborted } aborted ? (channel, CauseOf(aborted)) : null;
        if (WasOfUse(target, channel, end, now))
        {
            target.Failures = 0;
        }
        else
        {
            CountFailure(target, now);
        }

        Keep(target, now);
    }

    // One that is lost again and again right after it was opened must not be opened without end. But one that brought what was asked for was no failure, however short it was.
    private bool WasOfUse(ConnectionTarget target, CoapChannel channel, ConnectionEnd end, long now)
    {
        // The CSM, a message, and what ended the connection if that was a message. In a session a message is enough.
        int frames = !channel.IsReliable ? 1 : end.Reason?.Error is CoapConnectionError.Aborted or CoapConnectionError.Released ? 3 : 2;
        return end.Reason?.Error == CoapConnectionError.ClosedByUs || (end.WasReady
            && (now - target.OpenedAt >= BackOffTimes.Of(target.Failures, _options.ReconnectDelay, _options.MaxReconnectDelay, 1) || channel.Connection!.Progress.FramesReceived >= frames));
    }

    private void CountFailure(ConnectionTarget target, long now)
    {
        long wait = BackOffTimes.Of(target.Failures, _options.ReconnectDelay, _options.MaxReconnectDelay, _jitter.Next());
        target.NextAttemptAt = now > long.MaxValue - wait ? long.MaxValue : now + wait;
        target.Failures++;
    }

    /// <summary>Remembers a target that has neither a connection nor an attempt for as long as there is room, or forgets it.</summary>
    private void Keep(ConnectionTarget target, long now)
    {
        if (target.Channel is not null || target.Attempt is not null)
        {
            return;
        }

        if (!target.IsMemorable(now))
        {
            Forget(target);
            return;
        }

        target.Place ??= _remembered.AddLast(target);
        while (_remembered.Count > MaxRemembered)
        {
            Forget(_remembered.First!.Value);
        }
    }

    private void Forget(ConnectionTarget target)
    {
        Unlist(target);
        _targets.Remove(target.Key);
    }

    private void Unlist(ConnectionTarget target)
    {
        if (target.Place is { } place)
        {
            target.Place = null;
            _remembered.Remove(place);
        }
    }
}
