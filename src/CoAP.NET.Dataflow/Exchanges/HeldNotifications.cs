using CoAP.NET.Guarding;

namespace CoAP.NET.Exchanges;

/// <summary>
/// Holds unmatched notifications while observations of an earlier process are adopted. Each hold limits the time. The number is limited
/// too: when it is full, one of the source with most makes room. Call every method under Shard.Gate.
/// </summary>
internal sealed class HeldNotifications
{
    /// <summary>The maximum number for the peers of a shard.</summary>
    public const int MaxCount = 1024;

    private readonly CoapShard _shard;
    private readonly Dictionary<(CoapChannel Channel, CoapToken Token), HeldNotification> _held = [];
    private readonly SourceLedger<HeldNotification> _ledger = new();
    private readonly HashSet<NotificationHold> _holds = [];
    private volatile bool _isHolding;

    public HeldNotifications(CoapShard shard) => _shard = shard;

    /// <summary>Whether notifications are currently held. May be read without the lock.</summary>
    public bool IsHolding => _isHolding;

    /// <summary>Starts to hold.</summary>
    /// <param name="longest">The maximum duration.</param>
    /// <returns>The handle to end it.</returns>
    public NotificationHold Begin(TimeSpan longest)
    {
        NotificationHold hold = new(this);
        _holds.Add(hold);
        _isHolding = true;
        _shard.Wheel.Schedule(hold, _shard.Environment.Now + longest.Ticks);
        return hold;
    }

    /// <summary>Ends a hold, unless it has ended already; the last one releases all held notifications as usual.</summary>
    /// <param name="hold">The hold.</param>
    public void End(NotificationHold hold)
    {
        _shard.Wheel.Cancel(hold);
        if (_holds.Remove(hold) && _holds.Count == 0)
        {
            _isHolding = false;
            while (_ledger.Greediest?.First is { Owner: { } left })
            {
                GoOn(left);
            }
        }
    }

    /// <summary>Holds a notification and replaces an older one with its token.</summary>
    /// <param name="newcomer">The notification.</param>
    /// <param name="displaced">A displaced reception that must be settled; null for none.</param>
    /// <param name="how">The way to settle it.</param>
    /// <returns>False when nothing is held any more.</returns>
    public bool TryHold(HeldNotification newcomer, out CoapReception? displaced, out CoapOutboundKind how)
    {
        (displaced, how) = (null, default);
        if (!_isHolding)
        {
            return false;
        }

        if (_held.TryGetValue(newcomer.Key, out HeldNotification? older))
        {
            Remove(older);
            (displaced, how) = (older.Item.Reception, CoapOutboundKind.Finish);
        }

        _held.Add(newcomer.Key, newcomer);
        newcomer.Item.Channel.Pins++;
        _ledger.Set(newcomer.Holding, 1);
        if (_ledger.Total > MaxCount && _ledger.Greediest?.First is { Owner: { } evicted })
        {
            // Forgotten: its copy is a new message.
            _shard.Environment.Counters.Add(CoapCounter.NotificationsNotHeld);
            Remove(evicted);
            (displaced, how) = (evicted.Item.Reception, CoapOutboundKind.Forget);
        }

        return true;
    }

    /// <summary>Releases what was held for an adopted observation.</summary>
    /// <param name="request">The token.</param>
    public void OnAdopted(StandingRequest request)
    {
        if (_held.TryGetValue((request.Channel, request.Token), out HeldNotification? held))
        {
            GoOn(held);
        }
    }

    private void GoOn(HeldNotification held)
    {
        Remove(held);
        _shard.Raise(held.Item);
    }

    private void Remove(HeldNotification held)
    {
        _held.Remove(held.Key);
        _ledger.Set(held.Holding, 0);
        held.Item.Channel.Pins--;
    }
}
