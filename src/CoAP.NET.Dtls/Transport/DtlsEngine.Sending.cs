using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Transport;

// What leaves: records to the sockets, and sessions that are opened for requests.
internal sealed partial class DtlsEngine
{
    // A server that restarted answers nothing, and says nothing that could be believed. Copies of a Confirmable message leave after 2 to 3 and 6 to 9 s: two without an answer, and one looks.
    private const int UnansweredToProbe = 2;

    // Who asked for the session that was lost comes at once.
    private static readonly TimeSpan s_readyLifetime = TimeSpan.FromSeconds(30);

    private readonly Lock _readyGate = new();
    private readonly HashSet<(DtlsPath Path, string? ServerName)> _probes = [];
    private readonly Dictionary<(DtlsPath Path, string? ServerName), (DtlsChannelSession Session, long Since)> _ready = [];

    /// <summary>Sends a datagram.</summary>
    public void Send(in DtlsPath path, ReadOnlySpan<byte> datagram)
    {
        CoapUdpTransport sockets = SocketsOf(path);
        CoapDatagram item = datagram.Length <= _pool.BufferSize ? _pool.Rent() : new CoapDatagram(datagram.Length);
        datagram.CopyTo(item.Buffer);
        item.Length = datagram.Length;
        item.Remote = path.Remote;
        item.Local = path.Local;
        item.Transport = sockets;
        item.TransportTag = path.Tag & TagMask;
        item.HopLimit = 0;
        item.Channel = null;
        sockets.Send(item);
    }

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

        if (_client is null)
        {
            throw new CoapConnectionException(CoapConnectionError.HandshakeFailed, $"No session with coaps://{path.Remote}: there are no credentials for a client. Set CoapDtlsOptions.Client.");
        }

        using PathClaim claim = await ClaimAsync(_client, path, serverName).ConfigureAwait(false);
        return await HandshakeAsync(claim.Path, serverName, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>The operating system did not send.</summary>
    public void OnSendFailed(CoapAddress remote, Exception error) => DtlsLog.SendFailed(_outer.Logger, remote.ToString(), error.Message);

    /// <summary>A host says that nobody listens where we sent to. Anybody can say that, so a session is not ended by it; but it is a reason to look.</summary>
    public void OnPortUnreachable(CoapAddress remote, int index)
    {
        if (_client is not { } client)
        {
            return;
        }

        DtlsPath path = new(remote, default, index << IndexShift);
        client.PortUnreachable(path);
        if (client.Find(path)?.Owner is DtlsChannelSession { Unanswered: > 0 } session)
        {
            Probe(session);
        }
    }

    private async Task<DtlsChannelSession> HandshakeAsync(DtlsPath path, string? serverName, CancellationToken cancellationToken)
    {
        try
        {
            Task<DtlsSession> connecting = _client!.ConnectAsync(path, serverName, cancellationToken);
            _sockets.Wake();
            DtlsSession session = await connecting.ConfigureAwait(false);
            return session.Owner as DtlsChannelSession
                ?? throw new CoapConnectionException(CoapConnectionError.Refused, $"The session with coaps://{path.Remote} was not taken: the endpoint stops.");
        }
        catch (CoapDtlsHandshakeException exception)
        {
            _outer.Counters.Add(CoapCounter.HandshakesFailed);
            DtlsLog.HandshakeFailed(_outer.Logger, path.Remote.ToString(), ForeignText.LineOf(exception.Message));
            throw new CoapConnectionException(exception.Reason is CoapDtlsHandshakeFailure.NoAnswer or CoapDtlsHandshakeFailure.PortUnreachable ? CoapConnectionError.ConnectFailed : CoapConnectionError.HandshakeFailed, exception.Message, exception);
        }
    }

    /// <summary>Looks at sessions of ours in which Confirmable messages go unanswered: does the server still know them?</summary>
    private void ProbeSilent()
    {
        if (_client is not { } client)
        {
            return;
        }

        foreach (DtlsSession session in client.Sessions)
        {
            if (session.Owner is DtlsChannelSession { Unanswered: >= UnansweredToProbe } owner && _outer.TimeProvider.GetElapsedTime(owner.UnansweredSince) >= _transport.SilenceToProbe)
            {
                Probe(owner);
            }
        }

        List<DtlsChannelSession> unwanted = [];
        lock (_readyGate)
        {
            foreach (((DtlsPath, string?) key, (DtlsChannelSession ready, long since)) in _ready)
            {
                if (_outer.TimeProvider.GetElapsedTime(since) > s_readyLifetime)
                {
                    _ready.Remove(key);
                    unwanted.Add(ready);
                }
            }
        }

        foreach (DtlsChannelSession session in unwanted)
        {
            session.Close(null);
        }
    }

    private void Probe(DtlsChannelSession session)
    {
        if (session.TryBeginProbe())
        {
            _ = ProbeAsync(session);
        }
    }

    // A new handshake tells: if the server answers it, the old session is of no use there. When it is done the old one has ended, and whoever asked in it asks again in the new one.
    private async Task ProbeAsync(DtlsChannelSession session)
    {
        DtlsPath path = session.Session.Path;
        (DtlsPath Path, string? ServerName) key = (AsAsked(path), session.ServerName);
        lock (_readyGate)
        {
            _probes.Add(key);
        }

        try
        {
            await HandshakeAsync(path, key.ServerName, CancellationToken.None).ConfigureAwait(false);

            // Only now that the new one is there to be taken.
            session.Close(new CoapConnectionException(CoapConnectionError.Lost, $"{session} did not answer any more: it has lost the session, as by a restart."));
        }
        catch (CoapConnectionException)
        {
            // Nobody is there, or nobody that we trust; the requests end by their own times.
            session.EndProbe();
        }
        finally
        {
            lock (_readyGate)
            {
                _probes.Remove(key);
            }
        }
    }

    private void OfferReady(DtlsChannelSession session)
    {
        lock (_readyGate)
        {
            (DtlsPath, string?) key = (AsAsked(session.Session.Path), session.ServerName);
            if (_probes.Contains(key))
            {
                _ready[key] = (session, Now);
            }
        }
    }

    private DtlsChannelSession? TakeReady(DtlsPath path, string? serverName)
    {
        lock (_readyGate)
        {
            return _ready.Remove((path, serverName), out (DtlsChannelSession Session, long Since) ready) && !ready.Session.Session.IsClosed ? ready.Session : null;
        }
    }
}
