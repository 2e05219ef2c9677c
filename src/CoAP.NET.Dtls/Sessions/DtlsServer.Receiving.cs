using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Sessions;

/// <content>Which session or handshake a datagram is for.</content>
internal sealed partial class DtlsServer
{
    private const byte ClientHelloType = 1;

    /// <summary>Takes a datagram. Messages in it are delivered before this returns; handshakes go on elsewhere.</summary>
    /// <param name="path">How it came.</param>
    /// <param name="datagram">Its bytes; opened in place.</param>
    /// <returns>Whether any part of it was of use.</returns>
    public bool Receive(in DtlsPath path, Span<byte> datagram)
    {
        bool isOfUse = false;
        bool isPosted = false;
        int offset = 0;
        int forged = 0;

        // One that is bad harms none behind it; but many tries shall not fit into a datagram.
        while (offset < datagram.Length && forged < DtlsSession.MaxForgeriesOfDatagram && RecordHeader.TryRead(datagram[offset..], CidLength, out RecordHeader header))
        {
            Span<byte> record = datagram.Slice(offset, header.HeaderLength + header.Length);
            offset += record.Length;
            if (header.Type == ContentType.Tls12Cid && _sessions.Find(header.Cid(record)) is { } session)
            {
                isOfUse |= Deliver(session, header, record, path, ref forged);
            }
            else if (header.Epoch == 0 && IsClientHello(header, record))
            {
                return OnClientHello(path, datagram) || isOfUse;
            }
            else if (header.Type != ContentType.ApplicationData && _pending.TryGetValue(path, out PendingHandshake? candidate))
            {
                // The handshake walks the datagram itself, once.
                isOfUse |= isPosted || Post(candidate, datagram);
                isPosted = true;
            }
            else if (header.Epoch > 0 && header.Type != ContentType.Tls12Cid && _sessions.Find(path) is { } known)
            {
                isOfUse |= Deliver(known, header, record, path, ref forged);
            }
            else
            {
                Counters.AddIgnored();
            }
        }

        if (offset < datagram.Length || datagram.IsEmpty)
        {
            Counters.AddIgnored();
        }

        return isOfUse;
    }

    private static bool IsClientHello(in RecordHeader header, ReadOnlySpan<byte> record) => header.Type == ContentType.Handshake && record[header.HeaderLength] == ClientHelloType;

    private bool Post(PendingHandshake pending, ReadOnlySpan<byte> datagram)
    {
        if (pending.Post(datagram))
        {
            return true;
        }

        Counters.AddIgnored();
        return false;
    }

    private bool Deliver(DtlsSession session, in RecordHeader header, Span<byte> record, in DtlsPath path, ref int forged)
    {
        switch (session.Receive(header, record, path))
        {
            case OpenResult.Opened:
                _sessions.Touch(session);
                return true;
            case OpenResult.Forged:
                forged++;
                Counters.AddForged(1);
                return false;
            case OpenResult.Replayed:
                Counters.AddReplayed();
                return false;
            default:
                Counters.AddIgnored();
                return false;
        }
    }
}
