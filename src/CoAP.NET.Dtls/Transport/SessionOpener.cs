using CoAP.NET.Diagnostics;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Transport;

/// <summary>Opens sessions of a client: for requests, and to replace those whose server has fallen silent. Thread-safe.</summary>
/// <param name="transport">Knows which silence is suspicious.</param>
/// <param name="clock">Schedules checks.</param>
/// <param name="outer">The context that the endpoint gave the transport.</param>
/// <param name="client">Makes the handshakes.</param>
/// <param name="paths">Selects the sockets.</param>
internal sealed class SessionOpener(
    CoapDtlsTransport transport, DtlsEngineTimer clock, ICoapSessionTransportContext outer, DtlsClient client, ClientSocketSelector paths)
{
    // A server that restarted answers nothing, and could send no message that the client would believe. The client probes when a
    // Confirmable message and its retransmission have no answer for long enough.
    public const int UnansweredToProbe = 2;

    // The caller that needs the replaced session comes immediately.
    private static readonly TimeSpan s_readyLifetime = TimeSpan.FromSeconds(30);

    private readonly Lock _readyGate = new();
    private readonly HashSet<(DtlsPath Path, string? ServerName)> _probes = [];
    private readonly Dictionary<(DtlsPath Path, string? ServerName), (DtlsChannelSession Session, long Since)> _ready = [];

    /// <summary>Opens a session for requests.</summary>
    /// <param name="path">The destination.</param>
    /// <param name="serverName">The name of the server; null for an address.</param>
    /// <param name="cancellationToken">Cancels the attempt.</param>
    public async ValueTask<CoapConnection> ConnectAsync(DtlsPath path, string? serverName, CancellationToken cancellationToken)
    {
        if (TakeReady(path, serverName) is { } ready)
        {
            return ready;
        }

        using HandshakePathReservation reservation = await paths.ReserveAsync(client, path, serverName).ConfigureAwait(false);
        return await HandshakeAsync(reservation.Path, serverName, cancellationToken).ConfigureAwait(false);
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
                    CoapError.Refused, $"The endpoint is stopping and did not accept the session with coaps://{path.Remote}.");
        }
        catch (CoapDtlsException exception) when (exception.Reason != CoapDtlsHandshakeFailure.NotAvailable)
        {
            outer.Counters.Add(CoapCounter.HandshakesFailed);
            DtlsLog.ConnectFailed(outer.Logger, path.Remote.ToString(), CoapUntrustedText.LineOf(exception.Message));
            throw new CoapConnectionException(
                exception.Reason is CoapDtlsHandshakeFailure.NoAnswer or CoapDtlsHandshakeFailure.PortUnreachable
                    ? CoapError.ConnectFailed
                    : CoapError.HandshakeFailed,
                exception.Message,
                exception);
        }
    }

    /// <summary>Handles so many unanswered Confirmable messages in a session of this client that a probe may be due.</summary>
    /// <param name="session">The session.</param>
    public void OnUnanswered(DtlsChannelSession session) => clock.LookWithin(DoubtIn(session));

    /// <summary>Probes sessions of this client with unanswered Confirmable messages: does the server still know them?</summary>
    /// <returns>When to check again; <see cref="Timeout.InfiniteTimeSpan"/> if there is nothing to check.</returns>
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

    // Closes a session that a probe opened and no caller requested.
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
                    next = Earlier(next, left + DtlsEngineTimer.Often);
                }
            }
        }

        foreach (DtlsChannelSession session in unwanted ?? [])
        {
            session.Close(null);
        }

        return next;
    }

    // When to doubt a session. A server that assigned a Connection ID finds the session whatever our address is. So it is unavailable,
    // slow, or hands the session over: the doubt begins when all copies of a message have had their turn (MAX_TRANSMIT_SPAN, RFC 7252
    // section 4.8.2). Without one, a NAT that forgot our address is enough, and only a handshake helps: the doubt begins when the second
    // copy has had its time.
    private TimeSpan DoubtIn(DtlsChannelSession session)
    {
        if (session.Channel is not { Parameters: { } times })
        {
            return DtlsEngineTimer.Seldom;
        }

        TimeSpan second = times.AckTimeout * ((3 * times.AckRandomFactor) + 0.5);
        TimeSpan silence = transport.SilenceToProbe
            ?? (session.Session.HasConnectionId && times.MaxTransmitSpan > second ? times.MaxTransmitSpan : second);
        TimeSpan left = silence - outer.TimeProvider.GetElapsedTime(session.UnansweredSince);
        return left > TimeSpan.Zero ? left : TimeSpan.Zero;
    }

    private static TimeSpan Earlier(TimeSpan one, TimeSpan other) =>
        one == Timeout.InfiniteTimeSpan ? other : other == Timeout.InfiniteTimeSpan || one < other ? one : other;

    /// <summary>Probes a session: does the server still know it?</summary>
    /// <param name="session">The session.</param>
    public void Probe(DtlsChannelSession session)
    {
        if (session.TryBeginProbe())
        {
            _ = ProbeAsync(session);
        }
    }

    // A new handshake decides: if the server answers it, the old session is useless there. When the handshake is done the old session has
    // ended, and its callers repeat their requests in the new one.
    private async Task ProbeAsync(DtlsChannelSession session)
    {
        DtlsPath path = session.Session.Path;
        (DtlsPath Path, string? ServerName) key = (ClientSocketSelector.AsAsked(path), session.ServerName);
        lock (_readyGate)
        {
            _probes.Add(key);
        }

        try
        {
            await HandshakeAsync(path, key.ServerName, CancellationToken.None).ConfigureAwait(false);

            // Only now, when the new session is available.
            session.Close(new CoapConnectionException(
                CoapError.Lost, $"{session} no longer answered: it has lost the session, as by a restart."));
        }
        catch (CoapConnectionException)
        {
            // No server answers, or none that we trust; the requests end by their own timeouts.
            session.EndProbe();
            clock.LookWithin(DtlsEngineTimer.Seldom);
        }
        finally
        {
            lock (_readyGate)
            {
                _probes.Remove(key);
            }
        }
    }

    /// <summary>Offers a session, perhaps opened by a probe, to the next caller that needs one.</summary>
    /// <param name="session">The session.</param>
    public void OfferReady(DtlsChannelSession session)
    {
        lock (_readyGate)
        {
            (DtlsPath, string?) key = (ClientSocketSelector.AsAsked(session.Session.Path), session.ServerName);
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
