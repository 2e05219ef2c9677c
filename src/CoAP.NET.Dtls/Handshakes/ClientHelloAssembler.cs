using CoAP.NET.Dtls.Cookies;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>
/// Puts a ClientHello together from its fragments (RFC 6347 section 4.2.3). The client has returned a cookie in the first one, so its
/// address is real. Holds at most <see cref="ClientHello.MaxFragmented"/> bytes. Not thread-safe.
/// </summary>
/// <param name="number">The number of the message in the handshake.</param>
internal sealed class ClientHelloAssembler(ushort number)
{
    private readonly MessageAssembler _messages = new(number, MessageHeader.Size + ClientHello.MaxFragmented);
    private ulong? _sequence;

    /// <summary>Adds the fragments in a datagram. Other records are ignored: the client sends nothing else before the answer.</summary>
    /// <param name="datagram">The datagram.</param>
    /// <returns>A datagram with the whole ClientHello; null while bytes are missing.</returns>
    public byte[]? Add(ReadOnlySpan<byte> datagram)
    {
        while (RecordHeader.TryRead(datagram, 0, out RecordHeader record))
        {
            int length = record.HeaderLength + record.Length;
            ReadOnlySpan<byte> content = datagram[record.HeaderLength..length];
            datagram = datagram[length..];
            if (record is not { Type: ContentType.Handshake, Epoch: 0 } || !MessageHeader.TryRead(content, out MessageHeader header)
                || header.Type != HandshakeType.ClientHello || header.Number != number || header.Length > ClientHello.MaxFragmented)
            {
                continue;
            }

            // The number that the answer continues with (RFC 6347 section 4.2.1).
            _sequence ??= record.Sequence;
            if (_messages.TryAdd(header, content.Slice(MessageHeader.Size, header.FragmentLength))
                && _messages.TryPeek(out _, out ReadOnlyMemory<byte> message))
            {
                byte[] whole = new byte[RecordHeader.Size + message.Length];
                new RecordHeader(ContentType.Handshake, 0, _sequence.Value, 0, message.Length).Write(whole, []);
                message.Span.CopyTo(whole.AsSpan(RecordHeader.Size));
                return whole;
            }
        }

        return null;
    }
}
