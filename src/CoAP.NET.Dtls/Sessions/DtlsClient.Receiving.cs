using System.Buffers;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Sessions;

/// <content>Finds the session or handshake of a datagram.</content>
internal sealed partial class DtlsClient
{
    private const byte ClientHello = 1;
    private const byte Certificate = 11;
    private const byte CertificateVerify = 15;
    private const byte ClientKeyExchange = 16;

    /// <summary>Processes a datagram. It delivers messages before it returns; handshakes continue on other threads.</summary>
    /// <param name="path">The path that it came from.</param>
    /// <param name="datagram">Its bytes; decrypted in place.</param>
    /// <returns>Whether any part of it was useful.</returns>
    public bool Receive(in DtlsPath path, Span<byte> datagram) => Receive(path, datagram, isShared: false, out _);

    /// <summary>Processes a datagram. It delivers messages before it returns; handshakes continue on other threads.</summary>
    /// <param name="path">The path that it came from.</param>
    /// <param name="datagram">Its bytes; decrypted in place.</param>
    /// <param name="isShared">
    /// Whether this end is a server too over the same path, by a handshake or by a session without a Connection ID: data that is not for
    /// the client then stays unmodified.
    /// </param>
    /// <param name="isPerhapsOfClient">
    /// Whether it belongs to a handshake in which the peer may be the client, so that the server has to see it too.
    /// </param>
    /// <returns>
    /// Whether any part of it was useful; false also for messages of a client, which a server at the same socket may want.
    /// </returns>
    public bool Receive(in DtlsPath path, Span<byte> datagram, bool isShared, out bool isPerhapsOfClient)
    {
        isPerhapsOfClient = false;
        bool isOfUse = false;
        Peer peer = Peer.Of(path);
        PendingConnect? pending = _pending.GetValueOrDefault(peer);
        int cidLength = Math.Max(0, _context.Settings.OwnCidLength);
        int forged = 0;

        // A bad record does not affect those after it; but a datagram must not have room for many attempts.
        for (int offset = 0;
            offset < datagram.Length && forged < DtlsSession.MaxForgeriesOfDatagram
                && RecordHeader.TryRead(datagram[offset..], cidLength, out RecordHeader header);)
        {
            Span<byte> record = datagram.Slice(offset, header.HeaderLength + header.Length);
            offset += record.Length;
            DtlsSession? session = SessionOf(peer, header, record);
            if (pending is not null && IsForHandshake(header, record, session, isShared))
            {
                // The handshake walks the datagram itself, once, and returns the part after its end. If both ends began at the same time,
                // messages that either may have sent go to both.
                Speaker speaker = isShared ? SpeakerOf(datagram, cidLength) : Speaker.Server;
                isPerhapsOfClient = speaker == Speaker.Either;
                return (speaker != Speaker.Client && pending.Post(datagram)) || isOfUse;
            }

            if (header.Type == ContentType.Tls12Cid && session is null)
            {
                // Connection IDs of other senders may have another length, so the end of this record is unknown.
                return isOfUse;
            }

            if (session is not null)
            {
                isOfUse |= isShared ? DeliverShared(session, header, record, path) : Deliver(session, header, record, path, ref forged);
            }
        }

        return isOfUse;
    }

    // Decides by messages that only one of the roles sends (RFC 5246 section 7.4).
    private static Speaker SpeakerOf(ReadOnlySpan<byte> datagram, int cidLength)
    {
        for (int offset = 0; offset < datagram.Length && RecordHeader.TryRead(datagram[offset..], cidLength, out RecordHeader header);
            offset += header.HeaderLength + header.Length)
        {
            if (header is { Type: ContentType.Handshake, Epoch: 0 }
                && datagram[offset + header.HeaderLength] is not Certificate and byte message)
            {
                return message is ClientHello or CertificateVerify or ClientKeyExchange ? Speaker.Client : Speaker.Server;
            }
        }

        return Speaker.Either;
    }

    private static bool IsForHandshake(in RecordHeader header, ReadOnlySpan<byte> record, DtlsSession? session, bool isShared) =>
        header.Type switch
        {
            // A handshake without an answer must not withhold records of the other session.
            ContentType.ApplicationData or ContentType.Alert when isShared && header.Epoch > 0 => false,
            ContentType.Handshake
                when header.Epoch == 0 => record[header.HeaderLength] is not (ClientHello or CertificateVerify or ClientKeyExchange),
            ContentType.ApplicationData => header.Epoch > 0 && session is null,
            ContentType.Tls12Cid => session is null && header.CidLength > 0,
            _ => true,
        };

    private DtlsSession? SessionOf(in Peer peer, in RecordHeader header, ReadOnlySpan<byte> record) =>
        header.Type == ContentType.Tls12Cid ? header.CidLength > 0 ? _byCid.GetValueOrDefault(CidOf(header.Cid(record))) : null
            : header.Epoch > 0 ? _sessions.GetValueOrDefault(peer) : null;

    // A record that fails here most likely uses the keys of the other session. If it uses neither, that session counts it as forged.
    private static bool DeliverShared(DtlsSession session, in RecordHeader header, Span<byte> record, in DtlsPath path)
    {
        byte[] copy = ArrayPool<byte>.Shared.Rent(record.Length);
        record.CopyTo(copy);
        int forged = 0;
        bool isOpened = Deliver(session, header, record, path, ref forged);
        if (forged > 0)
        {
            session.Forgive();
            copy.AsSpan(0, record.Length).CopyTo(record);
        }

        ArrayPool<byte>.Shared.Return(copy);
        return isOpened;
    }

    private static bool Deliver(DtlsSession session, in RecordHeader header, Span<byte> record, in DtlsPath path, ref int forged)
    {
        // The address that it came to does not restrict the address to send from: the system knows the route.
        DtlsPath before = session.Path;
        OpenResult result = session.Receive(header, record, Peer.Of(path) == Peer.Of(before) ? before : path);
        forged += result == OpenResult.Forged ? 1 : 0;
        return result == OpenResult.Opened;
    }

    // The role that sent a handshake datagram.
    private enum Speaker
    {
        Either,
        Client,
        Server,
    }
}
