using CoAP.NET.Dtls.Cookies;
using CoAP.NET.Dtls.Handshakes;

namespace CoAP.NET.Dtls.Sessions;

/// <content>Handshakes, from the cookie to the session.</content>
internal sealed partial class DtlsServer
{
    private const int AddressBytes = 24;

    /// <summary>A handshake is done: its session takes the place of one that the peer may have had.</summary>
    /// <param name="pending">The handshake.</param>
    /// <param name="established">What it left.</param>
    /// <param name="isResumed">Whether it resumed an earlier session.</param>
    public void OnDone(PendingHandshake pending, Established established, bool isResumed)
    {
        Counters.AddCompleted(isResumed);
        Open(new DtlsSession(established, pending.Path, Sink, _time) { Home = this });

        // Not before there is a session: what the client sends at once is for that.
        Forget(pending);
    }

    /// <summary>A handshake gave no session.</summary>
    /// <param name="pending">The handshake.</param>
    /// <param name="why">In words.</param>
    public void OnFailed(PendingHandshake pending, string why)
    {
        Forget(pending);
        Counters.AddFailed();
        HandshakeFailed?.Invoke(pending.Path, why);
    }

    /// <summary>Takes a new session: tells of it, and has others make room.</summary>
    /// <param name="session">The session, whose home is this.</param>
    public void Open(DtlsSession session)
    {
        // Whoever is above has it before anything of it is delivered, and may end it at once.
        Sink.Opened(session);
        if (!_sessions.TryAdd(session, out List<DtlsSession> replaced))
        {
            session.End(DtlsEnd.Closed, tells: true);
            return;
        }

        foreach (DtlsSession old in replaced)
        {
            old.End(DtlsEnd.Replaced, tells: false);
        }

        while (_sessions.TakeOldest(_limits.MaxSessions) is { } oldest)
        {
            oldest.End(DtlsEnd.Evicted, tells: true);
        }
    }

    private static int WriteAddress(in DtlsPath path, Span<byte> bytes)
    {
        path.Remote.WriteTo(bytes);
        return Transports.CoapAddress.BinaryLength;
    }

    private bool OnClientHello(in DtlsPath path, ReadOnlySpan<byte> datagram)
    {
        if (Volatile.Read(ref _isDisposed) || !ClientHello.TryRead(datagram, out ClientHello hello))
        {
            Counters.AddIgnored();
            return false;
        }

        Span<byte> address = stackalloc byte[AddressBytes];
        address = address[..WriteAddress(path, address)];
        if (!_cookies.Accepts(hello, address))
        {
            Span<byte> request = stackalloc byte[CookieMint.RequestLength];
            _cookies.WriteRequest(hello, address, request);
            Counters.AddCookie();
            Sink.Send(path, request);
            return true;
        }

        if (_pending.TryGetValue(path, out PendingHandshake? known))
        {
            if (known.Began(hello.BeforeCookie))
            {
                // Said again, as the answer was lost.
                return known.Post(datagram);
            }

            // The client began anew, and has shown that it is at this address.
            GiveUp(known, "The client began another handshake.");
        }

        return TryBegin(path, datagram, hello.BeforeCookie);
    }

    private bool TryBegin(in DtlsPath path, ReadOnlySpan<byte> datagram, ReadOnlySpan<byte> beginning)
    {
        lock (_countGate)
        {
            if (_isDisposed || !_handshakes.TryAdd(path.Remote))
            {
                Counters.AddRefused();
                return false;
            }
        }

        PendingHandshake pending = new(new ServerHandshake(_context, MakeCid) { Validate = _validate, ValidateRawPublicKey = ValidateRawPublicKey }, path, this, beginning.ToArray()) { Since = _time.GetTimestamp() };
        if (!_pending.TryAdd(path, pending))
        {
            // The same ClientHello came by another thread.
            Release(path);
            _ = pending.GiveUp("Another one was quicker.");
            return true;
        }

        Counters.AddStarted();
        _ = pending.Post(datagram);
        if (Volatile.Read(ref _isDisposed))
        {
            _ = pending.GiveUp("The server stops.");
            Forget(pending);
        }

        return true;
    }

    private void GiveUp(PendingHandshake pending, string why)
    {
        if (pending.GiveUp(why))
        {
            OnFailed(pending, why);
        }
    }

    private void Forget(PendingHandshake pending)
    {
        if (_pending.TryRemove(new KeyValuePair<DtlsPath, PendingHandshake>(pending.Path, pending)))
        {
            Release(pending.Path);
        }
    }

    private void Release(in DtlsPath path)
    {
        lock (_countGate)
        {
            _handshakes.Remove(path.Remote);
        }
    }

    private byte[] MakeCid()
    {
        byte[] cid = new byte[CidLength];
        do
        {
            Random.Fill(cid);
        }
        while (_sessions.Find(cid) is not null);
        return cid;
    }
}
