namespace CoAP.NET.Observing;

/// <summary>
/// RFC 7641 section 4 for the peers of one shard: who observes what (<see cref="Table"/>), what changed and the runs of handlers that
/// follow (<see cref="Runs"/>), and what each observer is sent and when (<see cref="Sender"/>). A change only marks. What has to be done
/// for it waits in <see cref="Jobs"/>, with which a tick of the shard's clock begins: so nobody who tells of a change runs a handler, and a
/// slow observer gets the newest state.
/// </summary>
/// <remarks>Nothing here takes the shard's lock, unless it says so: callers do, by <see cref="CoapShard.Enter"/>. What has to be done
/// without it is left with the shard.</remarks>
internal sealed class ObserverLayer
{
    public ObserverLayer(CoapShard shard, ObserverPlaces places, int shardCount, ObserverKeeping? keeping)
    {
        Shard = shard;
        Clock = new NotificationClock(shard.Environment);
        Pacing = new NotificationPacing(shard.Environment.Limits);
        Jobs = new NotificationJobs(this);
        Table = new ObserverTable(this, places, shardCount, keeping);
        Runs = new NotificationRuns(this);
        Sender = new NotificationSender(this);
    }

    public CoapShard Shard { get; }

    /// <summary>Where sequence numbers begin.</summary>
    public NotificationClock Clock { get; }

    public ObserverTable Table { get; }

    public NotificationRuns Runs { get; }

    public NotificationSender Sender { get; }

    public NotificationPacing Pacing { get; }

    public NotificationJobs Jobs { get; }
}
