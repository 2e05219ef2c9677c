using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Transport;

/// <summary>Sessions that a client opens: for requests, and in place of those whose server has gone silent. Thread-safe.</summary>
/// <param name="transport">Knows how long a silence is suspicious.</param>
/// <param name="clock">Is told when there is something to look at.</param>
/// <param name="outer">What the endpoint gave the transport.</param>
/// <param name="client">Makes the handshakes.</param>
/// <param name="paths">By which sockets.</param>
internal sealed class SessionOpening(
    CoapDtlsTransport transport, EngineClock clock, ICoapSessionContext outer, DtlsClient client, ClientPaths paths)
{
    // A server that restarted answers nothing, and says nothing that could be believed. A Confirmable message and its copy without an
    // answer for long enough: then one looks.
    public const int UnansweredToProbe = 2;

    // Who asked for the session that was lost comes at once.
    private static readonly TimeSpan s_readyLifetime = TimeSpan.FromSeconds(30);

    private readonly Lock _readyGate = new();
    private readonly HashSet<(DtlsPath Path, string? ServerName)> _probes = [];
    private readonly Dictionary<(DtlsPath Path, string? ServerName), (DtlsChannelSession Session, long Since)> _ready = [];

    /// <summary>Opens a session for requests.</summary>
    /// <param name="path">Where to.</param>
    /// <param name="serverName">What the server is called; null for an address.</param>
    /// <param name="cancellationToken">Gives it up.</param>
    public async ValueTask<CoapConnection> ConnectAsync(DtlsPath path, string? serverName, CancellationToken cancellationToken)
    {
        if (TakeReady(path, serverName) is { } ready)
        {
            return ready;
        }

        using PathClaim claim = await paths.ClaimAsync(client, path, serverName).ConfigureAwait(false);
        return await HandshakeAsync(claim.Path, serverName, cancellationToken).ConfigureAwait(false);
    }

    private async Task<DtlsChannelSession> HandshakeAsync(DtlsPath path, string? serverName, CancellationToken cancellationToken)
    {
        try
        {
            Task<DtlsSession> connecting = client.ConnectAsync(path, serverName, cancellationToken);
            clock.LookWithin(TimeSpan.Zero);
            DtlsSession session = await connecting.ConfigureAwait(false);
            clock.LookWithin(TimeSpan.Zero);
            return session.Owner as DtlsChannelSession
                ?? throw new CoapConnectionException(
                    CoapConnectionError.Refused, $"The session with coaps://{path.Remote} was not taken: the endpoint stops.");
        }
        catch (CoapDtlsHandshakeException exception)
        {
            outer.Counters.Add(CoapCounter.HandshakesFailed);
            DtlsLog.HandshakeFailed(outer.Logger, path.Remote.ToString(), CoapForeignText.LineOf(exception.Message));
            throw new CoapConnectionException(
                exception.Reason is CoapDtlsHandshakeFailure.NoAnswer or CoapDtlsHandshakeFailure.PortUnreachable
                    ? CoapConnectionError.ConnectFailed
                    : CoapConnectionError.HandshakeFailed,
                exception.Message,
                exception);
        }
    }

    /// <summary>So many Confirmable messages of a session of ours are unanswered that it will be doubted.</summary>
    /// <param name="session">The session.</param>
    public void OnUnanswered(DtlsChannelSession session) => clock.LookWithin(DoubtIn(session));

    /// <summary>Looks at sessions of ours in which Confirmable messages go unanswered: does the server still know them?</summary>
    /// <returns>When to look again; <see cref="Timeout.InfiniteTimeSpan"/> when there is nothing to look at.</returns>
    public TimeSpan ProbeSilent()
    {
        TimeSpan next = Timeout.InfiniteTimeSpan;
        foreach (DtlsSession session in client.Sessions)
        {
            if (session.Owner is DtlsChannelSession { Unanswered: >= UnansweredToProbe, IsProbed: false } owner)
            {
                TimeSpan left = DoubtIn(owner);
                if (left <= TimeSpan.Zero)
                {
                    Probe(owner);
                }
                else
                {
                    next = Earlier(next, left);
                }
            }
        }

        return Earlier(next, CloseUnwanted());
    }

    // A session that was made by a probe, and that nobody asks for.
    private TimeSpan CloseUnwanted()
    {
        TimeSpan next = Timeout.InfiniteTimeSpan;
        List<DtlsChannelSession>? unwanted = null;
        lock (_readyGate)
        {
            foreach (((DtlsPath, string?) key, (DtlsChannelSession ready, long since)) in _ready)
            {
                TimeSpan left = s_readyLifetime - outer.TimeProvider.GetElapsedTime(since);
                if (left < TimeSpan.Zero)
                {
                    _ready.Remove(key);
                    (unwanted ??= []).Add(ready);
                }
                else
                {
                    next = Earlier(next, left + EngineClock.Often);
                }
            }
        }

        foreach (DtlsChannelSession session in unwanted ?? [])
        {
            session.Close(null);
        }

        return next;
    }

    // When a session is doubted. A server that gave a Connection ID finds the session whatever our address is. So it is away, slow, or
    // hands the session over: the doubt begins when all copies of a message have had their turn (MAX_TRANSMIT_SPAN, RFC 7252 section
    // 4.8.2). Without one a NAT that forgot our address is enough, and only a handshake helps: it begins when the second copy has had its
    // time.
    private TimeSpan DoubtIn(DtlsChannelSession session)
    {
        if (session.Channel is not { Parameters: { } times })
        {
            return EngineClock.Seldom;
        }

        TimeSpan second = times.AckTimeout * ((3 * times.AckRandomFactor) + 0.5);
        TimeSpan silence = transport.SilenceToProbe
            ?? (session.Session.HasConnectionId && times.MaxTransmitSpan > second ? times.MaxTransmitSpan : second);
        TimeSpan left = silence - outer.TimeProvider.GetElapsedTime(session.UnansweredSince);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    private static TimeSpan Earlier(TimeSpan one, TimeSpan other) =>
        one == Timeout.InfiniteTimeSpan ? other : other == Timeout.InfiniteTimeSpan || one < other ? one : other;

    /// <summary>Looks at a session: does the server still know it?</summary>
    /// <param name="session">The session.</param>
    public void Probe(DtlsChannelSession session)
    {
        if (session.TryBeginProbe())
        {
            _ = ProbeAsync(session);
        }
    }

    // A new handshake tells: if the server answers it, the old session is of no use there. When it is done the old one has ended, and
    // whoever asked in it asks again in the new one.
    private async Task ProbeAsync(DtlsChannelSession session)
    {
        DtlsPath path = session.Session.Path;
        (DtlsPath Path, string? ServerName) key = (ClientPaths.AsAsked(path), session.ServerName);
        lock (_readyGate)
        {
            _probes.Add(key);
        }

        try
        {
            await HandshakeAsync(path, key.ServerName, CancellationToken.None).ConfigureAwait(false);

            // Only now that the new one is there to be taken.
            session.Close(new CoapConnectionException(
                CoapConnectionError.Lost, $"{session} did not answer any more: it has lost the session, as by a restart."));
        }
        catch (CoapConnectionException)
        {
            // Nobody is there, or nobody that we trust; the requests end by their own times.
            session.EndProbe();
            clock.LookWithin(EngineClock.Seldom);
        }
        finally
        {
            lock (_readyGate)
            {
                _probes.Remove(key);
            }
        }
    }

    /// <summary>A session is there, perhaps by a probe: whoever asks for one takes it.</summary>
    /// <param name="session">The session.</param>
    public void OfferReady(DtlsChannelSession session)
    {
        lock (_readyGate)
        {
            (DtlsPath, string?) key = (ClientPaths.AsAsked(session.Session.Path), session.ServerName);
            if (_probes.Contains(key))
            {
                _ready[key] = (session, outer.TimeProvider.GetTimestamp());
            }
        }

        clock.LookWithin(s_readyLifetime);
    }

    private DtlsChannelSession? TakeReady(DtlsPath path, string? serverName)
    {
        lock (_readyGate)
        {
            return _ready.Remove((path, serverName), out (DtlsChannelSession Session, long Since) ready) && !ready.Session.Session.IsClosed
                ? ready.Session
                : null;
        }
    }
}
