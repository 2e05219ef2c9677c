using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using CoAP.NET.Resources;

namespace CoAP.NET.Observing.Server;

/// <summary>
/// An entry in the list of observers: a client and its token (RFC 7641 section 4.1). It sends the newest state in its turn, one
/// notification at a time, and processes acknowledgements, resets and timeouts (sections 4.5 and 4.5.2; on connections RFC 8323 section
/// 7). The timer is for notifications without a change. Guarded by the shard's lock.
/// </summary>
/// <remarks>
/// <para>
/// <see cref="Become"/> makes each transition of <see cref="State"/> and updates the counters of the subject and the peer.
/// <see cref="MayFollow"/> is the table of transitions; docs/life-of-an-observation.md lists it. Whether the client has the newest state
/// follows from two numbers: the last change that it has seen, and the last run that was sent to it. <see cref="IsStale"/> compares them
/// with those of the subject.
/// </para>
/// <para>
/// A connection delivers messages in order and without loss, so notifications need no pacing, retransmission or acknowledgement. If a
/// connection has no room, the observer sends the newest state when there is room again.
/// </para>
/// </remarks>
internal sealed class Observer : WheelTimer, ITransmissionOwner
{
    private static readonly CoapMessage s_otherFormat = new(CoapCode.NotAcceptable);

    // Replaces a notification that waits for room on its connection.
    private static readonly CoapMessage s_released = new(CoapCode.Content);

    // The maximum time that a copy waits for a newer state whose handler runs.
    private static readonly long s_hold = TimeSpan.FromMilliseconds(50).Ticks;

    // The delays before another attempt: after a notification that found no room, and after one that could not be protected because
    // numbers are being reserved.
    private static readonly long s_roomPause = TimeSpan.FromSeconds(3).Ticks;
    private static readonly long s_protectionPause = TimeSpan.FromMilliseconds(100).Ticks;

    // The least time to a notification without a change, and between two checks of a message that is outstanding.
    private static readonly long s_checkPause = TimeSpan.FromSeconds(3).Ticks;

    // The last change of the subject that it has seen, or -1 if it must get the state even if nothing changed; and the last run whose
    // result was sent to it, or that started before it registered.
    private long _seen;
    private long _sentRun;

    // The run whose result is enough when its turn has come; 0 for one that shows all changes by then.
    private long _awaited;

    // The message without acknowledgement: the response to the registration from the moment when it is sent, later a Confirmable
    // notification.
    private CoapTransmission? _outstanding;

    // The transmission that resets of Non-confirmable notifications match.
    private CoapTransmission? _nonConfirmable;

    /// <summary>Creates an observer and adds it to its subject.</summary>
    /// <param name="subject">The subject.</param>
    /// <param name="peer">The client.</param>
    /// <param name="token">The token of the registration.</param>
    /// <param name="isAnswered">Whether the response to the registration is being sent; it is the first notification.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public Observer(ObservedSubject subject, PeerObservers peer, CoapToken token, bool isAnswered, long now)
    {
        Peer = peer;
        Token = token;
        ActiveAt = now;
        if (isAnswered)
        {
            State = ObserverState.Answering;
            peer.Outstanding++;
        }

        Join(subject);
    }

    /// <summary>Its current state.</summary>
    public ObserverState State { get; private set; }

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
        ActiveAt + (ResourceLimits is { ConfirmableEveryTicks: > 0 and var every } ? every : Subject.Settings.ConfirmableEvery);

    /// <summary>
    /// The time before which its message does not leave: the leisure of an observer by group request, the pause after a message that had
    /// no room, or how long a copy waits for a newer state; <see cref="long.MinValue"/> for none.
    /// </summary>
    public long NotBefore { get; private set; } = long.MinValue;

    /// <summary>Whether it registered by a group request.</summary>
    public bool IsOfGroup { get; init; }

    /// <summary>
    /// The time of its registration, or of its last acknowledgement of a Confirmable notification, in units of 100 ns; long ago for an
    /// observer of an earlier process.
    /// </summary>
    public long ActiveAt { get; private set; }

    /// <summary>The time when the observer store was last informed of it, in units of 100 ns.</summary>
    public long KeptAt { get; set; }

    /// <summary>The data that the application stores for it; null without an event.</summary>
    public StrongBox<object?>? ApplicationState { get; set; }

    /// <summary>Whether it counts among the unverified observers of its source.</summary>
    public bool IsCountedBySource { get; set; }

    /// <summary>Whether it gets a notification or waits for one.</summary>
    public bool IsBusy => State is not (ObserverState.Idle or ObserverState.Removed);

    /// <summary>Whether a message of it has no acknowledgement yet.</summary>
    public bool IsOutstanding => State is ObserverState.Answering or ObserverState.Outstanding;

    /// <summary>Whether it is in the list of the waiting observers of its peer.</summary>
    public bool IsWaiting => State is ObserverState.AwaitsTurn or ObserverState.AwaitsRun;

    public bool IsRemoved => State == ObserverState.Removed;

    /// <summary>Whether it is skipped for new states: its connection has no room, and it requests the state itself afterwards.</summary>
    public bool IsStalled => IsOutstanding && Channel.IsReliable;

    /// <summary>Whether it lacks the newest state: another notification follows the outstanding one.</summary>
    public bool IsStale => Subject.Change > _seen;

    // Whether no result of a run shows what it lacks.
    private bool NeedsRun => IsStale && !(Subject.Latest is { } latest && latest.Change == Subject.Change && Lacks(latest));

    private ObserverTable Table => Peer.Table;

    /// <summary>Returns whether an observer can become another state: the table of its transitions.</summary>
    public static bool MayFollow(ObserverState next, ObserverState before) => next switch
    {
        ObserverState.Idle => before is not (ObserverState.Idle or ObserverState.Removed),
        ObserverState.AwaitsTurn => before is ObserverState.Idle or ObserverState.AwaitsRun,
        ObserverState.AwaitsRun => before is ObserverState.AwaitsTurn,
        ObserverState.Outstanding => before is ObserverState.AwaitsTurn or ObserverState.AwaitsRun,
        ObserverState.Removed => before is not ObserverState.Removed,
        _ => false,
    };

    /// <summary>Sets the time after which it gets a notification even if nothing changed.</summary>
    public void ArmRefresh(long now)
    {
        // The end of a connection is detected without them.
        long due = Channel.IsReliable ? long.MaxValue : Math.Max(ConfirmableFrom, now + s_checkPause);
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
    public void Refresh() => _seen = -1;

    /// <summary>Requires the state, in a Confirmable notification, because an earlier process had the observer.</summary>
    public void Restore(long now)
    {
        ActiveAt = now - RouteObserveSettings.LongestConfirmableEvery;
        Refresh();
        Enqueue(now);
    }

    /// <summary>
    /// Moves it to another subject if its peer has changed its limits (RFC 8323 section 5.3): it gets notifications of the new size from
    /// here.
    /// </summary>
    public void FollowSize(long now)
    {
        if (!Subject.Key.Fits(Channel))
        {
            JoinAgain(Subject.Key.IsShared, now);
        }
    }

    /// <summary>Moves it from a subject that clients share to one of its client alone, because the route no longer has one state for
    /// all.</summary>
    public void LeaveShared(long now)
    {
        JoinAgain(isSameForAll: false, now);
        if (!IsOutstanding)
        {
            Enqueue(now);
        }
    }

    private void JoinAgain(bool isSameForAll, long now)
    {
        ObservedSubject before = Subject;
        before.Remove(this);
        ObservedSubjectKey key = before.Key.For(Channel, isSameForAll);
        Join(Table.Subjects.Find(key) ?? Table.Subjects.Add(
            key, new PendingObserverRegistration(before.Route, before.Path, before.Settings, before.Route.Changes), before.Special, now));
        Refresh();
        AwaitTurn();
    }

    public void OnLatest(Notification latest, long now)
    {
        // If it is outstanding, it gets the newest state with the next copy, or after the acknowledgement.
        if (!TryKeepFormat(latest) || !Lacks(latest) || IsOutstanding)
        {
            return;
        }

        Enqueue(now, latest.Number);
    }

    /// <summary>Queues a notification, which is sent as soon as its turn comes.</summary>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <param name="run">The completed run whose result is enough if its turn comes at once; 0 for none.</param>
    public void Enqueue(long now, long run = 0)
    {
        if (!IsWaiting)
        {
            _awaited = run;
            Become(ObserverState.AwaitsTurn);
            Peer.Waiting.Add(this);
            if (IsOfGroup)
            {
                // All members of a group may have changed at the same moment.
                NotBefore = now + (long)(Channel.Parameters.DefaultLeisure.Ticks * Table.NextJitter());
            }
        }

        Peer.Enqueue(now);
    }

    /// <summary>Waits for its turn, and no longer for a run: by then, a result may no longer be the newest.</summary>
    public void AwaitTurn()
    {
        _awaited = 0;
        if (State == ObserverState.AwaitsRun)
        {
            Become(ObserverState.AwaitsTurn);
        }
    }

    /// <summary>
    /// Sends the newest state, because its turn has come, unless a run must show the changes since the last one. It waits for one run: a
    /// result since then is sufficient, however much has changed again.
    /// </summary>
    /// <returns>Whether it no longer waits. The caller removes it from the list of the waiting observers.</returns>
    public bool TryTakeTurn(bool isConfirmable, long now)
    {
        if (_awaited == 0 && NeedsRun)
        {
            _awaited = Subject.AwaitRun(now);
            Become(ObserverState.AwaitsRun);
        }

        if (Subject.Completed < _awaited)
        {
            return false;
        }

        // Unless it got this state in another way meanwhile.
        if (Subject.Latest is not { } latest || latest.Number <= _sentRun)
        {
            Become(ObserverState.Idle);
            return true;
        }

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

        return true;
    }

    /// <summary>
    /// Sends an error, without Observe, and removes it. The message is Confirmable, and independent from here.
    /// </summary>
    public void End(CoapMessage message, CoapObserverEnd end)
    {
        Table.Remove(this, end, isTold: true);
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
                Table.Remove(this, CoapObserverEnd.Failed, isTold: true);
            }

            return IsRemoved ? null : _outstanding = new CoapTransmission(Channel, response, this) { IsRenewable = true };
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
            Table.Remove(this, CoapObserverEnd.NotAnswered);
        }
        finally
        {
            Channel.Shard.ExitAndSend();
        }
    }

    /// <summary>Stops its messages and leaves its subject and its peer, because it is removed from the list of observers.</summary>
    public void Detach()
    {
        Channel.Shard.Wheel.Cancel(this);
        Stop(_outstanding);
        Stop(_nonConfirmable);
        _outstanding = _nonConfirmable = null;
        if (IsWaiting)
        {
            Peer.Waiting.Remove(this);
        }

        Become(ObserverState.Removed);
        Subject.Remove(this);
    }

    private void Become(ObserverState next)
    {
        if (!MayFollow(next, State))
        {
            throw new InvalidOperationException($"An observer that is {State} cannot become {next}.");
        }

        (bool wasBusy, bool wasOutstanding) = (IsBusy, IsOutstanding);
        State = next;
        Subject.OnState(this, wasBusy);
        if (wasOutstanding != IsOutstanding)
        {
            Peer.Outstanding += IsOutstanding ? 1 : -1;
            NotBefore = long.MinValue;
        }
    }

    [MemberNotNull(nameof(Subject))]
    private void Join(ObservedSubject subject)
    {
        Subject = subject;
        subject.Add(this);
        _seen = subject.Change;
        _sentRun = subject.Started;
    }

    private bool Lacks(Notification latest) => latest.Number > _sentRun && latest.Change > _seen;

    private void OnSent(Notification latest)
    {
        _seen = latest.Change;
        _sentRun = latest.Number;
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

    // It is outstanding until the message ends.
    private void SendConfirmable(Notification latest)
    {
        Become(ObserverState.Outstanding);
        _outstanding = new CoapTransmission(Channel, latest.For(Token, CoapMessageType.Confirmable), this)
        {
            IsRenewable = true,
            IsLimited = true,
        };
        Channel.Shard.Send(_outstanding);
    }

    private void SendNonConfirmable(Notification latest, long now)
    {
        Become(ObserverState.Idle);
        ArmRefresh(now);
        if (_nonConfirmable is not { IsOver: false })
        {
            _nonConfirmable = new CoapTransmission(Channel, latest.For(Token, CoapMessageType.NonConfirmable), this)
            {
                IsRenewable = true,
                IsLimited = true,
            };
        }
        else if (_nonConfirmable.Attempts == 0)
        {
            _nonConfirmable.Message = latest.For(Token, CoapMessageType.NonConfirmable);
        }

        Channel.Shard.Send(_nonConfirmable);
        if (IsStale)
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

    // A Confirmable notification, first or as a copy, waits a moment for a newer state. However long the handler takes: the previous state
    // is better than none.
    long ITransmissionOwner.MayLeaveAt(CoapTransmission transmission, long now)
    {
        if (transmission != _outstanding)
        {
            return long.MinValue;
        }

        if (!NeedsRun || (NotBefore <= now && NotBefore != long.MinValue))
        {
            NotBefore = long.MinValue;
        }
        else if (NotBefore == long.MinValue)
        {
            Subject.AwaitRun(now);
            NotBefore = now + s_hold;
        }

        return NotBefore;
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

        if (transmission.Message.Type == CoapMessageType.NonConfirmable)
        {
            return TakeNonConfirmable(transmission, now);
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

    private CoapMessage? TakeNonConfirmable(CoapTransmission transmission, long now)
    {
        if (transmission.Attempts > 0)
        {
            // Its earlier message has left: this one takes its place among those that a reset may match.
            if (Subject.Latest is not { } latest)
            {
                return null;
            }

            OnSent(latest);
            return latest.For(Token, CoapMessageType.NonConfirmable);
        }

        if (transmission == _outstanding)
        {
            // The response to the registration has no acknowledgement; only a reset may match it later.
            _nonConfirmable = transmission;
            OnFree(now);
        }

        return transmission.Message;
    }

    private CoapMessage? TakeOnConnection(CoapTransmission transmission, long now)
    {
        Notification? latest = Subject.Latest;
        bool isNewer = latest is not null && Lacks(latest);
        bool fits = Subject.Key.Fits(Channel);
        if (State == ObserverState.Answering && (!isNewer || !fits))
        {
            return transmission.Message;
        }

        if (latest is null || !fits || (ReferenceEquals(transmission.Message, s_released) && NeedsRun))
        {
            // Created for messages of another size than the peer accepts now; or before a change that was not processed, because all
            // observers were busy: now one is ready for it.
            if (!fits)
            {
                Refresh();
            }

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
            else if (!transmission.IsOver && State == ObserverState.Outstanding && _outstanding == transmission)
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

        bool isOutstanding = transmission == _outstanding;
        if (fate is not (CoapInboundKind.Acknowledged or CoapInboundKind.NotSent)
            || (fate == CoapInboundKind.NotSent && isOutstanding && State == ObserverState.Answering))
        {
            // Rejected, given up or unreachable; or the response that should have informed the client was lost here.
            Channel.Shard.Environment.Counters.Add(CoapCounter.ObserversLost);
            Channel.NoteDrop(CoapCounter.ObserversLost);
            Table.Remove(this, fate switch
            {
                CoapInboundKind.Reset => CoapObserverEnd.Rejected,
                CoapInboundKind.NotSent => CoapObserverEnd.NotAnswered,
                _ => CoapObserverEnd.Lost,
            });
            return;
        }

        if (fate == CoapInboundKind.Acknowledged && State == ObserverState.Outstanding && isOutstanding)
        {
            Peer.OnAcknowledged(now);
            ActiveAt = Peer.ActiveAt = now;
            ArmRefresh(now);
            Table.Reports.Acknowledged(this);
        }

        if (fate == CoapInboundKind.NotSent)
        {
            // No room now. It is not lost: a later state will do.
            Refresh();
            _sentRun = Math.Min(_sentRun, Subject.Completed - 1);
        }

        if (isOutstanding)
        {
            OnFree(now);
        }
        else if (transmission == _nonConfirmable && fate == CoapInboundKind.NotSent)
        {
            OnReady(now);
        }

        if (fate == CoapInboundKind.NotSent && !IsOutstanding)
        {
            NotBefore = now + (transmission.AwaitsProtection ? s_protectionPause : s_roomPause);
        }
    }

    // The outstanding message has ended: it is ready for the newest state.
    private void OnFree(long now)
    {
        _outstanding = null;
        Become(ObserverState.Idle);
        OnReady(now);
    }

    private void OnReady(long now)
    {
        if (IsStale && State == ObserverState.Idle)
        {
            Enqueue(now);
        }
        else if (!IsOutstanding && Peer.Waiting.Count > 0)
        {
            Peer.Enqueue(now);
        }
    }

    // It had no notification for long, or its Max-Age ends soon.
    internal override void Fire(long now)
    {
        if (IsStalled)
        {
            // It is processed when there is room again.
            Refresh();
        }
        else if (_outstanding is { IsOver: true } lost)
        {
            // A block of a user did not report the result.
            OnEnded(lost, CoapInboundKind.NotSent, now);
        }
        else if (IsOutstanding)
        {
            // The outstanding message may be the response to the registration, after which nothing would check again.
            Channel.Shard.Wheel.Schedule(this, now + s_checkPause);
        }
        else
        {
            Refresh();
            Enqueue(now);
        }
    }
}
