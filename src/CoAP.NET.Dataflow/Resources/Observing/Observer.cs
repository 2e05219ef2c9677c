namespace CoAP.NET.Observing;

/// <summary>
/// An entry in the list of observers: a client and its token (RFC 7641 section 4.1). The timer is for notifications without a change.
/// Guarded by the shard's lock.
/// </summary>
internal sealed class Observer : WheelTimer, ITransmissionOwner
{
    private readonly ObserverLayer _layer;
    private int _format;
    private bool _isBusy;

    /// <summary>Creates an observer and adds it to its subject.</summary>
    /// <param name="layer">The observer layer of the shard.</param>
    /// <param name="subject">The subject.</param>
    /// <param name="peer">The client.</param>
    /// <param name="token">The token of the registration.</param>
    /// <param name="isAnswered">Whether the response to the registration is being sent; it is the first notification.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public Observer(ObserverLayer layer, Subject subject, PeerObservers peer, CoapToken token, bool isAnswered, long now)
    {
        _layer = layer;
        Subject = subject;
        Peer = peer;
        Token = token;
        IsBeingAnswered = isAnswered;
        ConfirmedAt = MovedAt = now;
        Seen = subject.Change;
        SentRun = subject.Started;
        peer.Outstanding += isAnswered ? 1 : 0;
        subject.Add(this);
        subject.SetStalled(this, isAnswered && Channel.IsReliable);
        CountBusy();
    }

    /// <summary>The subject; replaced when its peer accepts messages of another size.</summary>
    public Subject Subject { get; private set; }

    public PeerObservers Peer { get; }

    public CoapToken Token { get; }

    /// <summary>The observer terms of the resource, which count it; null for none.</summary>
    public CoapObserverTerms? Terms { get; init; }

    public CoapChannel Channel => Peer.Channel;

    /// <summary>Its links in the list of the peer's observers.</summary>
    public ChainLinks<Observer> PeerLinks;

    /// <summary>Its index in the list of the subject, which alone sets it.</summary>
    public int Index { get; set; }

    /// <summary>
    /// The Content-Format of its notifications, which never changes (RFC 7641 section 4.2); or a constant of
    /// <see cref="PreparedNotification"/>.
    /// </summary>
    public required int Format
    {
        get => _format;
        init => _format = value;
    }

    /// <summary>The last change of the subject that it has seen.</summary>
    public long Seen { get; private set; }

    /// <summary>The last run of the subject whose result was sent to it, or that started before it registered.</summary>
    public long SentRun { get; private set; }

    /// <summary>The run that it waits for; 0 for none.</summary>
    public long Ask { get; private set; }

    /// <summary>Whether it must get the state even if nothing changed.</summary>
    public bool NeedsRefresh { get; private set; }

    /// <summary>The time of its registration, or of its last acknowledgement of a Confirmable notification.</summary>
    public long ConfirmedAt { get; private set; }

    /// <summary>The time after which the next notification must be Confirmable (RFC 7641 section 4.5).</summary>
    public long ConfirmableFrom =>
        ConfirmedAt + (Terms is { ConfirmableEveryTicks: > 0 and var every } ? every : Subject.Settings.ConfirmableEvery);

    /// <summary>The time before which nothing is sent: the leisure after a registration by group request.</summary>
    public long NotBefore { get; private set; } = long.MinValue;

    /// <summary>Whether it registered by a group request.</summary>
    public bool IsOfGroup { get; init; }

    /// <summary>The time of its registration, or of its last acknowledgement of a notification, in units of 100 ns.</summary>
    public long MovedAt { get; private set; }

    /// <summary>The time when the keeper of observers was last informed of it, in units of 100 ns.</summary>
    public long KeptAt { get; private set; }

    /// <summary>Whether it counts among the unverified observers of its source.</summary>
    public bool IsCountedBySource { get; private set; }

    /// <summary>The time until which a retransmission waits for a newer state; 0 for none.</summary>
    public long HeldUntil { get; private set; }

    /// <summary>Whether it is in the list of the waiting observers of its peer.</summary>
    public bool IsWaiting { get; private set; }

    public bool IsRemoved { get; private set; }

    /// <summary>
    /// Whether the response to the registration is still being sent. It is the first notification: no other is sent before or in parallel.
    /// </summary>
    public bool IsBeingAnswered { get; private set; }

    /// <summary>The response to the registration, until it needs no acknowledgement any more.</summary>
    public CoapTransmission? Answer { get; private set; }

    /// <summary>The Confirmable notification without acknowledgement yet.</summary>
    public CoapTransmission? Confirmable { get; private set; }

    /// <summary>The transmission that resets of Non-confirmable notifications match.</summary>
    public CoapTransmission? NonConfirmable { get; private set; }

    /// <summary>The newest Non-confirmable notification.</summary>
    public CoapMessage? NonConfirmableMessage { get; private set; }

    public bool IsOutstanding => IsBeingAnswered || Confirmable is not null;

    /// <summary>Whether it lacks a change, and no result of a run shows that change.</summary>
    public bool IsStale => Subject.Latest is not { } latest ? Subject.Change > Seen || NeedsRefresh
        : Subject.Change > latest.Change || (NeedsRefresh && latest.Number <= SentRun);

    /// <summary>Whether it waits for a run that is not complete.</summary>
    public bool AwaitsRun => Subject.Completed < Ask;

    /// <summary>Returns whether the result of a run is new for it.</summary>
    public bool Lacks(PreparedNotification latest) => latest.Number > SentRun && (latest.Change > Seen || NeedsRefresh);

    /// <summary>Records that the result of a run was sent to it.</summary>
    public void NoteSent(PreparedNotification latest)
    {
        Seen = latest.Change;
        SentRun = latest.Number;
        NeedsRefresh = false;
    }

    /// <summary>Returns whether the result of a run has the format of its notifications; the first result determines the format.</summary>
    public bool TryKeepFormat(PreparedNotification latest)
    {
        if (latest.Format != _format && latest.Format != PreparedNotification.AnyFormat)
        {
            if (_format != PreparedNotification.AnyFormat)
            {
                return false;
            }

            _format = latest.Format;
        }

        return true;
    }

    /// <summary>Requires the state even if nothing changed.</summary>
    public void Refresh() => NeedsRefresh = true;

    /// <summary>Requires the state, in a Confirmable notification, because an earlier process had the observer.</summary>
    public void Restore(long now)
    {
        ConfirmedAt = now - ObserveSettings.LongestConfirmableEvery;
        NeedsRefresh = true;
    }

    /// <summary>Moves it to another subject, whose state it then requires.</summary>
    public void Join(Subject subject)
    {
        Subject = subject;
        subject.Add(this);
        subject.SetStalled(this, IsOutstanding);
        CountBusy();
        Seen = subject.Change;
        SentRun = subject.Started;
        NeedsRefresh = true;
        Ask = 0;
    }

    /// <summary>Removes it from its subject.</summary>
    public void LeaveSubject()
    {
        SetBusy(false);
        Subject.Remove(this);
    }

    /// <summary>Puts it into the list of the waiting observers of its peer.</summary>
    /// <returns>False when it is there already.</returns>
    public bool TryWait()
    {
        if (IsWaiting)
        {
            return false;
        }

        IsWaiting = true;
        Ask = 0;
        Peer.Waiting.Add(this);
        CountBusy();
        return true;
    }

    /// <summary>Records that it left that list.</summary>
    public void EndWaiting() => IsWaiting = false;

    /// <summary>Sends nothing before a time.</summary>
    public void Delay(long until) => NotBefore = until;

    /// <summary>Waits for the next run of the subject.</summary>
    public void AskForRun() => Ask = Subject.AskForRun();

    /// <summary>Waits for a run, whose result it has not got.</summary>
    public void AwaitRun(long number) => Ask = number;

    /// <summary>Waits for no run: by the time of its turn, a result may no longer be the newest.</summary>
    public void AwaitNoRun() => Ask = 0;

    /// <summary>Lets copies of its message wait for a newer state until a time; 0 to end it.</summary>
    public void Hold(long until) => HeldUntil = until;

    /// <summary>Creates the transmission of the response to the registration.</summary>
    public CoapTransmission SendAnswer(CoapMessage response) =>
        Answer = new CoapTransmission(Channel, response, this) { IsRenewable = true };

    /// <summary>Records that the response to the registration left as a Non-confirmable message, which only a reset may match later.</summary>
    public void NoteUnconfirmedAnswer(CoapTransmission answer)
    {
        NonConfirmable = answer;
        NonConfirmableMessage = answer.Message;
    }

    /// <summary>Creates a Confirmable notification. The observer is outstanding until it ends.</summary>
    public CoapTransmission SendConfirmable(CoapMessage message)
    {
        Confirmable = new CoapTransmission(Channel, message, this) { IsRenewable = true, IsLimited = true };
        Peer.Outstanding++;
        Subject.SetStalled(this, Channel.IsReliable);
        return Confirmable;
    }

    /// <summary>Creates a Non-confirmable notification, or renews the one that waits.</summary>
    public CoapTransmission SendNonConfirmable(CoapMessage message)
    {
        NonConfirmableMessage = message;
        if (NonConfirmable is not { IsOver: false })
        {
            NonConfirmable = new CoapTransmission(Channel, message, this) { IsRenewable = true, IsLimited = true };
        }

        Peer.Unacknowledged++;
        return NonConfirmable;
    }

    /// <summary>Records that a notification could not be sent: a later state will do.</summary>
    /// <param name="notBefore">The earliest time of the next one.</param>
    public void NoteNotSent(long notBefore)
    {
        NeedsRefresh = true;
        SentRun = Math.Min(SentRun, (Subject.Latest?.Number ?? 0) - 1);
        NotBefore = notBefore;
    }

    /// <summary>Records an acknowledgement of a Confirmable notification.</summary>
    public void NoteConfirmed(long now)
    {
        Peer.Unacknowledged = 0;
        Peer.NextProbe = now + NotificationPacing.RoundTripLife;
        ConfirmedAt = now;
    }

    /// <summary>Records a sign of life of the client.</summary>
    public void NoteMoved(long now) => MovedAt = Peer.MovedAt = now;

    /// <summary>Records when the keeper of observers was informed of it.</summary>
    public void NoteKept(long at) => KeptAt = at;

    /// <summary>Ends the outstanding message: it is ready for the newest state.</summary>
    public void EndOutstanding()
    {
        IsBeingAnswered = false;
        Subject.SetStalled(this, isStalled: false);
        Answer = Confirmable = null;
        Peer.Outstanding--;
        HeldUntil = 0;
    }

    /// <summary>Counts among the unverified observers of its source, or no longer, because its successor does.</summary>
    public void CountBySource(bool isCounted) => IsCountedBySource = isCounted;

    /// <summary>Records that it was removed.</summary>
    public void Remove() => IsRemoved = true;

    /// <summary>Returns its messages, which are to be stopped, and drops them.</summary>
    public (CoapTransmission? Answer, CoapTransmission? Confirmable, CoapTransmission? NonConfirmable) TakeMessages()
    {
        if (IsOutstanding)
        {
            Peer.Outstanding--;
        }

        (CoapTransmission?, CoapTransmission?, CoapTransmission?) messages = (Answer, Confirmable, NonConfirmable);
        Answer = Confirmable = NonConfirmable = null;
        NonConfirmableMessage = null;
        return messages;
    }

    /// <summary>Updates whether it counts among the busy observers of its subject, which get a notification or wait for one.</summary>
    public void CountBusy()
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

    void ITransmissionOwner.OnFate(CoapTransmission transmission, CoapInboundKind fate)
    {
        Channel.Shard.Enter();
        try
        {
            _layer.Sender.OnEnded(this, transmission, fate, Channel.Shard.Environment.Now);
        }
        finally
        {
            Channel.Shard.Exit();
        }
    }

    void ITransmissionOwner.OnDisconnected(CoapTransmission transmission, CoapConnectionException reason) =>
        ((ITransmissionOwner)this).OnFate(transmission, CoapInboundKind.Disconnected);

    // Usually there is nothing more to report.
    void ITransmissionOwner.OnOffered(CoapTransmission transmission, bool isTaken)
    {
        if (isTaken && (transmission.IsOver || !Channel.IsReliable))
        {
            return;
        }

        Channel.Shard.Enter();
        try
        {
            _layer.Sender.OnOffered(this, transmission, isTaken);
        }
        finally
        {
            Channel.Shard.Exit();
        }
    }

    long ITransmissionOwner.MayBeTakenAt(CoapTransmission transmission, long now) => _layer.Sender.MayBeTakenAt(this, transmission, now);

    CoapMessage? ITransmissionOwner.Take(CoapTransmission transmission, long now) => _layer.Sender.Take(this, transmission, now);

    internal override void Fire(long now) => _layer.Sender.OnRefreshDue(this, now);
}
