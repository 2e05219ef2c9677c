namespace CoAP.NET.Observing;

/// <summary>
/// The observers of one client, and the limits of its notifications over all of them (RFC 7641 section 4.5.1). The timer is for waiting
/// notifications. Guarded by the shard's lock.
/// </summary>
internal sealed class PeerObservers : WheelTimer, IAfterRelease, IPeerPart
{
    private readonly ObserverLayer _layer;
    private long _movedAt;
    private Chain<Observer, OfPeer> _all;

    public PeerObservers(ObserverLayer layer, CoapChannel channel)
    {
        _layer = layer;
        Channel = channel;
        Place = new SourceLedger<PeerObservers>.Holding(this, channel.Shard.Environment.Sources.Of(channel.Remote, channel.Identity));
    }

    public CoapChannel Channel { get; }

    /// <summary>Returns the observers of a client; null for none. Guarded by Shard.Gate.</summary>
    public static PeerObservers? Of(CoapChannel channel) => channel.Part<PeerObservers>(PeerSlot.Observing);

    /// <summary>Sets the observers of a client; null for none. Guarded by Shard.Gate.</summary>
    public static void Set(CoapChannel channel, PeerObservers? state) => channel.SetPart(PeerSlot.Observing, state);

    /// <summary>Its share of the places for observers. Guarded by <see cref="ObserverPlaces"/>.</summary>
    public SourceLedger<PeerObservers>.Holding Place { get; }

    /// <summary>The time of its last registration or acknowledgement, in units of 100 ns. Other shards read it too.</summary>
    public long MovedAt
    {
        get => Volatile.Read(ref _movedAt);
        set => Volatile.Write(ref _movedAt, value);
    }

    public int Count => _all.Count;

    /// <summary>The observer that registered first; null if there are none.</summary>
    public Observer? First => _all.First;

    /// <summary>Observers with a notification to send, first in, first out.</summary>
    public List<Observer> Waiting { get; } = [];

    /// <summary>The number of Confirmable notifications without acknowledgement, including responses to registrations.</summary>
    public int Outstanding { get; set; }

    /// <summary>The number of Non-confirmable notifications since the last acknowledgement.</summary>
    public int Unacknowledged { get; set; }

    /// <summary>
    /// The time of the last notification of a resource with Non-confirmable notifications, in units of 100 ns; long ago if there was none.
    /// </summary>
    public long LastPaced { get; set; } = long.MinValue / 2;

    /// <summary>Whether another one had to wait since then.</summary>
    public bool IsHeldBack { get; set; }

    /// <summary>The time after which one of them may be Confirmable to measure the round-trip time, in units of 100 ns.</summary>
    public long NextProbe { get; set; } = long.MinValue;

    /// <summary>Whether it is in the jobs of its shard.</summary>
    public bool IsQueued { get; set; }

    public void Add(Observer observer) => _all.Append(observer);

    public void Remove(Observer observer) => _all.Remove(observer);

    /// <summary>
    /// Returns, of the observers that registered first, the one that neither registered again nor acknowledged a notification for longest.
    /// </summary>
    /// <param name="maxCompared">The number of observers to compare.</param>
    public Observer Stillest(int maxCompared)
    {
        Observer stillest = First!;
        Observer? next = stillest.PeerLinks.Next;
        for (int i = 1; i < maxCompared && next is not null; i++, next = next.PeerLinks.Next)
        {
            stillest = next.MovedAt < stillest.MovedAt ? next : stillest;
        }

        return stillest;
    }

    /// <summary>Handles the loss of a place to a client that may belong to another shard. Takes the lock.</summary>
    public void GiveWay()
    {
        _layer.Shard.Enter();
        try
        {
            _layer.Table.GiveWay(this);
        }
        finally
        {
            _layer.Shard.Exit();
        }
    }

    // The shard is that of the client that takes the place.
    void IAfterRelease.OnReleased(CoapShard shard) => GiveWay();

    internal override void Fire(long now) => _layer.Sender.QueuePeer(this, now);

    private readonly struct OfPeer : IChainPlace<Observer>
    {
        public static ref ChainLinks<Observer> Of(Observer item) => ref item.PeerLinks;
    }
}
