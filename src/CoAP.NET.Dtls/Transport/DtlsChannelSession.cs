using CoAP.NET.Dtls.SessionBackups;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Transport;

/// <summary>A DTLS session in the form that the mesh uses.</summary>
internal sealed class DtlsChannelSession : CoapSession
{
    private const int TypeMask = 0x30;

    private readonly DtlsEngine _engine;

    // A client looks whether the server still knows the session. Null for a server, which has very many sessions.
    private readonly UnansweredMessages? _sent;

    // Who the peer is (CoapPeerId); without credentials its identity (CoapDtlsIdentity), which is equal only to itself.
    private object? _proof;
    private CoapException? _reason;

    public DtlsChannelSession(CoapDtlsTransport transport, DtlsEngine engine, DtlsSession session)
        : base(transport, session.IsInitiator)
    {
        _engine = engine;
        Session = session;
        _sent = session.IsInitiator ? new UnansweredMessages() : null;

        // It outlives the certificate, which ends with the session. Others are created on demand.
        _proof = session.PeerCertificate is null ? null : CoapDtlsIdentity.IdOf(session);
    }

    public DtlsSession Session { get; }

    public override CoapAddress Remote => Session.Path.Remote;

    public override CoapAddress Local => Session.Path.Local;

    public override string? ServerName => Session.ServerName;

    /// <inheritdoc/>
    /// <remarks>A new object at each call: the endpoint itself asks for <see cref="PeerId"/>, and there may be very many sessions.</remarks>
    public override object Identity => Proof is CoapPeerId id ? CoapDtlsIdentity.From(Session, id) : Proof;

    internal override CoapPeerId? PeerId => Proof as CoapPeerId;

    private object Proof => Volatile.Read(ref _proof)
        ?? Interlocked.CompareExchange(ref _proof, CoapDtlsIdentity.IdOf(Session) ?? (object)CoapDtlsIdentity.From(Session, null), null)
        ?? _proof;

    public override ReadOnlyMemory<byte> DurableId => Session is BackedUpSession kept ? kept.IdBytes() : default;

    public override bool IsTakenOver => Session is BackedUpSession { IsLoaded: true };

    public override TimeSpan Idle => Session.Idle;

    public override bool ChecksPaths => Session.ChecksPaths;

    public override int MaxMessageSize => Session.MaxContent;

    public override int SentOverhead => Session.SentOverhead;

    public override int ReceivedOverhead => Session.ReceivedOverhead;

    /// <summary>Why this end closed it; null otherwise.</summary>
    public CoapException? Reason => Volatile.Read(ref _reason);

    /// <summary>Number of Confirmable messages sent since the last reaction of the other end.</summary>
    public int Unanswered => _sent is { } sent ? Volatile.Read(ref sent.Count) : 0;

    /// <summary>When the first of <see cref="Unanswered"/> went out, as a timestamp of the clock.</summary>
    public long UnansweredSince => _sent is { } sent ? Volatile.Read(ref sent.Since) : 0;

    /// <summary>Whether a probe is finding out if the server still knows the session.</summary>
    public bool IsProbed => _sent is { } sent && Volatile.Read(ref sent.IsProbed) != 0;

    /// <summary>Whether the caller has to find out if the server still knows the session; pairs with <see cref="EndProbe"/>.</summary>
    public bool TryBeginProbe() => _sent is { } sent && Interlocked.Exchange(ref sent.IsProbed, 1) == 0;

    /// <summary>Ends the probe.</summary>
    public void EndProbe()
    {
        if (_sent is { } sent)
        {
            Volatile.Write(ref sent.IsProbed, 0);
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
        if (_sent is { Count: > 0 } sent && CoapHeaderReader.IsReaction(message))
        {
            Volatile.Write(ref sent.Count, 0);
        }
    }

    /// <inheritdoc/>
    public override void Send(CoapDatagram datagram)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        ReadOnlySpan<byte> message = datagram.Span;
        if (_sent is { } sent && message.Length > 0 && (message[0] & TypeMask) == 0)
        {
            if (sent.Count == 0)
            {
                Volatile.Write(ref sent.Since, _engine.Now);
            }

            int unanswered = sent.Count + 1;
            Volatile.Write(ref sent.Count, unanswered);
            if (unanswered == SessionOpener.UnansweredToProbe)
            {
                _engine.OnUnanswered(this);
            }
        }

        Session.Send(message);
        datagram.Dispose();
    }

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
        Interlocked.CompareExchange(ref _reason,
            reason ?? new CoapConnectionException(CoapError.ClosedLocally, $"This end closed the session with {Remote}."), null);
        _engine.End(this);
    }

    // Confirmable messages since the last reaction of the other end: a hint, so concurrent updates may get lost.
    private sealed class UnansweredMessages
    {
        public int Count;
        public long Since;
        public int IsProbed;
    }
}
