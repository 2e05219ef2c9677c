using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Dtls.Transport;

// What comes: records up to the mesh as messages.
internal sealed partial class DtlsEngine
{
    /// <summary>Takes a datagram of the sockets, and takes it over.</summary>
    /// <param name="datagram">The datagram.</param>
    /// <param name="index">Which sockets it came to.</param>
    public void Receive(CoapDatagram datagram, int index)
    {
        try
        {
            datagram.TransportTag |= index << IndexShift;
            if (datagram.IsTruncated || datagram.Length == 0 || Volatile.Read(ref _isDisposed) != 0 || !Dispatch(datagram))
            {
                _outer.Counters.Add(CoapCounter.RecordsRejected);
            }
        }
        finally
        {
            datagram.Dispose();
        }
    }

    /// <summary>A session has a message.</summary>
    public void Received(DtlsSession session, in DtlsPath path, ReadOnlySpan<byte> content)
    {
        if (session.Owner is not DtlsChannelSession { Channel: { } channel } owner || content.Length > _pool.BufferSize)
        {
            return;
        }

        owner.OnHeard();
        CoapDatagram message = _pool.Rent();
        content.CopyTo(message.Buffer);
        message.Length = content.Length;
        message.Remote = path.Remote;
        message.Local = path.Local;
        message.Transport = _transport;
        message.TransportTag = path.Tag & TagMask;
        message.Channel = channel;
        _outer.Receive(message);
    }

    /// <summary>A session is there: it gets its channel before anything of it is received.</summary>
    public void Opened(DtlsSession session)
    {
        bool isInitiator = session.IsInitiator;
        DtlsChannelSession owner = new(_transport, this, session);
        session.Owner = owner;
        if (!_outer.Opened(owner))
        {
            session.Owner = null;
            if (isInitiator)
            {
                _client!.End(session, DtlsEnd.Closed, tells: true);
            }
            else
            {
                _server!.End(session, DtlsEnd.Closed, tells: true);
            }

            return;
        }

        if (isInitiator)
        {
            OfferReady(owner);
        }

        if (_outer.Logger.IsEnabled(LogLevel.Debug))
        {
            DtlsLog.Opened(_outer.Logger, owner.Remote.ToString(), session.Suite.ToString(), owner.Identity);
        }
    }

    /// <summary>The peer of a session has another address.</summary>
    public void Moved(DtlsSession session, in DtlsPath from)
    {
        if (session.Owner is DtlsChannelSession { Channel: not null } owner)
        {
            _outer.Moved(owner, from.Remote);
        }
    }

    /// <summary>A session has ended.</summary>
    public void Closed(DtlsSession session, DtlsEnd reason)
    {
        if (session.Owner is DtlsChannelSession { Channel: not null } owner)
        {
            DtlsLog.Closed(_outer.Logger, owner.Remote.ToString(), reason);
            _outer.Closed(owner, owner.Reason ?? Describe(owner, reason));
        }
    }

    private static CoapConnectionException? Describe(DtlsChannelSession session, DtlsEnd reason) => reason switch
    {
        DtlsEnd.ClosedByPeer => null,
        DtlsEnd.FailedByPeer => new CoapConnectionException(CoapConnectionError.Lost, $"{session} ended the session by a fatal alert."),
        DtlsEnd.Replaced => new CoapConnectionException(CoapConnectionError.Lost, $"{session} began a new session in place of the old one (RFC 6347 section 4.2.8)."),
        DtlsEnd.Evicted => new CoapConnectionException(CoapConnectionError.ClosedByUs, $"The session with {session} was silent for long, or others needed its place."),
        DtlsEnd.Exhausted => new CoapConnectionException(CoapConnectionError.Lost, $"The session with {session} was ended: its record numbers were used up, or too many records were forged."),
        _ => new CoapConnectionException(CoapConnectionError.ClosedByUs, $"This end closed the session with {session}."),
    };

    private bool Dispatch(CoapDatagram datagram)
    {
        DtlsPath path = new(datagram.Remote, datagram.Local, datagram.TransportTag);
        Span<byte> bytes = datagram.Buffer.AsSpan(datagram.Offset, datagram.Length);
        if (_client is { IsIdle: false } client)
        {
            // Both ends may be client and server of each other over the same ports, and only Connection IDs, or the keys, tell the sessions apart.
            bool isOfUse = client.Receive(path, bytes, isShared: _server?.Uses(path) == true, out bool isPerhapsOfClient);
            if (isOfUse)
            {
                if (isPerhapsOfClient)
                {
                    _ = _server!.Receive(path, bytes);
                }

                return true;
            }
        }

        return _server?.Receive(path, bytes) == true;
    }
}
