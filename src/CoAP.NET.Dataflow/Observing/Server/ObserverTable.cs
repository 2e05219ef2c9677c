namespace CoAP.NET.Observing.Server;

/// <summary>
/// The list of observers of a shard (RFC 7641 section 4.1): registration, admission, and eviction when there is no room.
/// </summary>
/// <remarks>
/// No method takes the shard's lock: callers do, with <see cref="CoapShard.Enter"/>, for this and for all that it holds. Work without the
/// lock is queued at the shard.
/// </remarks>
internal sealed class ObserverTable
{
    private const int BytesOfNewcomer = 4096;
    private const int MinNewcomers = 16;

    // The number of a client's observers, in the order of registration, among which the one that is evicted is chosen.
    private const int MaxCompared = 16;

    private readonly CoapShard _shard;
    private readonly CoapLimits _limits;
    private readonly CoapCounters _counters;
    private readonly ObserverQuota _quota;
    private readonly int _maxNewcomers;
    private readonly CoapMessage _noCapacity;

    // Guarded by the shard's lock.
    private readonly Dictionary<(CoapChannel Channel, CoapToken Token), Observer> _observers = [];

    // Observers that were heard once so far, from an address that may be forged. A registration is one datagram and stays until a
    // notification is not acknowledged, forever if nothing changes. Like the newcomers themselves, they therefore replace each other. A
    // replaced client registers again after Max-Age, and is then no newcomer. Observers that returned meanwhile, or were removed, leave the
    // queue when their turn comes.
    private readonly Queue<Observer> _newcomers = new();
    private JitterSequence _jitter;

    public ObserverTable(CoapShard shard, ObserverQuota quota, int shardCount, ObserverEvents reports)
    {
        _shard = shard;
        _limits = shard.Environment.Limits;
        _counters = shard.Environment.Counters;
        _quota = quota;
        _jitter = new JitterSequence(shard.Environment.Random.NextUInt64());
        Clock = new SequenceNumberClock(shard.Environment);
        Queue = new NotificationWorkQueue(shard);
        Subjects = new ObservedSubjectTable(this);
        Reports = reports;
        _maxNewcomers = Math.Max(MinNewcomers, _limits.Peers.NewcomerMemory / BytesOfNewcomer / shardCount);
        _noCapacity = new CoapMessage(CoapCode.ServiceUnavailable,
            new CoapOptionCollection { MaxAge = TimeSpan.FromSeconds(_limits.Requests.BusyMaxAge) });
    }

    public int Count => _observers.Count;

    public IReadOnlyCollection<Observer> Observers => _observers.Values;

    public CoapShard Shard => _shard;

    public SequenceNumberClock Clock { get; }

    public NotificationWorkQueue Queue { get; }

    public ObservedSubjectTable Subjects { get; }

    public ObserverEvents Reports { get; }

    /// <summary>Returns a random number from 0 up to 1.</summary>
    public double NextJitter() => _jitter.Next();

    /// <summary>
    /// Adds an observer whose registration was answered with success, and replaces one with the same token (RFC 7641 section 4.1).
    /// </summary>
    /// <returns>The observer; null if a limit is reached, so that the response is that to a plain request.</returns>
    public Observer? Register(CoapExchange exchange, PendingObserverRegistration registration, CoapResult result, out uint number)
    {
        long now = _shard.Environment.Now;
        number = 0;
        Observer? observer = Add(exchange.Channel, exchange.Request.Message, registration, exchange.Special & ~RequestOptionFlags.Observe,
            Notification.FormatOf(result.Code, result.OptionsToRead), now, isAnswered: true, exchange.Request.IsMulticast);
        if (observer is null)
        {
            return null;
        }

        _counters.Add(CoapCounter.Registrations);
        number = observer.Subject.NextNumber(now);
        observer.ArmRefresh(now);
        return observer;
    }

    /// <summary>Restores an observer of an earlier process. It gets the newest state in a Confirmable notification.</summary>
    /// <param name="channel">The client.</param>
    /// <param name="request">Its registration.</param>
    /// <param name="special">Its other special options.</param>
    /// <param name="registration">What it observes.</param>
    /// <param name="format">The Content-Format of its previous notifications.</param>
    /// <param name="numbersFrom">The start of the numbers of its notifications; null: ahead of the clock.</param>
    /// <returns>The result.</returns>
    public CoapObserverRestoreResult Restore(
        CoapChannel channel, CoapMessage request, RequestOptionFlags special, PendingObserverRegistration registration, int format,
        DateTimeOffset? numbersFrom)
    {
        long now = _shard.Environment.Now;
        if (channel.IsForgotten)
        {
            return CoapObserverRestoreResult.Gone;
        }

        if (_observers.ContainsKey((channel, request.Token)))
        {
            return CoapObserverRestoreResult.IsThere;
        }

        if (Add(channel, request, registration, special, format, now, isAnswered: false) is not { } observer)
        {
            return CoapObserverRestoreResult.NoCapacity;
        }

        observer.Subject.SkipTo(numbersFrom is { } from ? SequenceNumberClock.NumberOf(from.UtcTicks) : Clock.Ahead(now));
        observer.Restore(now);
        return CoapObserverRestoreResult.Restored;
    }

    /// <summary>Removes the observer with a token, if there is one (RFC 7641 section 4.1: Observe 1).</summary>
    public void Deregister(CoapChannel channel, CoapToken token, CoapObserverEnd end = CoapObserverEnd.Deregistered)
    {
        if (_observers.TryGetValue((channel, token), out Observer? observer))
        {
            Remove(observer, end);
        }
    }

    /// <summary>
    /// Removes the observer that a request with Observe 1 names. For a protected peer, a proxy may have used another token than in the
    /// registration: it then means the only observer of the peer with the same request.
    /// </summary>
    public void Deregister(CoapChannel channel, CoapMessage request)
    {
        if (_observers.ContainsKey((channel, request.Token)) || channel.Carried is null)
        {
            Deregister(channel, request.Token);
            return;
        }

        Observer? only = null;
        for (Observer? other = PeerObservers.Of(channel)?.First; other is not null; other = other.PeerLinks.Next)
        {
            if (other.Subject.Key.IsOf(request, channel))
            {
                if (only is not null)
                {
                    return;
                }

                only = other;
            }
        }

        if (only is not null)
        {
            Remove(only, CoapObserverEnd.Deregistered);
        }
    }

    /// <summary>Removes all observers of a peer without a message, because its connection has ended (RFC 8323 section 7.4).</summary>
    public void RemoveAllOf(CoapChannel channel, CoapObserverEnd end)
    {
        if (PeerObservers.Of(channel) is not { } peer)
        {
            return;
        }

        // Not one by one: nothing more is sent to the peer.
        peer.Waiting.Clear();
        while (peer.First is { } observer)
        {
            Remove(observer, end);
        }
    }

    /// <summary>Removes all observers without a message, because the endpoint has stopped.</summary>
    public void RemoveAll()
    {
        foreach (Observer observer in _observers.Values.ToArray())
        {
            Remove(observer, CoapObserverEnd.Stopped);
        }

        Queue.Clear();
    }

    /// <summary>
    /// Handles a client that lost places to clients of sources that hold less: the observers that were inactive for longest get 5.03 and
    /// are removed.
    /// </summary>
    public void EvictFrom(PeerObservers peer)
    {
        long now = _shard.Environment.Now;
        while (peer.Count > _quota.CountOf(peer.UsageEntry))
        {
            Observer observer = peer.LongestSilent(MaxCompared);
            _counters.Add(CoapCounter.ObserversEvicted);
            peer.Channel.NoteDrop(CoapCounter.ObserversEvicted);
            if (_shard.Guard.IsTrusted(peer.Channel, now))
            {
                observer.End(_noCapacity, CoapObserverEnd.Replaced);
            }
            else
            {
                Remove(observer, CoapObserverEnd.Replaced);
            }
        }
    }

    /// <summary>Removes an observer and its running messages.</summary>
    /// <param name="observer">The observer.</param>
    /// <param name="end">The reason.</param>
    /// <param name="successor">The observer that replaces it; null if there is none.</param>
    /// <param name="isTold">Whether a last response informs the client.</param>
    public void Remove(Observer observer, CoapObserverEnd end, Observer? successor = null, bool isTold = false)
    {
        if (observer.IsRemoved)
        {
            return;
        }

        PeerObservers peer = observer.Peer;
        Reports.Removed(observer, end, successor);
        _observers.Remove((observer.Channel, observer.Token));
        if (_observers.Count == 0)
        {
            _newcomers.Clear();
        }

        observer.Detach();
        peer.Channel.Pins--;
        if (successor is null && !isTold)
        {
            ProtectedPeersOfChannel.EndObserver(observer.Channel, observer.Token);
        }

        if (observer.IsCountedBySource)
        {
            _shard.Guard.OnObserverRemoved(peer.Channel);
        }

        if (successor is null || successor.ResourceLimits != observer.ResourceLimits)
        {
            observer.ResourceLimits?.Leave(peer.UsageEntry.Key);
        }

        peer.Remove(observer);
        _quota.Trim(peer.UsageEntry, peer.Count);
        if (peer.Count == 0)
        {
            PeerObservers.Set(peer.Channel, null);
            _shard.Wheel.Cancel(peer);
        }
        else if (peer.Waiting.Count > 0)
        {
            peer.Enqueue(_shard.Environment.Now);
        }
    }

    private Observer? Add(
        CoapChannel channel, CoapMessage request, PendingObserverRegistration registration, RequestOptionFlags special, int format,
        long now, bool isAnswered, bool isOfGroup = false)
    {
        ObservedSubjectKey key = new(registration.Route, request, channel, registration.Settings.SameForAll == true);
        _observers.TryGetValue((channel, request.Token), out Observer? before);
        PeerObservers? peer = PeerObservers.Of(channel);
        bool isCounted = before?.IsCountedBySource ?? false;
        if (channel.IsForgotten || (before is null && (peer?.Count ?? 0) >= _limits.Observe.MaxObserversPerPeer))
        {
            _counters.Add(CoapCounter.RegistrationsRefused);
            return null;
        }

        peer ??= new PeerObservers(this, channel);
        peer.ActiveAt = now;
        if (!_quota.TryEnter(peer, before, registration.ResourceLimits, now, ref isCounted))
        {
            if (before is not null)
            {
                // Its token was used for another resource, which has no room.
                Remove(before, CoapObserverEnd.Replaced, isTold: true);
            }

            _counters.Add(CoapCounter.RegistrationsRefused);
            return null;
        }

        ObservedSubject subject = Subjects.Find(key) ?? Subjects.Add(key.ToKeep(), registration, special, now);
        subject.Settings = registration.Settings;
        PeerObservers.Set(channel, peer);
        Observer observer = new(subject, peer, request.Token, isAnswered, now)
        {
            Format = format,
            ResourceLimits = registration.ResourceLimits,
            IsOfGroup = isOfGroup,
            IsCountedBySource = isCounted,
        };
        if (registration.IsOutdated)
        {
            observer.Refresh();
        }

        peer.Add(observer);
        channel.Pins++;
        if (before is not null)
        {
            before.IsCountedBySource = false;
            Remove(before, CoapObserverEnd.Replaced, observer);
        }

        _observers.Add((channel, request.Token), observer);
        Reports.Added(observer, before);
        ReplaceNewcomers(observer, now);
        return observer;
    }

    private bool IsNewcomer(CoapChannel channel, long now) =>
        channel is { IsNewcomer: true, IsReliable: false } && !_shard.Guard.IsTrusted(channel, now);

    private void ReplaceNewcomers(Observer observer, long now)
    {
        if (!IsNewcomer(observer.Channel, now))
        {
            return;
        }

        _newcomers.Enqueue(observer);
        while (_newcomers.Count > _maxNewcomers)
        {
            Observer oldest = _newcomers.Dequeue();
            if (!oldest.IsRemoved && IsNewcomer(oldest.Channel, now))
            {
                _counters.Add(CoapCounter.ObserversLost);
                Remove(oldest, CoapObserverEnd.Replaced);
            }
        }
    }
}
