using CoAP.NET.Guarding;

namespace CoAP.NET.Edhoc.Coap;

/// <summary>
/// The sessions that wait for their next message: bounded, with a share for each source and a deadline for each. When all places are taken,
/// the oldest of the source that holds most gives way to a source that holds fewer. Secrets of what ends are wiped. Thread-safe.
/// </summary>
internal sealed class PendingSessions : IDisposable
{
    // A timer that is cut to milliseconds must not fire before the time.
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(1);

    private readonly EdhocServerOptions _options;
    private readonly ServerCounts _counts;
    private readonly IdentifierChoice _identifiers;
    private readonly Lock _gate = new();
    private readonly ITimer _timer;

    // All have the same time, so that those at the front end first.
    private readonly LinkedList<PendingSession> _byAge = new();
    private readonly Dictionary<string, LinkedListNode<PendingSession>> _byId = new(StringComparer.Ordinal);
    private readonly SourceLedger<PendingSession> _held = new();
    private bool _isDisposed;

    public PendingSessions(EdhocServerOptions options, ServerCounts counts)
    {
        (_options, _counts) = (options, counts);
        _identifiers = new IdentifierChoice(
            options.Settings.Random,
            id => options.Contexts?.IsRecipient(id) == true || options.IsIdentifierTaken?.Invoke(id) == true);
        _timer = options.TimeProvider.CreateTimer(
            static state => ((PendingSessions)state!).OnTime(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _byAge.Count;
            }
        }
    }

    /// <summary>Takes a place, with an identifier that nobody has.</summary>
    /// <param name="source">For whom.</param>
    /// <param name="peerId">The identifier of the peer, which is not to be had; empty while it is not known.</param>
    /// <returns>The place; null when there is none for the source.</returns>
    public PendingSession? TryEnter(CoapSource source, ReadOnlyMemory<byte> peerId)
    {
        for (int attempt = 0; attempt < IdentifierChoice.MaxAttempts; attempt++)
        {
            if (_identifiers.TryMake(attempt, peerId.Span) is not { } id)
            {
                continue;
            }

            lock (_gate)
            {
                ObjectDisposedException.ThrowIf(_isDisposed, this);
                EndOld();
                if (_byId.ContainsKey(Key(id)))
                {
                    continue;
                }

                long held = _held.Find(source)?.Amount ?? 0;
                return held < _options.MaxSessionsPerSource && (_byAge.Count < _options.MaxSessions || TryDisplace(held))
                    ? Add(id, source)
                    : null;
            }
        }

        return null;
    }

    /// <summary>Has a session wait for its next message.</summary>
    public void Wait(PendingSession session, IDisposable machine)
    {
        lock (_gate)
        {
            if (!session.IsGone)
            {
                session.Machine = machine;
                return;
            }
        }

        machine.Dispose();
    }

    /// <summary>Takes what waits for a message. The next message to it finds nothing, so none is processed twice.</summary>
    /// <param name="id">The identifier that the message names.</param>
    /// <param name="source">Who sent it. A session is that of the source that began it, so nobody else can end it by a wrong
    /// message.</param>
    /// <param name="machine">What waits.</param>
    /// <returns>The place; null when nothing waits.</returns>
    public PendingSession? Take(ReadOnlySpan<byte> id, CoapSource source, out IDisposable? machine)
    {
        lock (_gate)
        {
            EndOld();
            machine = null;
            if (!_byId.TryGetValue(Key(id), out LinkedListNode<PendingSession>? node) || node.Value.Source != source)
            {
                return null;
            }

            machine = node.Value.Machine;
            node.Value.Machine = null;
            return machine is null ? null : node.Value;
        }
    }

    /// <summary>Gives a place back: the session is complete.</summary>
    public void Complete(PendingSession session)
    {
        lock (_gate)
        {
            if (!session.IsGone)
            {
                Remove(_byId[Key(session.Id)]);
            }
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            while (_byAge.First is { } node)
            {
                node.Value.Machine?.Dispose();
                Remove(node);
            }
        }

        _timer.Dispose();
    }

    private static string Key(ReadOnlySpan<byte> id) => Convert.ToHexString(id);

    private void OnTime()
    {
        lock (_gate)
        {
            EndOld();
            if (!_isDisposed && _byAge.First is { } first)
            {
                double left = first.Value.Deadline - _options.TimeProvider.GetTimestamp();
                _timer.Change(TimeSpan.FromSeconds(left / _options.TimeProvider.TimestampFrequency) + s_tick, Timeout.InfiniteTimeSpan);
            }
        }
    }

    // What is disposed here are keys of this library: no code of users runs under the lock.
    private void EndOld()
    {
        long now = _options.TimeProvider.GetTimestamp();
        while (_byAge.First is { } node && node.Value.Deadline <= now)
        {
            Abandon(node);
        }
    }

    private void Abandon(LinkedListNode<PendingSession> node)
    {
        if (node.Value.Machine is { } machine)
        {
            machine.Dispose();
            node.Value.Machine = null;
            _counts.Add(ServerCount.Abandoned);
        }

        Remove(node);
    }

    private void Remove(LinkedListNode<PendingSession> node)
    {
        PendingSession session = node.Value;
        session.IsGone = true;
        _counts.ChangeActive(-1);
        _byAge.Remove(node);
        _byId.Remove(Key(session.Id));
        _held.Set(session.Holding, 0);
    }

    private PendingSession Add(byte[] id, CoapSource source)
    {
        long span = (long)(_options.Timeout.TotalSeconds * _options.TimeProvider.TimestampFrequency);
        PendingSession session = new(id, source, _options.TimeProvider.GetTimestamp() + span);
        _byId[Key(id)] = _byAge.AddLast(session);
        _held.Set(session.Holding, 1);
        _counts.ChangeActive(1);
        if (_byAge.Count == 1)
        {
            _timer.Change(_options.Timeout, Timeout.InfiniteTimeSpan);
        }

        return session;
    }

    // Somebody who holds fewer than the greediest is let in: never an honest newcomer is kept out by one that holds many.
    private bool TryDisplace(long held)
    {
        if (_held.Greediest is not { First.Owner: { } oldest } greediest || greediest.Amount <= held)
        {
            return false;
        }

        Abandon(_byId[Key(oldest.Id)]);
        return true;
    }
}
