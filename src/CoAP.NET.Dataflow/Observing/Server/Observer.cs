namespace CoAP.NET.Observing;

/// <summary>
/// An entry in the list of observers: a client and its token (RFC 7641 section 4.1). The timer is for what is sent although nothing
/// changed. Guarded by the shard's lock.
/// </summary>
internal sealed class Observer : WheelTimer, ITransmissionOwner
{
    private readonly ObserverLayer _layer;

    public Observer(ObserverLayer layer, Subject subject, PeerObservers peer, CoapToken token)
    {
        _layer = layer;
        Subject = subject;
        Peer = peer;
        Token = token;
    }

    /// <summary>What it observes; another one when its peer takes messages of another size now.</summary>
    public Subject Subject { get; set; }

    public PeerObservers Peer { get; }

    public CoapToken Token { get; }

    /// <summary>What the resource says of its observers, in which it counts; null for nothing.</summary>
    public CoapObserverTerms? Terms { get; init; }

    public CoapChannel Channel => Peer.Channel;

    /// <summary>Its neighbours among the observers of the peer.</summary>
    public ChainLinks<Observer> PeerLinks;

    /// <summary>Its place in the list of the subject.</summary>
    public int Index { get; set; }

    /// <summary>
    /// The Content-Format of what it was sent, which never changes (RFC 7641 section 4.2); or a constant of
    /// <see cref="PreparedNotification"/>.
    /// </summary>
    public int Format { get; set; }

    /// <summary>The last change of the subject that what it was sent shows.</summary>
    public long Seen { get; set; }

    /// <summary>The last run of the subject whose result it was sent, or that began before it registered.</summary>
    public long SentRun { get; set; }

    /// <summary>The run that it waits for; 0 for none.</summary>
    public long Ask { get; set; }

    /// <summary>Whether it is to be sent the state although that did not change.</summary>
    public bool NeedsRefresh { get; set; }

    /// <summary>When it registered, or last acknowledged a Confirmable notification.</summary>
    public long ConfirmedAt { get; set; }

    /// <summary>From when on the next notification must be Confirmable (RFC 7641 section 4.5).</summary>
    public long ConfirmableFrom =>
        ConfirmedAt + (Terms is { ConfirmableEveryTicks: > 0 and var every } ? every : Subject.Settings.ConfirmableEvery);

    /// <summary>Not to be sent anything before this time: the leisure of who registered by a group request.</summary>
    public long NotBefore { get; set; } = long.MinValue;

    public bool IsOfGroup { get; set; }

    /// <summary>When it registered, or last acknowledged a notification, in units of 100 ns.</summary>
    public long MovedAt { get; set; }

    /// <summary>When whoever keeps observers heard last that it is one, in units of 100 ns.</summary>
    public long KeptAt { get; set; }

    /// <summary>Whether it counts among the observers of its source that were never verified.</summary>
    public bool IsCountedBySource { get; set; }

    /// <summary>Until when a retransmission waits for a newer state; 0 for none.</summary>
    public long HeldUntil { get; set; }

    public bool IsWaiting { get; set; }

    public bool IsCountedBusy { get; set; }

    public bool IsRemoved { get; set; }

    /// <summary>
    /// Whether the answer to the registration is still on its way. It is the first notification: no other goes before or beside it.
    /// </summary>
    public bool IsBeingAnswered { get; set; } = true;

    /// <summary>The answer to the registration, until it needs no acknowledgement any more.</summary>
    public CoapTransmission? Answer { get; set; }

    /// <summary>The Confirmable notification that is not acknowledged yet.</summary>
    public CoapTransmission? Confirmable { get; set; }

    /// <summary>What resets of Non-confirmable notifications are matched by.</summary>
    public CoapTransmission? NonConfirmable { get; set; }

    /// <summary>The newest Non-confirmable notification.</summary>
    public CoapMessage? NonConfirmableMessage { get; set; }

    public bool IsOutstanding => IsBeingAnswered || Confirmable is not null;

    /// <summary>Whether it has not been sent what changed, and no result of a run is there that shows it.</summary>
    public bool IsStale => Subject.Latest is not { } latest ? Subject.Change > Seen || NeedsRefresh
        : Subject.Change > latest.Change || (NeedsRefresh && latest.Number <= SentRun);

    /// <summary>Whether the result of a run is news for it.</summary>
    public bool Lacks(PreparedNotification latest) => latest.Number > SentRun && (latest.Change > Seen || NeedsRefresh);

    /// <summary>It is sent the result of a run.</summary>
    public void NoteSent(PreparedNotification latest)
    {
        Seen = latest.Change;
        SentRun = latest.Number;
        NeedsRefresh = false;
    }

    /// <summary>Counts it among those of its subject that are sent something or wait for it, or no longer.</summary>
    public void CountBusy()
    {
        bool busy = IsWaiting || IsOutstanding;
        if (busy != IsCountedBusy && !IsRemoved)
        {
            IsCountedBusy = busy;
            Subject.Busy += busy ? 1 : -1;
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

    // Mostly there is nothing more to say of it.
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
