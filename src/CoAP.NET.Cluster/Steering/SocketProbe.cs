using System.Buffers.Binary;
using System.Security.Cryptography;
using CoAP.NET.Transports;

namespace CoAP.NET.Cluster;

/// <summary>
/// The messages with which processes of one machine find the owners of the sockets of a shared port: a record that arrives at the socket
/// with an index, and an answer of its process. Both prove that they come from a node of this cluster. A probe names its destination
/// endpoint: sockets of another endpoint with the same port have their own indexes, and do not answer. Thread-safe.
/// </summary>
/// <param name="key">The key derived from the secret of the cluster.</param>
internal sealed class SocketProbe(byte[] key)
{
    /// <summary>The length of a probe in bytes.</summary>
    public const int Length = ContentAt + ContentLength;

    /// <summary>The length of an answer in bytes.</summary>
    public const int AnswerLength = NonceLength + NodeLength + 1 + MacLength;

    /// <summary>The length of a probe's random number.</summary>
    public const int NonceLength = 16;

    // A Connection ID of 8 bytes and a length follow the start of a record.
    private const int CidLength = 8;
    private const int ContentAt = CoapUdpSlotTable.ProbeLength + CidLength + 2;
    private const int WayAt = ContentAt + NonceLength;
    private const int EndpointAt = WayAt + CoapAddress.BinaryLength;
    private const int ContentLength = NonceLength + (2 * CoapAddress.BinaryLength) + MacLength;
    private const int NodeLength = 16;
    private const int MacLength = 32;

    /// <summary>Writes a probe.</summary>
    /// <param name="destination">Receives the probe.</param>
    /// <param name="index">The index of the socket.</param>
    /// <param name="nonce">A random number, which the answer repeats.</param>
    /// <param name="way">The address that it is sent to.</param>
    /// <param name="endpoint">The endpoint that must receive it.</param>
    public void Write(Span<byte> destination, byte index, ReadOnlySpan<byte> nonce, CoapAddress way, CoapAddress endpoint)
    {
        Span<byte> probe = destination[..Length];
        probe.Clear();
        CoapUdpSlotTable.WriteProbe(probe, index);
        probe[ContentAt - 1] = ContentLength;
        nonce.CopyTo(probe[ContentAt..]);
        way.WriteTo(probe[WayAt..]);
        endpoint.WriteTo(probe[EndpointAt..]);
        HMACSHA256.HashData(key, probe[..^MacLength], probe[^MacLength..]);
    }

    /// <summary>Answers a probe.</summary>
    /// <param name="datagram">The received datagram.</param>
    /// <param name="node">This node.</param>
    /// <param name="sockets">The number of its sockets at each endpoint.</param>
    /// <param name="bound">Its endpoints.</param>
    /// <param name="answer">Receives the answer; <see cref="AnswerLength"/> bytes.</param>
    /// <returns>False if it is not a probe of this cluster, or has another destination endpoint.</returns>
    public bool TryAnswer(
        ReadOnlySpan<byte> datagram, CoapNodeId node, int sockets, IReadOnlyList<CoapAddress> bound, Span<byte> answer)
    {
        if (datagram.Length != Length || !IsAuthentic(datagram)
            || SharedAddresses.TakerOf(Read(datagram[WayAt..]), bound) != Read(datagram[EndpointAt..]))
        {
            return false;
        }

        datagram.Slice(ContentAt, NonceLength).CopyTo(answer);
        node.Value.TryWriteBytes(answer[NonceLength..]);
        answer[NonceLength + NodeLength] = (byte)sockets;
        HMACSHA256.HashData(key, answer[..(AnswerLength - MacLength)], answer[(AnswerLength - MacLength)..AnswerLength]);
        return true;
    }

    /// <summary>Reads an answer.</summary>
    /// <param name="datagram">The received datagram.</param>
    /// <param name="nonce">The number of the probe.</param>
    /// <param name="node">The answering node.</param>
    /// <param name="sockets">The number of its sockets at the address.</param>
    /// <returns>False if it is not an answer to that probe.</returns>
    public bool TryRead(ReadOnlySpan<byte> datagram, ReadOnlySpan<byte> nonce, out CoapNodeId node, out int sockets)
    {
        bool isAnswer = datagram.Length == AnswerLength && datagram[..NonceLength].SequenceEqual(nonce) && IsAuthentic(datagram);
        node = isAnswer ? new CoapNodeId(new Guid(datagram.Slice(NonceLength, NodeLength))) : default;
        sockets = isAnswer ? datagram[NonceLength + NodeLength] : 0;
        return isAnswer;
    }

    private static CoapAddress Read(ReadOnlySpan<byte> bytes) => new(
        BinaryPrimitives.ReadUInt64BigEndian(bytes), BinaryPrimitives.ReadUInt64BigEndian(bytes[8..]),
        BinaryPrimitives.ReadUInt16BigEndian(bytes[16..]), BinaryPrimitives.ReadUInt32BigEndian(bytes[18..]));

    private bool IsAuthentic(ReadOnlySpan<byte> datagram)
    {
        Span<byte> mac = stackalloc byte[MacLength];
        HMACSHA256.HashData(key, datagram[..^MacLength], mac);
        return CryptographicOperations.FixedTimeEquals(mac, datagram[^MacLength..]);
    }
}
