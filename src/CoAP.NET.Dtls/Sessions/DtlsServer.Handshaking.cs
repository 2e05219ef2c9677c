using CoAP.NET.Dtls.Cookies;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Sessions;

/// <content>Handshakes, from the cookie to the session.</content>
internal sealed partial class DtlsServer
{
    private const int AddressBytes = 24;
    private const byte FatalLevel = 2;

    /// <summary>A handshake is done: its session takes the place of one that the peer may have had.</summary>
    /// <param name="pending">The handshake.</param>
    /// <param name="established">What it left.</param>
    /// <param name="isResumed">Whether it resumed an earlier session.</param>
    public void OnDone(PendingHandshake pending, Established established, bool isResumed)
    {
        Counters.AddCompleted(isResumed);
        Open(new DtlsSession(established, pending.Path, this, isInitiator: false, null));

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

        while (_sessions.TakeExcess(_limits, session) is { } excess)
        {
            excess.End(DtlsEnd.Evicted, tells: true);
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

        if (_context.Settings.RequiresExtendedMasterSecret && !hello.HasExtendedMasterSecret)
        {
            RefuseOld(path, hello);
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

    // RFC 7627 section 5.2: aborted at once, and told.
    private void RefuseOld(in DtlsPath path, in ClientHello hello)
    {
        RecordHeader header = new(ContentType.Alert, 0, hello.Sequence, 0, 2);
        Span<byte> alert = stackalloc byte[RecordHeader.Size + 2];
        header.Write(alert, []);
        alert[RecordHeader.Size] = FatalLevel;
        alert[RecordHeader.Size + 1] = AlertNames.HandshakeFailure;
        Sink.Send(path, alert);
        Counters.AddFailed();
        HandshakeFailed?.Invoke(path, Handshake.NoExtendedMasterSecret);
    }

    private bool TryBegin(in DtlsPath path, ReadOnlySpan<byte> datagram, ReadOnlySpan<byte> beginning)
    {
        ServerHandshake handshake;
        try
        {
            handshake = new(_context, MakeCid) { Validate = _validate, ValidateRawPublicKey = ValidateRawPublicKey };
        }
        catch (Exception exception) when (exception is ObjectDisposedException or InvalidOperationException)
        {
            // The endpoint stops, or OpenSSL has no memory. The client tries again.
            Counters.AddIgnored();
            return false;
        }

        PendingHandshake pending = new(handshake, path, this, beginning.ToArray())
        {
            Since = _time.GetTimestamp(),
            Source = _sessions.Keys.Of(path.Remote),
            IsKnown = _sessions.HasSessionsOf(path.Remote),
        };
        if (_handshakes.Add(pending) is { } evicted && evicted.GiveUp("Others needed its place."))
        {
            // Counted and not logged: whoever floods would fill the log.
            Forget(evicted);
            Counters.AddEvicted();
        }

        if (!_pending.TryAdd(path, pending))
        {
            // The same ClientHello came by another thread.
            _ = pending.GiveUp("Another one was quicker.");
            _handshakes.Remove(pending);
            return true;
        }

        Counters.AddStarted();
        bool isOver = !pending.Post(datagram);
        if (Volatile.Read(ref _isDisposed))
        {
            _ = pending.GiveUp("The server stops.");
            isOver = true;
        }

        if (isOver)
        {
            // Another thread needed its place already, or the server stops.
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
        _pending.TryRemove(new KeyValuePair<DtlsPath, PendingHandshake>(pending.Path, pending));
        _handshakes.Remove(pending);
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
