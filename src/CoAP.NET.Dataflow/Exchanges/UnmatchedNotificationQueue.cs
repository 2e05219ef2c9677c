namespace CoAP.NET.Exchanges;

/// <summary>
/// Holds unmatched notifications while observations of an earlier process are resumed. Each hold limits the time. The number is limited
/// too: when it is full, one of the source with most makes room. Call every method under Shard.Gate.
/// </summary>
internal sealed class UnmatchedNotificationQueue
{
    /// <summary>The maximum number for the peers of a shard.</summary>
    public const int MaxCount = 1024;

    private readonly CoapShard _shard;
    private readonly SourceQueue<(CoapChannel Channel, CoapToken Token), UnmatchedNotification> _held = new(MaxCount, maxOfKey: 1);
    private readonly HashSet<UnmatchedNotificationHold> _holds = [];
    private volatile bool _isQueueing;

    public UnmatchedNotificationQueue(CoapShard shard) => _shard = shard;

    /// <summary>Whether notifications are currently held. May be read without the lock.</summary>
    public bool IsQueueing => _isQueueing;

    /// <summary>Starts to hold.</summary>
    /// <param name="longest">The maximum duration.</param>
    /// <returns>The handle to end it.</returns>
    public UnmatchedNotificationHold Begin(TimeSpan longest)
    {
        UnmatchedNotificationHold hold = new(_shard, this);
        _holds.Add(hold);
        _isQueueing = true;
        _shard.Wheel.Schedule(hold, _shard.Environment.Now + longest.Ticks);
        return hold;
    }

    /// <summary>Ends a hold, unless it has ended already; the last one releases all held notifications as usual.</summary>
    public void End(UnmatchedNotificationHold hold)
    {
        _shard.Wheel.Cancel(hold);
        if (_holds.Remove(hold) && _holds.Count == 0)
        {
            _isQueueing = false;
            Release(_held.TakeWhile(static _ => true));
        }
    }

    /// <summary>Holds a notification and replaces an older one with its token.</summary>
    /// <param name="newcomer">The notification.</param>
    /// <param name="displaced">A displaced message that must be settled; null for none.</param>
    /// <param name="how">The way to settle it.</param>
    /// <returns>False when nothing is held any more.</returns>
    public bool TryEnqueue(UnmatchedNotification newcomer, out ReceivedMessage? displaced, out CoapOutboundAction how)
    {
        (displaced, how) = (null, default);
        if (!_isQueueing)
        {
            return false;
        }

        newcomer.Inbound.Channel.Pins++;
        foreach (UnmatchedNotification dropped in _held.Add(newcomer))
        {
            bool isOlder = dropped.Key == newcomer.Key;
            if (!isOlder)
            {
                // Its copy is a new message.
                _shard.Environment.Counters.Add(CoapCounter.NotificationsNotHeld);
            }

            dropped.Inbound.Channel.Pins--;
            (displaced, how) = (dropped.Inbound.Received, isOlder ? CoapOutboundAction.Finish : CoapOutboundAction.Forget);
        }

        return true;
    }

    /// <summary>Releases what was held for a resumed observation.</summary>
    public void OnAdopted(MultiResponseToken request) => Release(_held.Take((request.Channel, request.Token)));

    private void Release(IReadOnlyList<UnmatchedNotification> released)
    {
        foreach (UnmatchedNotification held in released)
        {
            held.Inbound.Channel.Pins--;
            _shard.Raise(held.Inbound);
        }
    }
}
