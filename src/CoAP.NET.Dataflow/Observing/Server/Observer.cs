using CoAP.NET.Resources;

namespace CoAP.NET.Observing.Server;

/// <summary>
/// An entry in the list of observers: a client and its token (RFC 7641 section 4.1). It sends the newest state when its turn has come, one
/// notification at a time, and learns what became of it (sections 4.5 and 4.5.2; on connections RFC 8323 section 7). The timer is for
/// notifications without a change. Guarded by the shard's lock.
/// </summary>
/// <remarks>
/// A connection delivers everything in order, so there is nothing to pace, to repeat or to confirm. If a connection has no room, no message
/// waits, but the request for the newest state when there is room again.
/// </remarks>
internal sealed class Observer : WheelTimer, ITransmissionOwner
{
    private static readonly CoapMessage s_otherFormat = new(CoapCode.NotAcceptable);

    // Stands for a notification that waits for room on its connection.
    private static readonly CoapMessage s_released = new(CoapCode.Content);

    // How long a copy waits for the newer state that is being created for it.
    private static readonly long s_hold = TimeSpan.FromMilliseconds(50).Ticks;

    // The delay before another attempt if a notification could not be protected because numbers are being reserved.
    private static readonly long s_protectionPace = TimeSpan.FromMilliseconds(100).Ticks;

    private readonly ObserverTable _table;

    // Whether it counts among the busy observers of its subject, which get a notification or wait for one.
    private bool _isBusy;

    // The last change of the subject that it has seen, and the last run whose result was sent to it, or that started before it registered.
    private long _seen;
    private long _sentRun;

    // The run that it waits for; 0 for none.
    private long _awaited;

    // Whether it must get the state even if nothing changed.
    private bool _needsRefresh;

    // The time of its registration, or of its last acknowledgement of a Confirmable notification.
    private long _confirmedAt;

    // The time until which a retransmission waits for a newer state; 0 for none.
    private long _heldUntil;

    // The response to the registration is the first notification: no other is sent before or in parallel. It exists from the moment when
    // that response is sent until it needs no acknowledgement any more.
    private bool _isBeingAnswered;
    private CoapTransmission? _answer;

    // The Confirmable notification without acknowledgement yet.
    private CoapTransmission? _confirmable;

    // The transmission that resets of Non-confirmable notifications match, and the newest of them.
    private CoapTransmission? _nonConfirmable;
    private CoapMessage? _nonConfirmableMessage;

    /// <summary>Creates an observer and adds it to its subject.</summary>
    /// <param name="table">The list of observers of the shard.</param>
    /// <param name="subject">The subject.</param>
    /// <param name="peer">The client.</param>
    /// <param name="token">The token of the registration.</param>
    /// <param name="isAnswered">Whether the response to the registration is being sent; it is the first notification.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public Observer(ObserverTable table, ObservedSubject subject, PeerObservers peer, CoapToken token, bool isAnswered, long now)
    {
        _table = table;
        Subject = subject;
        Peer = peer;
        Token = token;
        _isBeingAnswered = isAnswered;
        _confirmedAt = ActiveAt = now;
        peer.Outstanding += isAnswered ? 1 : 0;
        Join(subject);
    }

    /// <summary>The subject; replaced when its peer accepts messages of another size.</summary>
    public ObservedSubject Subject { get; private set; }

    public PeerObservers Peer { get; }

    public CoapToken Token { get; }

    /// <summary>The limits of the resource for its observers, which count it; null for none.</summary>
    public CoapResourceObserverLimits? ResourceLimits { get; init; }

    public CoapChannel Channel => Peer.Channel;

    public ListLinks<Observer> PeerLinks;

    /// <summary>Its index in the list of the subject, which alone sets it.</summary>
    public int Index { get; set; }

    /// <summary>
    /// The Content-Format of its notifications, which never changes (RFC 7641 section 4.2); or a constant of <see cref="Notification"/>
    /// until the first result determines it.
    /// </summary>
    public required int Format { get; set; }

    /// <summary>The time after which the next notification must be Confirmable (RFC 7641 section 4.5).</summary>
    public long ConfirmableFrom =>
        _confirmedAt + (ResourceLimits is { ConfirmableEveryTicks: > 0 and var every } ? every : Subject.Settings.ConfirmableEvery);

    /// <summary>The time before which nothing is sent: the leisure after a registration by group request.</summary>
    public long NotBefore { get; private set; } = long.MinValue;

    /// <summary>Whether it registered by a group request.</summary>
    public bool IsOfGroup { get; init; }

    /// <summary>The time of its registration, or of its last acknowledgement of a notification, in units of 100 ns.</summary>
    public long ActiveAt { get; private set; }

    /// <summary>The time when the observer store was last informed of it, in units of 100 ns.</summary>
    public long KeptAt { get; set; }

    /// <summary>What the application stores for it; null without an event.</summary>
    public ObserverApplicationState? State { get; set; }

    /// <summary>Whether it counts among the unverified observers of its source.</summary>
    public bool IsCountedBySource { get; set; }

    /// <summary>Whether it is in the list of the waiting observers of its peer.</summary>
    public bool IsWaiting { get; private set; }

    /// <summary>Whether it left the list of observers, which alone sets it.</summary>
    public bool IsRemoved { get; set; }

    public bool IsOutstanding => _isBeingAnswered || _confirmable is not null;

    // Whether it lacks a change, and no result of a run shows that change.
    private bool IsStale => Subject.Latest is not { } latest ? Subject.Change > _seen || _needsRefresh
        : Subject.Change > latest.Change || (_needsRefresh && latest.Number <= _sentRun);

    /// <summary>Sets the time after which it gets a notification even if nothing changed.</summary>
    public void ArmRefresh(long now)
    {
        // The end of a connection is detected without them.
        long due = Channel.IsReliable ? long.MaxValue : Math.Max(ConfirmableFrom, now + PeerObservers.Pace);
        RouteObserveSettings settings = Subject.Settings;
        if (settings.Refreshes)
        {
            long maxAge = settings.MaxAge * TimeSpan.TicksPerSecond;
            due = Math.Min(due, now + maxAge - Math.Min(maxAge / 4, 10 * TimeSpan.TicksPerSecond));
        }

        if (due != long.MaxValue)
        {
            Channel.Shard.Wheel.Schedule(this, due);
        }
    }

    /// <summary>Requires the state even if nothing changed.</summary>
    public void Refresh() => _needsRefresh = true;

    /// <summary>Requires the state, in a Confirmable notification, because an earlier process had the observer.</summary>
    public void Restore(long now)
    {
        _confirmedAt = now - RouteObserveSettings.LongestConfirmableEvery;
        _needsRefresh = true;
        Enqueue(now);
    }

    /// <summary>
    /// Moves it to another subject if its peer has changed its limits (RFC 8323 section 5.3): it gets notifications of the new size from
    /// here.
    /// </summary>
    public void FollowSize(long now)
    {
        ObservedSubject before = Subject;
        if (before.Key.Fits(Channel))
        {
            return;
        }

        LeaveSubject();
        JoinAgain(before, isSameForAll: before.Key.IsShared, now);
    }

    /// <summary>Moves it from a subject that clients share to one of its client alone, because the route no longer has one state for
    /// all.</summary>
    public void LeaveShared(long now)
    {
        ObservedSubject before = Subject;
        LeaveSubject();
        JoinAgain(before, isSameForAll: false, now);
        if (!IsOutstanding)
        {
            Enqueue(now);
        }
    }

    private void JoinAgain(ObservedSubject before, bool isSameForAll, long now)
    {
        ObservedSubjectKey key = before.Key.For(Channel, isSameForAll);
        Join(_table.Subjects.Find(key) ?? _table.Subjects.Add(
            key, new PendingObserverRegistration(before.Route, before.Path, before.Settings, before.Route.Changes), before.Special, now));
        _needsRefresh = true;
        _awaited = 0;
    }

    public void OnLatest(Notification latest, long now)
    {
        // If it is outstanding, it gets the newest state with the next copy, or after the acknowledgement.
        if (!TryKeepFormat(latest) || !Lacks(latest) || IsOutstanding)
        {
            return;
        }

        if (!IsWaiting)
        {
            Enqueue(now);
            _awaited = latest.Number;
        }
        else
        {
            Peer.Enqueue(now);
        }
    }

    /// <summary>Queues a notification, which is sent as soon as its turn comes.</summary>
    public void Enqueue(long now)
    {
        if (!IsWaiting)
        {
            IsWaiting = true;
            _awaited = 0;
            Peer.Waiting.Add(this);
            CountBusy();
            if (IsOfGroup)
            {
                // All members of a group may have changed at the same moment.
                NotBefore = now + (long)(Channel.Parameters.DefaultLeisure.Ticks * _table.NextJitter());
            }
        }

        Peer.Enqueue(now);
    }

    /// <summary>
    /// Returns whether it waits for a run that shows the changes since the last one, because its turn has come. It waits once: a result
    /// since then is sufficient, however much has changed again.
    /// </summary>
    public bool AwaitsRun(long now)
    {
        if (_awaited == 0)
        {
            if (!IsStale)
            {
                return false;
            }

            AwaitNextRun(now);
        }

        return Subject.Completed < _awaited;
    }

    /// <summary>Waits for no run: by the time of its turn, a result may no longer be the newest.</summary>
    public void AwaitNoRun() => _awaited = 0;

    /// <summary>Sends the newest state, because its turn has come. The caller removes it from the list of the waiting observers.</summary>
    public void Send(bool isConfirmable, long now)
    {
        IsWaiting = false;
        _awaited = 0;

        // Unless it got this state in another way meanwhile.
        if (Subject.Latest is { } latest && latest.Number > _sentRun)
        {
            OnSent(latest);
            Channel.Shard.Environment.Counters.Add(CoapCounter.NotificationsSent);
            Peer.OnSent(this, isConfirmable, now);
            if (isConfirmable)
            {
                SendConfirmable(latest);
            }
            else
            {
                SendNonConfirmable(latest, now);
            }
        }

        CountBusy();
    }

    /// <summary>
    /// Sends an error, without Observe, and removes it. The message is Confirmable, and independent from here.
    /// </summary>
    public void End(CoapMessage message, CoapObserverEnd end)
    {
        _table.Remove(this, end, isTold: true);
        CoapMessage last = message.HasOptions ? new CoapMessage(message.Code, message.OptionsToRead!) : new CoapMessage(message.Code);
        last.Token = Token;
        last.Payload = message.Payload;
        Channel.Shard.Environment.Counters.Add(CoapCounter.NotificationsSent);
        Channel.Shard.Send(new CoapTransmission(Channel, last, null) { IsLimited = true });
    }

    /// <summary>
    /// Creates the transmission of the response to the registration. It withdraws the registration if the response is not a success after
    /// all. Takes the lock.
    /// </summary>
    /// <returns>Null if it no longer exists.</returns>
    public CoapTransmission? Answer(CoapMessage response)
    {
        Channel.Shard.Enter();
        try
        {
            if (!response.Code.IsSuccess)
            {
                _table.Remove(this, CoapObserverEnd.Failed, isTold: true);
            }

            return IsRemoved ? null : _answer = new CoapTransmission(Channel, response, this) { IsRenewable = true };
        }
        finally
        {
            Channel.Shard.ExitAndSend();
        }
    }

    /// <summary>Removes it because the response to the registration did not leave. Takes the lock.</summary>
    public void Withdraw()
    {
        Channel.Shard.Enter();
        try
        {
            _table.Remove(this, CoapObserverEnd.NotAnswered);
        }
        finally
        {
            Channel.Shard.ExitAndSend();
        }
    }

    /// <summary>Stops its messages and leaves its subject, because it was removed.</summary>
    public void Detach()
    {
        Channel.Shard.Wheel.Cancel(this);
        Peer.Outstanding -= IsOutstanding ? 1 : 0;
        Stop(_answer);
        Stop(_confirmable);
        Stop(_nonConfirmable);
        _answer = _confirmable = _nonConfirmable = null;
        _nonConfirmableMessage = null;
        LeaveSubject();
        if (IsWaiting)
        {
            Peer.Waiting.Remove(this);
        }
    }

    /// <summary>Records that the list of the waiting observers of its peer was emptied.</summary>
    public void EndWaiting() => IsWaiting = false;

    private void Join(ObservedSubject subject)
    {
        Subject = subject;
        subject.Add(this);
        subject.SetStalled(this, IsOutstanding && Channel.IsReliable);
        CountBusy();
        _seen = subject.Change;
        _sentRun = subject.Started;
    }

    private void LeaveSubject()
    {
        SetBusy(false);
        Subject.Remove(this);
    }

    private void CountBusy()
    {
        if (!IsRemoved)
        {
            SetBusy(IsWaiting || IsOutstanding);
        }
    }

    private void SetBusy(bool isBusy)
    {
        if (isBusy != _isBusy)
        {
            _isBusy = isBusy;
            Subject.CountBusy(isBusy);
        }
    }

    private bool Lacks(Notification latest) => latest.Number > _sentRun && (latest.Change > _seen || _needsRefresh);

    private void OnSent(Notification latest)
    {
        _seen = latest.Change;
        _sentRun = latest.Number;
        _needsRefresh = false;
    }

    // A registration for one format never continues in another (RFC 7641 section 4.2).
    private bool TryKeepFormat(Notification latest)
    {
        if (latest.Format == Format || latest.Format == Notification.AnyFormat)
        {
            return true;
        }

        if (Format != Notification.AnyFormat)
        {
            End(s_otherFormat, CoapObserverEnd.Failed);
            return false;
        }

        Format = latest.Format;
        return true;
    }

    private void AwaitNextRun(long now)
    {
        _awaited = Subject.AwaitRun();
        Subject.RequestRun(now);
    }

    // It is outstanding until the message ends.
    private void SendConfirmable(Notification latest)
    {
        _confirmable = new CoapTransmission(Channel, latest.For(Token, CoapMessageType.Confirmable), this)
        {
            IsRenewable = true,
            IsLimited = true,
        };
        Peer.Outstanding++;
        Subject.SetStalled(this, Channel.IsReliable);
        Channel.Shard.Send(_confirmable);
    }

    // A message that still waits in the queue of Messaging gets the newer content.
    private void SendNonConfirmable(Notification latest, long now)
    {
        ArmRefresh(now);
        _nonConfirmableMessage = latest.For(Token, CoapMessageType.NonConfirmable);
        if (_nonConfirmable is not { IsOver: false })
        {
            _nonConfirmable = new CoapTransmission(Channel, _nonConfirmableMessage, this) { IsRenewable = true, IsLimited = true };
        }

        Channel.Shard.Send(_nonConfirmable);
        if (Subject.Change > _seen)
        {
            Subject.RequestRun(now);
        }
    }

    private void Stop(CoapTransmission? transmission)
    {
        if (transmission is { IsOver: false })
        {
            Channel.Shard.Cancel(transmission);
        }
    }

    // A Confirmable notification, first or as a copy, waits a moment for a newer state.
    long ITransmissionOwner.MayLeaveAt(CoapTransmission transmission, long now)
    {
        if (IsRemoved || (transmission != _confirmable && transmission != _answer) || !IsStale)
        {
            _heldUntil = 0;
            return long.MinValue;
        }

        if (_heldUntil == 0)
        {
            AwaitNextRun(now);
            _heldUntil = now + s_hold;
        }
        else if (_heldUntil <= now)
        {
            // However long the handler takes: the previous state is better than none.
            _heldUntil = 0;
            return long.MinValue;
        }

        return _heldUntil;
    }

    CoapMessage? ITransmissionOwner.GetNewest(CoapTransmission transmission, long now)
    {
        if (IsRemoved)
        {
            return null;
        }

        if (Channel.IsReliable)
        {
            return TakeOnConnection(transmission, now);
        }

        if (transmission == _nonConfirmable)
        {
            return _nonConfirmableMessage;
        }

        if (transmission == _answer && transmission.Message.Type == CoapMessageType.NonConfirmable)
        {
            // It has no acknowledgement; only a reset may match it later.
            _nonConfirmable = transmission;
            _nonConfirmableMessage = transmission.Message;
            OnFree(now);
            return transmission.Message;
        }

        if (Subject.Latest is not { } latest || !Lacks(latest))
        {
            return transmission.Message;
        }

        if (transmission.Attempts > 0)
        {
            Channel.Shard.Environment.Counters.Add(CoapCounter.NotificationsSuperseded);
        }

        OnSent(latest);
        return latest.For(Token, CoapMessageType.Confirmable);
    }

    private CoapMessage? TakeOnConnection(CoapTransmission transmission, long now)
    {
        Notification? latest = Subject.Latest;
        bool isNewer = latest is not null && Lacks(latest);
        bool fits = Subject.Key.Fits(Channel);
        if (transmission == _answer && (!isNewer || !fits))
        {
            return transmission.Message;
        }

        if (latest is null || !fits || (ReferenceEquals(transmission.Message, s_released) && IsStale))
        {
            // Created for messages of another size than the peer accepts now; or before a change that was not processed, because all
            // observers were busy: now one is ready for it.
            _needsRefresh |= !fits;
            OnFree(now);
            return null;
        }

        if (isNewer)
        {
            if (!TryKeepFormat(latest))
            {
                return null;
            }

            OnSent(latest);
        }

        return latest.For(Token, CoapMessageType.Confirmable);
    }

    // Usually there is nothing more to report. Messaging never saw a declined message, so it cannot report its end.
    void ITransmissionOwner.OnOffered(CoapTransmission transmission, bool isTaken)
    {
        if (isTaken && (transmission.IsOver || !Channel.IsReliable))
        {
            return;
        }

        Channel.Shard.Enter();
        try
        {
            if (!isTaken)
            {
                transmission.IsOver = true;
                OnEnded(transmission, CoapInboundKind.NotSent, Channel.Shard.Environment.Now);
            }
            else if (!transmission.IsOver && _confirmable == transmission)
            {
                // It waits for room on its connection. Release its content, because the newest state is sent then: the queue of a peer that
                // reads nothing therefore needs no memory.
                transmission.Message = s_released;
            }
        }
        finally
        {
            Channel.Shard.ExitAndSend();
        }
    }

    void ITransmissionOwner.OnDisconnected(CoapTransmission transmission, CoapConnectionException reason) =>
        ((ITransmissionOwner)this).OnTransmissionEnd(transmission, CoapInboundKind.Disconnected);

    void ITransmissionOwner.OnTransmissionEnd(CoapTransmission transmission, CoapInboundKind fate)
    {
        Channel.Shard.Enter();
        try
        {
            OnEnded(transmission, fate, Channel.Shard.Environment.Now);
        }
        finally
        {
            Channel.Shard.ExitAndSend();
        }
    }

    private void OnEnded(CoapTransmission transmission, CoapInboundKind fate, long now)
    {
        if (IsRemoved)
        {
            return;
        }

        if (fate is not (CoapInboundKind.Acknowledged or CoapInboundKind.NotSent)
            || (fate == CoapInboundKind.NotSent && transmission == _answer))
        {
            // Rejected, given up or unreachable; or the response that should have informed the client was lost here.
            Channel.Shard.Environment.Counters.Add(CoapCounter.ObserversLost);
            Channel.NoteDrop(CoapCounter.ObserversLost);
            _table.Remove(this, fate switch
            {
                CoapInboundKind.Reset => CoapObserverEnd.Rejected,
                CoapInboundKind.NotSent => CoapObserverEnd.NotAnswered,
                _ => CoapObserverEnd.Lost,
            });
            return;
        }

        if (fate == CoapInboundKind.NotSent)
        {
            // No room now. It is not lost: a later state will do.
            _needsRefresh = true;
            _sentRun = Math.Min(_sentRun, (Subject.Latest?.Number ?? 0) - 1);
            NotBefore = now + (transmission.AwaitsProtection ? s_protectionPace : PeerObservers.Pace);
            if (transmission == _nonConfirmable)
            {
                OnReady(now);
                return;
            }
        }
        else if (transmission == _confirmable)
        {
            Peer.OnAcknowledged(now);
            _confirmedAt = ActiveAt = Peer.ActiveAt = now;
            ArmRefresh(now);
            _table.Reports.Acknowledged(this);
        }

        if (transmission == _confirmable || transmission == _answer)
        {
            OnFree(now);
        }
    }

    // The outstanding message has ended: it is ready for the newest state.
    private void OnFree(long now)
    {
        _isBeingAnswered = false;
        Subject.SetStalled(this, isStalled: false);
        _answer = _confirmable = null;
        Peer.Outstanding--;
        _heldUntil = 0;
        OnReady(now);
    }

    private void OnReady(long now)
    {
        if (IsOutstanding)
        {
            return;
        }

        if (Subject.Change > _seen || _needsRefresh)
        {
            Enqueue(now);
        }

        CountBusy();
        if (Peer.Waiting.Count > 0)
        {
            Peer.Enqueue(now);
        }
    }

    // It had no notification for long, or its Max-Age ends soon.
    internal override void Fire(long now)
    {
        if (IsOutstanding && Channel.IsReliable)
        {
            // It is processed when there is room again.
            _needsRefresh = true;
        }
        else if ((_confirmable ?? _answer) is { IsOver: true } lost)
        {
            // A block of a user did not report the result.
            OnEnded(lost, CoapInboundKind.NotSent, now);
        }
        else if (IsOutstanding)
        {
            // The outstanding message may be the response to the registration, after which nothing would check again.
            Channel.Shard.Wheel.Schedule(this, now + PeerObservers.Pace);
        }
        else
        {
            _needsRefresh = true;
            Enqueue(now);
        }
    }
}
