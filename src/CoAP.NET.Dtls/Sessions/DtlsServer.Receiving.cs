using System.Buffers.Binary;
using CoAP.NET.Dtls.Cookies;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Sessions;

/// <content>Which session or handshake a datagram is for.</content>
internal sealed partial class DtlsServer
{
    private const int AddressBytes = 24;

    /// <summary>Takes a datagram. Messages in it are delivered before this returns; handshakes go on elsewhere.</summary>
    /// <param name="path">How it came.</param>
    /// <param name="datagram">Its bytes; opened in place.</param>
    /// <returns>Whether any part of it was of use; false is worth counting.</returns>
    public bool Receive(in DtlsPath path, Span<byte> datagram)
    {
        bool isOfUse = false;
        bool isPosted = false;
        for (int offset = 0; offset < datagram.Length && RecordHeader.TryRead(datagram[offset..], CidLength, out RecordHeader header);)
        {
            Span<byte> record = datagram.Slice(offset, header.HeaderLength + header.Length);
            offset += record.Length;
            if (header.Type == ContentType.Tls12Cid && _byCid.TryGetValue(CidOf(header.Cid(record)), out DtlsSession? session))
            {
                isOfUse |= Deliver(session, header, record, path);
            }
            else if (header.Epoch == 0 && IsClientHello(header, record))
            {
                isOfUse |= OnClientHello(path, datagram);
                return isOfUse;
            }
            else if (header.Type != ContentType.ApplicationData && _peers.TryGetValue((path, true), out object? candidate))
            {
                // The handshake walks the datagram itself, once.
                if (!isPosted)
                {
                    ((PendingHandshake)candidate).Post(datagram);
                    isPosted = true;
                }

                isOfUse = true;
            }
            else if (header.Epoch > 0 && _peers.TryGetValue((path, false), out object? known))
            {
                isOfUse |= Deliver((DtlsSession)known, header, record, path);
            }
        }

        return isOfUse;
    }

    private static bool IsClientHello(in RecordHeader header, ReadOnlySpan<byte> record) => header.Type == ContentType.Handshake && record[header.HeaderLength] == 1;

    private static ulong CidOf(ReadOnlySpan<byte> cid) => BinaryPrimitives.ReadUInt64BigEndian(cid);

    private static int WriteAddress(in DtlsPath path, Span<byte> bytes)
    {
        path.Remote.WriteTo(bytes);
        return Transports.CoapAddress.BinaryLength;
    }

    private bool Deliver(DtlsSession session, in RecordHeader header, Span<byte> record, in DtlsPath path)
    {
        DtlsPath before = session.Path;
        OpenResult result = session.Receive(header, record, path);
        if (session.IsClosed)
        {
            Remove(session);
        }
        else if (session.Path != before)
        {
            _peers.TryRemove(new KeyValuePair<(DtlsPath, bool), object>((before, false), session));
            _peers[(session.Path, false)] = session;
        }

        return result == OpenResult.Opened;
    }

    private bool OnClientHello(in DtlsPath path, ReadOnlySpan<byte> datagram)
    {
        if (!ClientHello.TryRead(datagram, out ClientHello hello))
        {
            return false;
        }

        Span<byte> address = stackalloc byte[AddressBytes];
        address = address[..WriteAddress(path, address)];
        if (!_cookies.Accepts(hello, address))
        {
            Span<byte> request = stackalloc byte[CookieMint.RequestLength];
            _cookies.WriteRequest(hello, address, request);
            Sink.Send(path, request);
            return true;
        }

        if (_peers.TryGetValue((path, true), out object? known))
        {
            // Said again, as the answer was lost.
            ((PendingHandshake)known).Post(datagram);
            return true;
        }

        return TryBegin(path, datagram);
    }

    private bool TryBegin(in DtlsPath path, ReadOnlySpan<byte> datagram)
    {
        lock (_countGate)
        {
            if (_isDisposed || !_handshakes.TryAdd(path.Remote))
            {
                return false;
            }
        }

        ServerHandshake handshake = new(_context, MakeCid) { Validate = _validate };
        PendingHandshake pending = new(handshake, path, this) { Since = _time.GetTimestamp() };
        if (!_peers.TryAdd((path, true), pending))
        {
            lock (_countGate)
            {
                _handshakes.Remove(path.Remote);
            }

            handshake.Dispose();
            return true;
        }

        pending.Post(datagram);
        return true;
    }

    private byte[] MakeCid()
    {
        byte[] cid = new byte[CidLength];
        do
        {
            Random.Fill(cid);
        }
        while (_byCid.ContainsKey(CidOf(cid)));
        return cid;
    }
}
