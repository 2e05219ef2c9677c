namespace CoAP.NET.Observing;

/// <summary>
/// Implements RFC 7641 section 4 for the peers of one shard: the observers (<see cref="Table"/>), the changes and the runs of handlers that
/// follow (<see cref="Runs"/>), and the notifications of each observer (<see cref="Sender"/>). A change only sets a mark. Its work waits in
/// <see cref="Jobs"/>, at the start of a tick of the shard's clock: no caller that reports a change runs a handler, and a slow observer
/// gets the newest state.
/// </summary>
/// <remarks>
/// No method takes the shard's lock, unless its documentation says so: callers do, with <see cref="CoapShard.Enter"/>. Work without the
/// lock is queued at the shard.
/// </remarks>
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

    /// <summary>The start of sequence numbers.</summary>
    public NotificationClock Clock { get; }

    public ObserverTable Table { get; }

    public NotificationRuns Runs { get; }

    public NotificationSender Sender { get; }

    public NotificationPacing Pacing { get; }

    public NotificationJobs Jobs { get; }
}
