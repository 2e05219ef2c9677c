using CoAP.NET.Diagnostics;
using CoAP.NET.Guarding;

namespace CoAP.NET.Edhoc.Coap;

/// <summary>
/// The sessions that wait for their next message: limited in total, with a share per source and a deadline each. When full, the source
/// that holds most loses its oldest session. It wipes the secrets of ended sessions. Thread-safe.
/// </summary>
internal sealed class PendingSessions : IDisposable
{
    // A timer truncated to milliseconds must not fire early.
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(1);

    private readonly EdhocServerOptions _options;
    private readonly EventCounter<EdhocServerCounter> _counts;
    private readonly EdhocInstruments _instruments;
    private readonly ConnectionIdentifierAllocator _identifiers;
    private readonly Lock _gate = new();
    private readonly ITimer _timer;

    // All have the same timeout, so those at the front end first.
    private readonly LinkedList<PendingSession> _byAge = new();
    private readonly Dictionary<string, LinkedListNode<PendingSession>> _byId = new(StringComparer.Ordinal);
    private readonly SourceUsage<PendingSession> _held = new();
    private bool _isDisposed;

    public PendingSessions(EdhocServerOptions options, EventCounter<EdhocServerCounter> counts, EdhocInstruments instruments)
    {
        (_options, _counts, _instruments) = (options, counts, instruments);
        _identifiers = new ConnectionIdentifierAllocator(
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

    /// <summary>Takes a place, with a free identifier.</summary>
    /// <param name="source">The source.</param>
    /// <param name="peerId">The peer's identifier, which is not available; empty while unknown.</param>
    /// <returns>The place; null if the source can have none.</returns>
    public PendingSession? TryEnter(CoapQuotaSource source, ReadOnlyMemory<byte> peerId)
    {
        for (int attempt = 0; attempt < ConnectionIdentifierAllocator.MaxAttempts; attempt++)
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

                return _held.AmountOf(source) < _options.MaxSessionsPerSource ? Add(id, source) : null;
            }
        }

        return null;
    }

    /// <summary>Stores a session until its next message.</summary>
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

    /// <summary>
    /// Removes and returns the session that waits for a message. The next message finds none, so none is processed twice.
    /// </summary>
    /// <param name="id">The identifier in the message.</param>
    /// <param name="source">
    /// The sender. A session belongs to the source that began it, so no other source can end it with an invalid message.
    /// </param>
    /// <param name="machine">The waiting role.</param>
    /// <returns>The place; null if no session waits.</returns>
    public PendingSession? Take(ReadOnlySpan<byte> id, CoapQuotaSource source, out IDisposable? machine)
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

    // Disposal affects only keys of this library: no user code runs under the lock.
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
            _counts.Add(EdhocServerCounter.Abandoned);
        }

        Remove(node);
    }

    private void Remove(LinkedListNode<PendingSession> node)
    {
        PendingSession session = node.Value;
        session.IsGone = true;
        _instruments.ChangeActive(-1);
        _byAge.Remove(node);
        _byId.Remove(Key(session.Id));
        _held.Set(session.UsageEntry, 0);
    }

    private PendingSession Add(byte[] id, CoapQuotaSource source)
    {
        long span = (long)(_options.Timeout.TotalSeconds * _options.TimeProvider.TimestampFrequency);
        PendingSession session = new(id, source, _options.TimeProvider.GetTimestamp() + span);
        _byId[Key(id)] = _byAge.AddLast(session);
        _held.Set(session.UsageEntry, 1);
        _instruments.ChangeActive(1);
        if (_byAge.Count > _options.MaxSessions)
        {
            Abandon(_byId[Key(_held.Greediest!.First!.Owner.Id)]);
        }

        if (_byAge.Count == 1)
        {
            _timer.Change(_options.Timeout, Timeout.InfiniteTimeSpan);
        }

        return session;
    }
}
