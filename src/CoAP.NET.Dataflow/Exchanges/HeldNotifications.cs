using CoAP.NET.Guarding;

namespace CoAP.NET.Exchanges;

/// <summary>
/// Notifications that nobody waits for, held while observations of a process before are being adopted. Bounded in time by each hold, and in
/// number: when it is full, one of the source with most makes room. Every method must be called under Shard.Gate.
/// </summary>
internal sealed class HeldNotifications
{
    /// <summary>How many are held for the peers of a shard.</summary>
    public const int MaxCount = 1024;

    private readonly CoapShard _shard;
    private readonly Dictionary<(CoapChannel Channel, CoapToken Token), HeldNotification> _held = [];
    private readonly SourceLedger<HeldNotification> _ledger = new();
    private readonly HashSet<NotificationHold> _holds = [];
    private volatile bool _isHolding;

    public HeldNotifications(CoapShard shard) => _shard = shard;

    /// <summary>Whether notifications are held at the moment. May be read without the lock.</summary>
    public bool IsHolding => _isHolding;

    /// <summary>Begins to hold.</summary>
    /// <param name="longest">For how long at most.</param>
    /// <returns>What it ends with.</returns>
    public NotificationHold Begin(TimeSpan longest)
    {
        NotificationHold hold = new(this);
        _holds.Add(hold);
        _isHolding = true;
        _shard.Wheel.Schedule(hold, _shard.Environment.Now + longest.Ticks);
        return hold;
    }

    /// <summary>Ends a hold, unless it has ended; with the last one all that is held goes on as ever.</summary>
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

    /// <summary>Holds a notification, in the place of an older one with the token.</summary>
    /// <param name="newcomer">The notification.</param>
    /// <param name="displaced">What is held no more and still to be settled; null for none.</param>
    /// <param name="how">How.</param>
    /// <returns>False when none are held any more.</returns>
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
            // As if it had not come: its copy is a new message.
            _shard.Environment.Counters.Add(CoapCounter.NotificationsNotHeld);
            Remove(evicted);
            (displaced, how) = (evicted.Item.Reception, CoapOutboundKind.Forget);
        }

        return true;
    }

    /// <summary>An observation has its token now: what was held for it goes on.</summary>
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
