using CoAP.NET.Dtls.SessionBackups;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Transport;

/// <summary>A DTLS session in the form that the mesh uses.</summary>
internal sealed class DtlsChannelSession : CoapSession
{
    private const int TypeMask = 0x30;

    private readonly DtlsEngine _engine;

    // Who the peer is (CoapPeerId); without credentials its identity (CoapDtlsPeerIdentity), which is equal only to itself.
    private object? _proof;
    private RareFields? _rare;

    public DtlsChannelSession(CoapDtlsTransport transport, DtlsEngine engine, DtlsSession session)
        : base(transport, session.IsInitiator)
    {
        _engine = engine;
        Session = session;
        _rare = session.IsInitiator ? new RareFields() : null;

        // It outlives the certificate, which ends with the session. Others are created on demand.
        _proof = session.PeerCertificate is null ? null : DtlsPeerIdentityReader.ReadId(session);
    }

    public DtlsSession Session { get; }

    public override CoapAddress Remote => Session.Path.Remote;

    public override CoapAddress Local => Session.Path.Local;

    public override string? ServerName => Session.ServerName;

    /// <inheritdoc/>
    /// <remarks>
    /// A new object at each call: the endpoint itself asks for <see cref="PeerId"/>, and there may be very many sessions.
    /// </remarks>
    public override ICoapPeerIdentity Identity =>
        Proof is CoapPeerId id ? DtlsPeerIdentityReader.Read(Session, id) : (CoapDtlsPeerIdentity)Proof;

    internal override CoapPeerId? PeerId => Proof as CoapPeerId;

    private object Proof => Volatile.Read(ref _proof)
        ?? Interlocked.CompareExchange(
            ref _proof, DtlsPeerIdentityReader.ReadId(Session) ?? (object)DtlsPeerIdentityReader.Read(Session, null), null)
        ?? _proof;

    public override ReadOnlyMemory<byte> DurableId => Session is DtlsSessionWithBackup kept ? kept.IdBytes() : default;

    public override bool IsTakenOver => Session is DtlsSessionWithBackup { IsLoaded: true };

    public override TimeSpan Idle => Session.Idle;

    public override bool ChecksPaths => Session.ChecksPaths;

    public override int MaxMessageSize => Session.MaxContent;

    public override int SentOverhead => Session.SentOverhead;

    public override int ReceivedOverhead => Session.ReceivedOverhead;

    /// <summary>Why this end closed it; null otherwise.</summary>
    public CoapException? Reason => Volatile.Read(ref _rare)?.Reason;

    /// <summary>Number of Confirmable messages sent since the last reaction of the other end.</summary>
    public int Unanswered => _rare is { } rare ? Volatile.Read(ref rare.Unanswered) : 0;

    /// <summary>When the first of <see cref="Unanswered"/> went out, as a timestamp of the clock.</summary>
    public long UnansweredSince => _rare is { } rare ? Volatile.Read(ref rare.UnansweredSince) : 0;

    /// <summary>Whether a probe is finding out if the server still knows the session.</summary>
    public bool IsProbed => _rare is { } rare && Volatile.Read(ref rare.IsProbed) != 0;

    /// <summary>Whether the caller has to find out if the server still knows the session; pairs with <see cref="EndProbe"/>.</summary>
    public bool TryBeginProbe() => _rare is { } rare && Interlocked.Exchange(ref rare.IsProbed, 1) == 0;

    /// <summary>Ends the probe.</summary>
    public void EndProbe()
    {
        if (_rare is { } rare)
        {
            Volatile.Write(ref rare.IsProbed, 0);
        }
    }

    /// <summary>Handles an authentic message.</summary>
    /// <param name="message">
    /// The message. Messages that the server sends unprompted do not prove that it receives ours: another server may have the session and
    /// send its notifications, while our messages do not arrive there.
    /// </param>
    public void OnHeard(ReadOnlySpan<byte> message)
    {
        OnReceived();
        if (_rare is { Unanswered: > 0 } rare && CoapHeaderReader.IsReaction(message))
        {
            Volatile.Write(ref rare.Unanswered, 0);
        }
    }

    /// <inheritdoc/>
    public override void Send(CoapDatagram datagram)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        ReadOnlySpan<byte> message = datagram.Span;
        if (IsInitiator && _rare is { } rare && message.Length > 0 && (message[0] & TypeMask) == 0)
        {
            if (rare.Unanswered == 0)
            {
                Volatile.Write(ref rare.UnansweredSince, _engine.Now);
            }

            int unanswered = rare.Unanswered + 1;
            Volatile.Write(ref rare.Unanswered, unanswered);
            if (unanswered == SessionOpener.UnansweredToProbe)
            {
                _engine.OnUnanswered(this);
            }
        }

        // Its answer checks the newest path (RFC 7252 section 4.3), so the former one must not get it.
        Session.Send(message, IsEmptyConfirmable(message) ? DtlsSendPaths.Newest : DtlsSendPaths.All);
        datagram.Dispose();
    }

    /// <inheritdoc/>
    public override bool HasFormerAddress => Session.HasFormerPath;

    /// <inheritdoc/>
    public override void SendToFormerAddress(CoapDatagram datagram)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        if (!IsEmptyConfirmable(datagram.Span))
        {
            Session.Send(datagram.Span, DtlsSendPaths.Former);
        }

        datagram.Dispose();
    }

    /// <inheritdoc/>
    public override void LeaveFormerAddress(in CoapAddress answered) => Session.LeaveFormerPath(answered);

    /// <inheritdoc/>
    public override bool ReturnToFormerAddress(in CoapAddress unanswered) => Session.ReturnToFormerPath(unanswered);

    /// <inheritdoc/>
    public override async Task<bool> CheckPathAsync(CancellationToken cancellationToken)
    {
        ReturnRoutabilityCheck check = new(Session.Path);
        TimeSpan wait = ReturnRoutabilityCheck.FirstWait;
        for (int i = 0; i < ReturnRoutabilityCheck.MaxChallenges; i++, wait *= 2)
        {
            // A challenge counts for the limit of what may go to an address before it answers.
            if (Channel!.Shard.Guard.MayLeave(Channel, this, ReturnRoutabilityCheck.MessageLength) && !_engine.Challenge(Session, check))
            {
                return false;
            }

            try
            {
                return await check.Answer.WaitAsync(wait, _engine.Time, cancellationToken).ConfigureAwait(false);
            }
            catch (TimeoutException)
            {
                // The datagram, or its answer, was lost.
            }
        }

        return false;
    }

    /// <inheritdoc/>
    public override void Close(CoapException? reason)
    {
        RareFields rare = Volatile.Read(ref _rare) ?? Interlocked.CompareExchange(ref _rare, new RareFields(), null) ?? _rare;
        Interlocked.CompareExchange(ref rare.Reason,
            reason ?? new CoapConnectionException(CoapError.ClosedLocally, $"This end closed the session with {Remote}."), null);
        _engine.End(this);
    }

    private static bool IsEmptyConfirmable(ReadOnlySpan<byte> message) =>
        message.Length > 1 && (message[0] & TypeMask) == 0 && message[1] == 0;

    // Fields that a server, which may have very many sessions, does not use before the end.
    private sealed class RareFields
    {
        // Confirmable messages since the last reaction of the other end: a hint, so concurrent updates may get lost.
        public int Unanswered;
        public long UnansweredSince;
        public int IsProbed;

        public CoapException? Reason;
    }
}
