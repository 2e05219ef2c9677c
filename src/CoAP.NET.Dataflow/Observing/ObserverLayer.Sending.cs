using CoAP.NET.Channels;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Observing;

// When an observer is sent what: RFC 7641 sections 4.5, 4.5.2 and 7.
internal sealed partial class ObserverLayer
{
    // Section 4.5: a Confirmable notification at least every 24 hours. An hour early, so that whatever delays it does not matter.
    private static readonly long s_confirmableEvery = TimeSpan.FromHours(23).Ticks;

    // How long a copy waits for the newer state that is being made for it.
    private static readonly long s_hold = TimeSpan.FromMilliseconds(50).Ticks;

    private JitterSequence _jitter;

    /// <summary>Whether a Confirmable notification, first or as a copy, waits a moment for a newer state. Under the lock.</summary>
    public long MayBeTakenAt(Observer observer, CoapTransmission transmission, long now)
    {
        if (observer.IsRemoved || (transmission != observer.Confirmable && transmission != observer.Answer) || !IsStale(observer))
        {
            observer.HeldUntil = 0;
            return long.MinValue;
        }

        if (observer.HeldUntil == 0)
        {
            Ask(observer, now);
            observer.HeldUntil = now + s_hold;
        }
        else if (observer.HeldUntil <= now)
        {
            // However long the handler takes: the state before is better than none.
            observer.HeldUntil = 0;
            return long.MinValue;
        }

        return observer.HeldUntil;
    }

    /// <summary>The message of a transmission at the moment it is sent. Under the lock.</summary>
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
            // Nobody acknowledges it; what is left of it is that a reset may match it.
            observer.NonConfirmable = transmission;
            observer.NonConfirmableMessage = transmission.Message;
            OnFree(observer, now);
            return transmission.Message;
        }

        PreparedNotification? latest = observer.Subject.Latest;
        if (latest is null || latest.Number <= observer.SentRun || (latest.Change <= observer.Seen && !observer.NeedsRefresh))
        {
            return transmission.Message;
        }

        if (transmission.Attempts > 0)
        {
            _counters.Add(CoapCounter.NotificationsSuperseded);
        }

        NoteSent(observer, latest, now);
        return latest.For(observer.Token, CoapMessageType.Confirmable);
    }

    /// <summary>What became of a notification. No lock may be held.</summary>
    public void OnFate(Observer observer, CoapTransmission transmission, CoapInboundKind kind)
    {
        _shard.Enter();
        try
        {
            OnEnded(observer, transmission, kind, _shard.Environment.Now);
        }
        finally
        {
            _shard.Exit();
        }
    }

    /// <summary>What became of a transmission. Under the lock.</summary>
    private void OnEnded(Observer observer, CoapTransmission transmission, CoapInboundKind kind, long now)
    {
        if (observer.IsRemoved)
        {
            return;
        }

        if (kind is not (CoapInboundKind.Acknowledged or CoapInboundKind.NotSent) || (kind == CoapInboundKind.NotSent && transmission == observer.Answer))
        {
            // Rejected, given up or unreachable; or the answer that should have told the client was lost here.
            _counters.Add(CoapCounter.ObserversLost);
            observer.Channel.NoteDrop(CoapCounter.ObserversLost);
            RemoveLocked(observer, kind switch
            {
                CoapInboundKind.Reset => CoapObserverEnd.Rejected,
                CoapInboundKind.NotSent => CoapObserverEnd.NotAnswered,
                _ => CoapObserverEnd.Lost,
            });
            return;
        }

        if (kind == CoapInboundKind.NotSent)
        {
            // No room now. It is not lost: the state at a later time will do.
            observer.NeedsRefresh = true;
            observer.SentRun = Math.Min(observer.SentRun, (observer.Subject.Latest?.Number ?? 0) - 1);
            observer.NotBefore = now + s_nonConfirmablePace;
            if (transmission == observer.NonConfirmable)
            {
                OnReady(observer, now);
                return;
            }
        }
        else if (transmission == observer.Confirmable)
        {
            observer.Peer.Unacknowledged = 0;
            observer.Peer.NextProbe = now + s_roundTripLife;
            observer.ConfirmableFrom = now + s_confirmableEvery;
            ArmRefresh(observer, now);
            observer.MovedAt = observer.Peer.MovedAt = now;
            _news.Acknowledged(observer);
        }

        if (transmission == observer.Confirmable || transmission == observer.Answer)
        {
            OnFree(observer, now);
        }
    }

    /// <summary>An observer was sent nothing for long, or its Max-Age ends soon. Under the lock.</summary>
    public void OnRefreshDue(Observer observer, long now)
    {
        if (observer.IsOutstanding && observer.Channel.IsReliable)
        {
            // When there is room again it is looked at in any case.
            observer.NeedsRefresh = true;
            return;
        }

        if ((observer.Confirmable ?? observer.Answer) is { IsOver: true } lost)
        {
            // A block of a user kept to itself what became of it.
            OnEnded(observer, lost, CoapInboundKind.NotSent, now);
            return;
        }

        if (observer.IsOutstanding)
        {
            // What is outstanding may be the answer to the registration, after which nobody would look again.
            _shard.Wheel.Schedule(observer, now + s_nonConfirmablePace);
            return;
        }

        observer.NeedsRefresh = true;
        Wait(observer, now);
    }

    /// <summary>Looks at what waits for a peer. Under the lock.</summary>
    public void QueuePeer(PeerObservers peer, long now)
    {
        if (!peer.IsQueued)
        {
            peer.IsQueued = true;
            QueueJob(peer, now);
        }
    }

    private void Pump(PeerObservers peer, long now)
    {
        peer.IsQueued = false;
        long due = long.MaxValue;
        List<Observer> waiting = peer.Waiting;
        int kept = 0;
        for (int i = 0; i < waiting.Count; i++)
        {
            Observer observer = waiting[i];
            Rekey(observer, now);
            if (!MayBeSent(observer, now, ref due))
            {
                // By the time its turn comes this may not be the newest state any more.
                observer.Ask = 0;
            }
            else if (!AwaitsRun(observer, now))
            {
                observer.IsWaiting = false;
                Transmit(observer, now);
                CountBusy(observer);
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

    /// <summary>Whether an observer whose turn it is waits for a run that shows what changed since the last. It asks once: a result that came since is good, however much has changed again.</summary>
    private bool AwaitsRun(Observer observer, long now)
    {
        Subject subject = observer.Subject;
        if (observer.Ask == 0)
        {
            if (!IsStale(observer))
            {
                return false;
            }

            Ask(observer, now);
        }

        return subject.Completed < observer.Ask;
    }

    private static bool IsStale(Observer observer)
    {
        Subject subject = observer.Subject;
        return subject.Latest is not { } latest ? subject.Change > observer.Seen || observer.NeedsRefresh
            : subject.Change > latest.Change || (observer.NeedsRefresh && latest.Number <= observer.SentRun);
    }

    private void Ask(Observer observer, long now)
    {
        Subject subject = observer.Subject;
        observer.Ask = subject.Started + 1;
        subject.Asked = Math.Max(subject.Asked, observer.Ask);
        WantRun(subject, now);
    }

    private void Transmit(Observer observer, long now)
    {
        PeerObservers peer = observer.Peer;
        observer.Ask = 0;
        if (observer.Subject.Latest is not { } latest || latest.Number <= observer.SentRun)
        {
            // It got this state another way meanwhile.
            return;
        }

        NoteSent(observer, latest, now);
        _counters.Add(CoapCounter.NotificationsSent);
        bool isConfirmable = MustBeConfirmable(observer, now);
        NotePaced(observer, isConfirmable, now);
        if (isConfirmable)
        {
            observer.Confirmable = new CoapTransmission(observer.Channel, latest.For(observer.Token, CoapMessageType.Confirmable), null) { Source = observer, IsLimited = true };
            peer.Outstanding++;
            observer.Subject.SetStalled(observer, observer.Channel.IsReliable);
            _shard.Send(observer.Confirmable);
            return;
        }

        CoapMessage message = latest.For(observer.Token, CoapMessageType.NonConfirmable);
        observer.NonConfirmableMessage = message;
        if (observer.NonConfirmable is not { IsOver: false })
        {
            observer.NonConfirmable = new CoapTransmission(observer.Channel, message, null) { Source = observer, IsLimited = true };
        }

        peer.Unacknowledged++;
        ArmRefresh(observer, now);
        _shard.Send(observer.NonConfirmable);
        if (observer.Subject.Change > observer.Seen)
        {
            WantRun(observer.Subject, now);
        }
    }

    private static void NoteSent(Observer observer, PreparedNotification latest, long now)
    {
        observer.Seen = latest.Change;
        observer.SentRun = latest.Number;
        observer.NeedsRefresh = false;
    }

    /// <summary>What was outstanding for an observer is so no more: it is ready for the newest state.</summary>
    private void OnFree(Observer observer, long now)
    {
        observer.IsBeingAnswered = false;
        observer.Subject.SetStalled(observer, isStalled: false);
        observer.Answer = observer.Confirmable = null;
        observer.Peer.Outstanding--;
        observer.HeldUntil = 0;
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

        CountBusy(observer);
        if (observer.Peer.Waiting.Count > 0)
        {
            QueuePeer(observer.Peer, now);
        }
    }

    private void Wait(Observer observer, long now)
    {
        if (!observer.IsWaiting)
        {
            observer.IsWaiting = true;
            observer.Ask = 0;
            observer.Peer.Waiting.Add(observer);
            CountBusy(observer);
            if (observer.IsOfGroup)
            {
                // All members of a group may have changed at the same moment.
                observer.NotBefore = now + (long)(observer.Channel.Parameters.DefaultLeisure.Ticks * _jitter.Next());
            }
        }

        QueuePeer(observer.Peer, now);
    }

    private void ArmRefresh(Observer observer, long now)
    {
        // A connection that is gone is noticed without them.
        long due = observer.Channel.IsReliable ? long.MaxValue : Math.Max(observer.ConfirmableFrom, now + s_nonConfirmablePace);
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

    /// <summary>A notification was offered down. Messaging never heard of what was declined, so it cannot say that it has ended. No lock may be held.</summary>
    /// <param name="transmission">The notification.</param>
    /// <param name="isTaken">Whether no block in between declined it.</param>
    public void OnOffered(CoapTransmission transmission, bool isTaken)
    {
        if (transmission.Source is not Observer observer)
        {
            return;
        }

        if (!isTaken)
        {
            transmission.IsOver = true;
            OnFate(observer, transmission, CoapInboundKind.NotSent);
        }
        else if (!transmission.IsOver && observer.Channel.IsReliable)
        {
            LetGo(transmission);
        }
    }
}
