using CoAP.NET.Exchanges;

namespace CoAP.NET.Observing;

/// <summary>
/// Decides what each observer is sent, and when: RFC 7641 sections 4.5, 4.5.2 and 7; on connections RFC 8323 section 7. Called under the
/// shard's lock, like all of <see cref="ObserverLayer"/>.
/// </summary>
/// <remarks>
/// A connection delivers everything in order, so there is nothing to pace, to repeat or to confirm. If a connection has no room, no message
/// waits, but the request for the newest state when there is room again.
/// </remarks>
internal sealed class NotificationSender
{
    private static readonly CoapMessage s_letGo = new(CoapCode.Content);

    // How long a copy waits for the newer state that is being created for it.
    private static readonly long s_hold = TimeSpan.FromMilliseconds(50).Ticks;

    private readonly ObserverLayer _layer;
    private readonly CoapShard _shard;
    private readonly CoapCounters _counters;
    private readonly NotificationPacing _pacing;

    // Guarded by the shard's lock.
    private JitterSequence _jitter;

    public NotificationSender(ObserverLayer layer)
    {
        _layer = layer;
        _shard = layer.Shard;
        _counters = _shard.Environment.Counters;
        _pacing = layer.Pacing;
        _jitter = new JitterSequence(_shard.Environment.Random.NextUInt64());
    }

    /// <summary>Returns whether a Confirmable notification, first or as a copy, waits a moment for a newer state.</summary>
    public long MayBeTakenAt(Observer observer, CoapTransmission transmission, long now)
    {
        if (observer.IsRemoved || (transmission != observer.Confirmable && transmission != observer.Answer) || !observer.IsStale)
        {
            observer.Hold(0);
            return long.MinValue;
        }

        if (observer.HeldUntil == 0)
        {
            Ask(observer, now);
            observer.Hold(now + s_hold);
        }
        else if (observer.HeldUntil <= now)
        {
            // However long the handler takes: the previous state is better than none.
            observer.Hold(0);
            return long.MinValue;
        }

        return observer.HeldUntil;
    }

    /// <summary>Returns the message of a transmission at the moment of sending.</summary>
    public CoapMessage? Take(Observer observer, CoapTransmission transmission, long now)
    {
        if (observer.IsRemoved)
        {
            return null;
        }

        if (observer.Channel.IsReliable)
        {
            return TakeOnConnection(observer, transmission, now);
        }

        if (transmission == observer.NonConfirmable)
        {
            return observer.NonConfirmableMessage;
        }

        if (transmission == observer.Answer && transmission.Message.Type == CoapMessageType.NonConfirmable)
        {
            // It has no acknowledgement; only a reset may match it later.
            observer.NoteUnconfirmedAnswer(transmission);
            OnFree(observer, now);
            return transmission.Message;
        }

        if (observer.Subject.Latest is not { } latest || !observer.Lacks(latest))
        {
            return transmission.Message;
        }

        if (transmission.Attempts > 0)
        {
            _counters.Add(CoapCounter.NotificationsSuperseded);
        }

        observer.NoteSent(latest);
        return latest.For(observer.Token, CoapMessageType.Confirmable);
    }

    /// <summary>Handles the result of a transmission.</summary>
    public void OnEnded(Observer observer, CoapTransmission transmission, CoapInboundKind kind, long now)
    {
        if (observer.IsRemoved)
        {
            return;
        }

        if (kind is not (CoapInboundKind.Acknowledged or CoapInboundKind.NotSent)
            || (kind == CoapInboundKind.NotSent && transmission == observer.Answer))
        {
            // Rejected, given up or unreachable; or the response that should have informed the client was lost here.
            _counters.Add(CoapCounter.ObserversLost);
            observer.Channel.NoteDrop(CoapCounter.ObserversLost);
            _layer.Table.Remove(observer, kind switch
            {
                CoapInboundKind.Reset => CoapObserverEnd.Rejected,
                CoapInboundKind.NotSent => CoapObserverEnd.NotAnswered,
                _ => CoapObserverEnd.Lost,
            });
            return;
        }

        if (kind == CoapInboundKind.NotSent)
        {
            // No room now. It is not lost: a later state will do.
            observer.NoteNotSent(
                now + (transmission.AwaitsProtection ? NotificationPacing.ProtectionPace : NotificationPacing.Pace));
            if (transmission == observer.NonConfirmable)
            {
                OnReady(observer, now);
                return;
            }
        }
        else if (transmission == observer.Confirmable)
        {
            observer.NoteConfirmed(now);
            ArmRefresh(observer, now);
            _layer.Table.NoteAcknowledged(observer, now);
        }

        if (transmission == observer.Confirmable || transmission == observer.Answer)
        {
            OnFree(observer, now);
        }
    }

    /// <summary>
    /// Handles the offer of a notification to the next block. Messaging never saw a declined one, so it cannot report its end.
    /// </summary>
    /// <param name="observer">The observer.</param>
    /// <param name="transmission">The notification.</param>
    /// <param name="isTaken">Whether it was not declined.</param>
    public void OnOffered(Observer observer, CoapTransmission transmission, bool isTaken)
    {
        if (!isTaken)
        {
            transmission.IsOver = true;
            OnEnded(observer, transmission, CoapInboundKind.NotSent, _shard.Environment.Now);
        }
        else if (!transmission.IsOver && observer.Channel.IsReliable && observer.Confirmable == transmission)
        {
            // It waits for room on its connection. Release its content, because the newest state is sent then: the queue of a peer that
            // reads nothing therefore needs no memory.
            transmission.Message = s_letGo;
        }
    }

    /// <summary>Handles an observer without a notification for long, or whose Max-Age ends soon.</summary>
    public void OnRefreshDue(Observer observer, long now)
    {
        if (observer.IsOutstanding && observer.Channel.IsReliable)
        {
            // It is processed when there is room again.
            observer.Refresh();
            return;
        }

        if ((observer.Confirmable ?? observer.Answer) is { IsOver: true } lost)
        {
            // A block of a user did not report the result.
            OnEnded(observer, lost, CoapInboundKind.NotSent, now);
            return;
        }

        if (observer.IsOutstanding)
        {
            // The outstanding message may be the response to the registration, after which nothing would check again.
            _shard.Wheel.Schedule(observer, now + NotificationPacing.Pace);
            return;
        }

        observer.Refresh();
        Wait(observer, now);
    }

    /// <summary>Queues an observer for a notification as soon as its turn comes.</summary>
    public void Wait(Observer observer, long now)
    {
        if (observer.TryWait() && observer.IsOfGroup)
        {
            // All members of a group may have changed at the same moment.
            observer.Delay(now + (long)(observer.Channel.Parameters.DefaultLeisure.Ticks * _jitter.Next()));
        }

        QueuePeer(observer.Peer, now);
    }

    /// <summary>Queues a peer for processing, soon.</summary>
    public void QueuePeer(PeerObservers peer, long now)
    {
        if (!peer.IsQueued)
        {
            peer.IsQueued = true;
            _layer.Jobs.Add(peer, now);
        }
    }

    /// <summary>Sends the waiting notifications of a peer that may be sent.</summary>
    public void Pump(PeerObservers peer, long now)
    {
        peer.IsQueued = false;
        long due = long.MaxValue;
        List<Observer> waiting = peer.Waiting;
        int kept = 0;
        for (int i = 0; i < waiting.Count; i++)
        {
            Observer observer = waiting[i];
            _layer.Table.Rekey(observer, now);
            if (!_pacing.MayBeSent(observer, now, ref due))
            {
                observer.AwaitNoRun();
            }
            else if (!AwaitsRun(observer, now))
            {
                observer.EndWaiting();
                Transmit(observer, now);
                observer.CountBusy();
                continue;
            }

            waiting[kept++] = observer;
        }

        waiting.RemoveRange(kept, waiting.Count - kept);
        if (due != long.MaxValue)
        {
            _shard.Wheel.Schedule(peer, due);
        }
    }

    /// <summary>Sets the time after which an observer gets a notification even if nothing changed.</summary>
    public void ArmRefresh(Observer observer, long now)
    {
        // The end of a connection is detected without them.
        long due = observer.Channel.IsReliable ? long.MaxValue : Math.Max(observer.ConfirmableFrom, now + NotificationPacing.Pace);
        ObserveSettings settings = observer.Subject.Settings;
        if (settings.Refreshes)
        {
            long maxAge = settings.MaxAge * TimeSpan.TicksPerSecond;
            due = Math.Min(due, now + maxAge - Math.Min(maxAge / 4, 10 * TimeSpan.TicksPerSecond));
        }

        if (due != long.MaxValue)
        {
            _shard.Wheel.Schedule(observer, due);
        }
    }

    /// <summary>
    /// Sends an error to an observer, without Observe, and removes it. The message is Confirmable, and independent from here.
    /// </summary>
    public void End(Observer observer, CoapMessage message, CoapObserverEnd end)
    {
        _layer.Table.Remove(observer, end, isTold: true);
        CoapMessage last = message.HasOptions ? new CoapMessage(message.Code, message.OptionsToRead!) : new CoapMessage(message.Code);
        last.Token = observer.Token;
        last.Payload = message.Payload;
        _counters.Add(CoapCounter.NotificationsSent);
        _shard.Send(new CoapTransmission(observer.Channel, last, null) { IsLimited = true });
    }

    private CoapMessage? TakeOnConnection(Observer observer, CoapTransmission transmission, long now)
    {
        PreparedNotification? latest = observer.Subject.Latest;
        bool isNewer = latest is not null && observer.Lacks(latest);
        bool fits = observer.Subject.Key.Fits(observer.Channel);
        if (transmission == observer.Answer && (!isNewer || !fits))
        {
            return transmission.Message;
        }

        if (latest is null || !fits || (ReferenceEquals(transmission.Message, s_letGo) && observer.IsStale))
        {
            // Created for messages of another size than the peer accepts now; or before a change that was not processed, because all
            // observers were busy: now one is ready for it.
            if (!fits)
            {
                observer.Refresh();
            }

            OnFree(observer, now);
            return null;
        }

        if (isNewer)
        {
            if (!_layer.Runs.TryKeepFormat(observer, latest))
            {
                return null;
            }

            _counters.Add(CoapCounter.NotificationsSuperseded);
            observer.NoteSent(latest);
        }

        return latest.For(observer.Token, CoapMessageType.Confirmable);
    }

    // Whether an observer whose turn it is waits for a run that shows the changes since the last one. It waits once: a result since then is
    // sufficient, however much has changed again.
    private bool AwaitsRun(Observer observer, long now)
    {
        if (observer.Ask == 0)
        {
            if (!observer.IsStale)
            {
                return false;
            }

            Ask(observer, now);
        }

        return observer.AwaitsRun;
    }

    private void Ask(Observer observer, long now)
    {
        observer.AskForRun();
        _layer.Runs.Want(observer.Subject, now);
    }

    private void Transmit(Observer observer, long now)
    {
        observer.AwaitNoRun();
        if (observer.Subject.Latest is not { } latest || latest.Number <= observer.SentRun)
        {
            // It got this state in another way meanwhile.
            return;
        }

        observer.NoteSent(latest);
        _counters.Add(CoapCounter.NotificationsSent);
        bool isConfirmable = _pacing.MustBeConfirmable(observer, now);
        NotificationPacing.NoteSent(observer, isConfirmable, now);
        if (isConfirmable)
        {
            _shard.Send(observer.SendConfirmable(latest.For(observer.Token, CoapMessageType.Confirmable)));
            return;
        }

        ArmRefresh(observer, now);
        _shard.Send(observer.SendNonConfirmable(latest.For(observer.Token, CoapMessageType.NonConfirmable)));
        if (observer.Subject.Change > observer.Seen)
        {
            _layer.Runs.Want(observer.Subject, now);
        }
    }

    // The outstanding message of an observer has ended: it is ready for the newest state.
    private void OnFree(Observer observer, long now)
    {
        observer.EndOutstanding();
        OnReady(observer, now);
    }

    private void OnReady(Observer observer, long now)
    {
        if (observer.IsOutstanding)
        {
            return;
        }

        if (observer.Subject.Change > observer.Seen || observer.NeedsRefresh)
        {
            Wait(observer, now);
        }

        observer.CountBusy();
        if (observer.Peer.Waiting.Count > 0)
        {
            QueuePeer(observer.Peer, now);
        }
    }
}
