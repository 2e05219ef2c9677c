using CoAP.NET.Dtls.SessionBackups;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Transport;

/// <summary>A DTLS session in the form that the mesh uses.</summary>
internal sealed class DtlsChannelSession : CoapSession
{
    private const int TypeMask = 0x30;

    private readonly DtlsEngine _engine;
    private CoapDtlsIdentity? _identity;
    private CoapException? _reason;

    // Number of Confirmable messages sent since the last reaction: a hint, so concurrent updates may get lost.
    private int _unanswered;
    private long _unansweredSince;
    private int _isProbed;

    public DtlsChannelSession(CoapDtlsTransport transport, DtlsEngine engine, DtlsSession session)
        : base(transport, session.IsInitiator)
    {
        _engine = engine;
        Session = session;

        // It outlives the certificate, which ends with the session. Others are created on demand, because few callers ask.
        _identity = session.PeerCertificate is null ? null : CoapDtlsIdentity.From(session);
    }

    public DtlsSession Session { get; }

    public override CoapAddress Remote => Session.Path.Remote;

    public override CoapAddress Local => Session.Path.Local;

    public override string? ServerName => Session.ServerName;

    public override object Identity =>
        Volatile.Read(ref _identity) ?? Interlocked.CompareExchange(ref _identity, CoapDtlsIdentity.From(Session), null) ?? _identity;

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
    public int Unanswered => Volatile.Read(ref _unanswered);

    /// <summary>When the first of <see cref="Unanswered"/> went out, as a timestamp of the clock.</summary>
    public long UnansweredSince => Volatile.Read(ref _unansweredSince);

    /// <summary>Whether a probe is finding out if the server still knows the session.</summary>
    public bool IsProbed => Volatile.Read(ref _isProbed) != 0;

    /// <summary>Whether the caller has to find out if the server still knows the session; pairs with <see cref="EndProbe"/>.</summary>
    public bool TryBeginProbe() => Interlocked.Exchange(ref _isProbed, 1) == 0;

    /// <summary>Ends the probe.</summary>
    public void EndProbe() => Volatile.Write(ref _isProbed, 0);

    /// <summary>Handles an authentic message.</summary>
    /// <param name="message">
    /// The message. Messages that the server sends unprompted do not prove that it receives ours: another server may have the session and
    /// send its notifications, while our messages do not arrive there.
    /// </param>
    public void OnHeard(ReadOnlySpan<byte> message)
    {
        OnReceived();
        if (_unanswered > 0 && CoapHeaderReader.IsReaction(message))
        {
            Volatile.Write(ref _unanswered, 0);
        }
    }

    /// <inheritdoc/>
    public override void Send(CoapDatagram datagram)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        ReadOnlySpan<byte> message = datagram.Span;
        if (IsInitiator && message.Length > 0 && (message[0] & TypeMask) == 0)
        {
            if (_unanswered == 0)
            {
                Volatile.Write(ref _unansweredSince, _engine.Now);
            }

            int unanswered = _unanswered + 1;
            Volatile.Write(ref _unanswered, unanswered);
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
}
