using CoAP.NET.Messaging;

namespace CoAP.NET.Observing.Server;

/// <summary>
/// The observers of one client, and the pace of its notifications over all of them (RFC 7641 section 4.5.1). Acknowledgements pace the
/// Confirmable ones. Non-confirmable ones are sent once per round-trip time, which only a Confirmable one can measure: if one had to wait
/// because that time is unknown, it becomes Confirmable itself. The timer is for waiting notifications. Guarded by the shard's lock.
/// </summary>
/// <remarks>
/// <see cref="Waiting"/> has the observers that wait (<see cref="Observer.State"/>), and <see cref="Outstanding"/> counts those with an
/// outstanding message: an observer enters and leaves both with its state.
/// </remarks>
internal sealed class PeerObservers : WheelTimer, IDeferredWork, IPeerFeatureState
{
    // The time between two notifications, in units of 100 ns, while the round-trip time is unknown (RFC 7641 section 4.5.1).
    private static readonly long s_pace = TimeSpan.FromSeconds(3).Ticks;

    // How long a faster pace is allowed without an acknowledgement, in units of 100 ns: an unreachable peer, or one behind a network that
    // became slow, must not get that many for a day. It is also the time between two probes, because a peer whose acknowledgements are
    // always late never reveals its round-trip time.
    private static readonly long s_roundTripLife = TimeSpan.FromMinutes(1).Ticks;

    private long _activeAt;
    private IntrusiveList<Observer, LinkAccessor> _all;

    // Of resources with Non-confirmable notifications: the time of the last one, and whether another one had to wait since then.
    private long _lastPaced = long.MinValue / 2;
    private bool _wasPaced;

    // The time after which one of them may be Confirmable to measure the round-trip time.
    private long _nextProbe = long.MinValue;

    // The number of Non-confirmable notifications since the last acknowledgement.
    private int _unacknowledged;
    private bool _isQueued;

    public PeerObservers(ObserverTable table, CoapChannel channel)
    {
        Table = table;
        Channel = channel;
        UsageEntry = new SourceUsage<PeerObservers>.UsageEntry(
            this, channel.Shard.Environment.Sources.Of(channel.Remote, channel.PeerId));
    }

    /// <summary>The list of observers of the shard.</summary>
    public ObserverTable Table { get; }

    public CoapChannel Channel { get; }

    /// <summary>Returns the observers of a client; null for none. Guarded by Shard.Gate.</summary>
    public static PeerObservers? Of(CoapChannel channel) => channel.FeatureState<PeerObservers>(PeerFeatureKind.Observing);

    /// <summary>Sets the observers of a client; null for none. Guarded by Shard.Gate.</summary>
    public static void Set(CoapChannel channel, PeerObservers? state) => channel.SetFeatureState(PeerFeatureKind.Observing, state);

    /// <summary>Its share of the places for observers. Guarded by <see cref="ObserverQuota"/>.</summary>
    public SourceUsage<PeerObservers>.UsageEntry UsageEntry { get; }

    /// <summary>The time of its last registration or acknowledgement, in units of 100 ns. Other shards read it too.</summary>
    public long ActiveAt
    {
        get => Volatile.Read(ref _activeAt);
        set => Volatile.Write(ref _activeAt, value);
    }

    public int Count => _all.Count;

    /// <summary>The observer that registered first; null if there are none.</summary>
    public Observer? First => _all.First;

    /// <summary>Observers with a notification to send, first in, first out.</summary>
    public List<Observer> Waiting { get; } = [];

    /// <summary>The number of Confirmable notifications without acknowledgement, including responses to registrations.</summary>
    public int Outstanding { get; set; }

    public void Add(Observer observer) => _all.Append(observer);

    public void Remove(Observer observer) => _all.Remove(observer);

    /// <summary>
    /// Returns, of the observers that registered first, the one that neither registered again nor acknowledged a notification for longest.
    /// </summary>
    public Observer LongestSilent(int maxCompared)
    {
        Observer longest = First!;
        Observer? next = longest.PeerLinks.Next;
        for (int i = 1; i < maxCompared && next is not null; i++, next = next.PeerLinks.Next)
        {
            longest = next.ActiveAt < longest.ActiveAt ? next : longest;
        }

        return longest;
    }

    /// <summary>Queues the sending of its waiting notifications, soon.</summary>
    public void Enqueue(long now)
    {
        if (!_isQueued)
        {
            _isQueued = true;
            Table.Queue.Add(this, now);
        }
    }

    /// <summary>Sends the waiting notifications that may be sent.</summary>
    public void SendWaiting(long now)
    {
        _isQueued = false;
        long due = long.MaxValue;
        int kept = 0;
        for (int i = 0; i < Waiting.Count; i++)
        {
            Observer observer = Waiting[i];
            observer.FollowSize(now);
            if (!MayBeSent(observer, now, ref due))
            {
                observer.AwaitTurn();
            }
            else if (observer.TryTakeTurn(MustBeConfirmable(observer, now), now))
            {
                continue;
            }

            Waiting[kept++] = observer;
        }

        Waiting.RemoveRange(kept, Waiting.Count - kept);
        if (due != long.MaxValue)
        {
            Channel.Shard.Wheel.Schedule(this, due);
        }
    }

    public void OnSent(Observer observer, bool isConfirmable, long now)
    {
        if (!observer.Subject.Settings.Confirmable)
        {
            _lastPaced = now;
            _wasPaced = false;
            _nextProbe = isConfirmable ? now + s_roundTripLife : _nextProbe;
        }

        _unacknowledged += isConfirmable ? 0 : 1;
    }

    /// <summary>Records an acknowledgement of a Confirmable notification.</summary>
    public void OnAcknowledged(long now)
    {
        _unacknowledged = 0;
        _nextProbe = now + s_roundTripLife;
    }

    // Lowers the time to the one when the notification may be sent, if that is known.
    private bool MayBeSent(Observer observer, long now, ref long due)
    {
        long from = observer.NotBefore;
        if (!Channel.IsReliable)
        {
            if (MustBeConfirmable(observer, now) && Outstanding >= Channel.Parameters.NStart)
            {
                // The end of the outstanding message leads back here.
                return false;
            }

            if (!observer.Subject.Settings.Confirmable)
            {
                // For any type: a message that is Confirmable for another reason is not sent faster.
                long turn = _lastPaced + (RoundTrip() ?? s_pace);
                _wasPaced |= turn > now;
                from = Math.Max(from, turn);
            }
        }

        if (from > now)
        {
            due = Math.Min(due, from);
            return false;
        }

        return true;
    }

    // On connections all are, because their sending is reported.
    private bool MustBeConfirmable(Observer observer, long now) =>
        Channel.IsReliable
        || observer.Subject.Settings.Confirmable
        || now >= observer.ConfirmableFrom
        || (!Channel.IsVerified && _unacknowledged >= Channel.Shard.Environment.Limits.Observe.MaxUnacknowledgedNotifications)
        || IsProbe(observer, now);

    // Confirmable to measure the round-trip time. Never in addition to another outstanding one, which measures it too.
    private bool IsProbe(Observer observer, long now)
    {
        if (!observer.Subject.Settings.Probes || Outstanding > 0 || now < _nextProbe)
        {
            return false;
        }

        long since = now - _lastPaced;
        return RoundTrip() is { } roundTrip ? since >= roundTrip && since < s_pace : since >= s_pace && _wasPaced;
    }

    private long? RoundTrip() => MessageLayer.RttOf(Channel)?.Ticks;

    // It lost a place to a client that may belong to another shard, whose lock was released.
    void IDeferredWork.OnReleased(CoapShard shard)
    {
        Channel.Shard.Enter();
        try
        {
            Table.EvictFrom(this);
        }
        finally
        {
            Channel.Shard.ExitAndSend();
        }
    }

    internal override void Fire(long now) => Enqueue(now);

    private readonly struct LinkAccessor : IListLinksAccessor<Observer>
    {
        public static ref ListLinks<Observer> Of(Observer item) => ref item.PeerLinks;
    }
}
