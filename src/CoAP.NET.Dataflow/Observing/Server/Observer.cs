namespace CoAP.NET.Observing;

/// <summary>
/// An entry in the list of observers: a client and its token (RFC 7641 section 4.1). The timer is for notifications without a change.
/// Guarded by the shard's lock.
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

    /// <summary>The subject; replaced when its peer accepts messages of another size.</summary>
    public Subject Subject { get; set; }

    public PeerObservers Peer { get; }

    public CoapToken Token { get; }

    /// <summary>The observer terms of the resource, which count it; null for none.</summary>
    public CoapObserverTerms? Terms { get; init; }

    public CoapChannel Channel => Peer.Channel;

    /// <summary>Its links in the list of the peer's observers.</summary>
    public ChainLinks<Observer> PeerLinks;

    /// <summary>Its index in the list of the subject.</summary>
    public int Index { get; set; }

    /// <summary>
    /// The Content-Format of its notifications, which never changes (RFC 7641 section 4.2); or a constant of
    /// <see cref="PreparedNotification"/>.
    /// </summary>
    public int Format { get; set; }

    /// <summary>The last change of the subject that it has seen.</summary>
    public long Seen { get; set; }

    /// <summary>The last run of the subject whose result was sent to it, or that started before it registered.</summary>
    public long SentRun { get; set; }

    /// <summary>The run that it waits for; 0 for none.</summary>
    public long Ask { get; set; }

    /// <summary>Whether it must get the state even if nothing changed.</summary>
    public bool NeedsRefresh { get; set; }

    /// <summary>The time of its registration, or of its last acknowledgement of a Confirmable notification.</summary>
    public long ConfirmedAt { get; set; }

    /// <summary>The time after which the next notification must be Confirmable (RFC 7641 section 4.5).</summary>
    public long ConfirmableFrom =>
        ConfirmedAt + (Terms is { ConfirmableEveryTicks: > 0 and var every } ? every : Subject.Settings.ConfirmableEvery);

    /// <summary>The time before which nothing is sent: the leisure after a registration by group request.</summary>
    public long NotBefore { get; set; } = long.MinValue;

    public bool IsOfGroup { get; set; }

    /// <summary>The time of its registration, or of its last acknowledgement of a notification, in units of 100 ns.</summary>
    public long MovedAt { get; set; }

    /// <summary>The time when the keeper of observers was last informed of it, in units of 100 ns.</summary>
    public long KeptAt { get; set; }

    /// <summary>Whether it counts among the unverified observers of its source.</summary>
    public bool IsCountedBySource { get; set; }

    /// <summary>The time until which a retransmission waits for a newer state; 0 for none.</summary>
    public long HeldUntil { get; set; }

    public bool IsWaiting { get; set; }

    public bool IsCountedBusy { get; set; }

    public bool IsRemoved { get; set; }

    /// <summary>
    /// Whether the response to the registration is still being sent. It is the first notification: no other is sent before or in parallel.
    /// </summary>
    public bool IsBeingAnswered { get; set; } = true;

    /// <summary>The response to the registration, until it needs no acknowledgement any more.</summary>
    public CoapTransmission? Answer { get; set; }

    /// <summary>The Confirmable notification without acknowledgement yet.</summary>
    public CoapTransmission? Confirmable { get; set; }

    /// <summary>The transmission that resets of Non-confirmable notifications match.</summary>
    public CoapTransmission? NonConfirmable { get; set; }

    /// <summary>The newest Non-confirmable notification.</summary>
    public CoapMessage? NonConfirmableMessage { get; set; }

    public bool IsOutstanding => IsBeingAnswered || Confirmable is not null;

    /// <summary>Whether it lacks a change, and no result of a run shows that change.</summary>
    public bool IsStale => Subject.Latest is not { } latest ? Subject.Change > Seen || NeedsRefresh
        : Subject.Change > latest.Change || (NeedsRefresh && latest.Number <= SentRun);

    /// <summary>Returns whether the result of a run is new for it.</summary>
    public bool Lacks(PreparedNotification latest) => latest.Number > SentRun && (latest.Change > Seen || NeedsRefresh);

    /// <summary>Records that the result of a run was sent to it.</summary>
    public void NoteSent(PreparedNotification latest)
    {
        Seen = latest.Change;
        SentRun = latest.Number;
        NeedsRefresh = false;
    }

    /// <summary>Updates whether it counts among the busy observers of its subject, which get a notification or wait for one.</summary>
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
