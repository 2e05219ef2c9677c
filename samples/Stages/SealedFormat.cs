using System.Security.Cryptography;
using System.Threading.Tasks.Dataflow;
using CoAP.NET;

namespace Stages;

/// <summary>
/// A wire format: code, token and Message ID as ever, and everything else sealed with AES-GCM under a key that both ends have. A sketch of
/// a format, not of a protocol: it has no protection against replays. See DTLS and OSCORE (RFC 8613) for that.
/// </summary>
public sealed class SealedFormat(CoapStageContext shard, byte[] key)
{
    private const int NonceSize = 12;
    private const int TagSize = 16;

    // Of what is inside, on connections too, whose messages may be larger than datagrams.
    private readonly CoapDatagramSerializer _inner =
        new(new CoapSerializerOptions { MaxMessageSize = shard.Limits.Connections.MaxMessageSize });

    public static CoapSerializerStageBlocks Make(CoapStageContext shard, byte[] key)
    {
        SealedFormat format = new(shard, key);
        return new CoapSerializerStageBlocks(
            new TransformManyBlock<CoapDatagram, CoapInbound>(format.Read),
            new TransformManyBlock<CoapOutbound, CoapDatagram>(format.Write));
    }

    private IEnumerable<CoapInbound> Read(CoapDatagram datagram)
    {
        if (!shard.SerializerOf(datagram.Channel!).TryDeserialize(datagram.Span, out CoapMessage? message, out CoapFormatError error))
        {
            return [shard.Malformed(datagram, error)];
        }

        try
        {
            return [shard.Received(datagram, IsSealed(message) ? Open(message) : message)];
        }
        catch (Exception exception) when (exception is CryptographicException or ArgumentException or CoapFormatException)
        {
            // Not made with our key. A connection is aborted; a datagram is ignored and counted.
            return [shard.Malformed(datagram, new CoapFormatError(CoapMessageFormatViolation.PayloadMissing, 0))];
        }
    }

    private IEnumerable<CoapDatagram> Write(CoapOutbound outbound)
    {
        if (!outbound.Encoded.IsEmpty)
        {
            return [shard.Encoded(outbound, outbound.Encoded.Span)]; // a copy
        }

        try
        {
            CoapMessage message = outbound.Message!;
            return [shard.Encoded(outbound, shard.SerializerOf(outbound.Channel).Serialize(IsSealed(message) ? Seal(message) : message))];
        }
        catch (Exception exception)
        {
            return shard.EncodeFailed(outbound, exception) is { } error ? Write(error) : [];
        }
    }

    // Empty messages have nothing to hide, and signals (RFC 8323 section 5) are for this connection only.
    private static bool IsSealed(CoapMessage message) => message.Code.IsRequest || message.Code.IsResponse;

    private CoapMessage Seal(CoapMessage message)
    {
        byte[] plain = _inner.Serialize(message);
        byte[] sealedBytes = new byte[NonceSize + plain.Length + TagSize];
        Span<byte> nonce = sealedBytes.AsSpan(0, NonceSize);
        shard.Random.Fill(nonce);
        using AesGcm aes = new(key, TagSize);
        aes.Encrypt(nonce, plain, sealedBytes.AsSpan(NonceSize, plain.Length), sealedBytes.AsSpan(NonceSize + plain.Length));
        return new CoapMessage(message.Code)
        {
            Type = message.Type,
            MessageId = message.MessageId,
            Token = message.Token,
            Payload = sealedBytes
        };
    }

    private CoapMessage Open(CoapMessage outer)
    {
        ReadOnlySpan<byte> sealedBytes = outer.Payload.Span;
        byte[] plain = new byte[Math.Max(0, sealedBytes.Length - NonceSize - TagSize)];
        using AesGcm aes = new(key, TagSize);
        aes.Decrypt(sealedBytes[..NonceSize], sealedBytes.Slice(NonceSize, plain.Length), sealedBytes[^TagSize..], plain);
        CoapMessage message = _inner.Deserialize(plain);
        message.Type = outer.Type;
        message.MessageId = outer.MessageId;
        return message.Token == outer.Token ? message : throw new CryptographicException("Another token.");
    }
}
