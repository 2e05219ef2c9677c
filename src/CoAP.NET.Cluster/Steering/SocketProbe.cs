using System.Buffers.Binary;
using System.Security.Cryptography;
using CoAP.NET.Transports;

namespace CoAP.NET.Cluster;

/// <summary>
/// What processes of one machine ask each other to learn which socket of a shared port is whose: a record that arrives at the socket with
/// an index, and an answer by the process that has it. Both show that they come from a node of this cluster. A probe says at which endpoint
/// it is to arrive: sockets of another one with the same port have indices of their own, and do not answer. Thread-safe.
/// </summary>
/// <param name="key">What follows from the secret of the cluster.</param>
internal sealed class SocketProbe(byte[] key)
{
    /// <summary>How many bytes a probe has.</summary>
    public const int Length = ContentAt + ContentLength;

    /// <summary>How many bytes an answer has.</summary>
    public const int AnswerLength = NonceLength + NodeLength + 1 + MacLength;

    /// <summary>How long the random number of a probe is.</summary>
    public const int NonceLength = 16;

    // A Connection ID of 8 bytes and a length follow the beginning of a record.
    private const int CidLength = 8;
    private const int ContentAt = CoapUdpSlotTable.ProbeLength + CidLength + 2;
    private const int WayAt = ContentAt + NonceLength;
    private const int EndpointAt = WayAt + CoapAddress.BinaryLength;
    private const int ContentLength = NonceLength + (2 * CoapAddress.BinaryLength) + MacLength;
    private const int NodeLength = 16;
    private const int MacLength = 32;

    /// <summary>Writes a probe.</summary>
    /// <param name="destination">Where to.</param>
    /// <param name="index">The index of the socket.</param>
    /// <param name="nonce">A random number, which the answer repeats.</param>
    /// <param name="way">Where it is sent to.</param>
    /// <param name="endpoint">The endpoint at which it is to arrive.</param>
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
    /// <param name="datagram">What came.</param>
    /// <param name="node">This node.</param>
    /// <param name="sockets">How many sockets it has at each endpoint.</param>
    /// <param name="bound">Its endpoints.</param>
    /// <param name="answer">Where the answer goes; <see cref="AnswerLength"/> bytes.</param>
    /// <returns>False when it is no probe of this cluster, or was to arrive at another endpoint.</returns>
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
    /// <param name="datagram">What came.</param>
    /// <param name="nonce">The number of the probe.</param>
    /// <param name="node">Who answers.</param>
    /// <param name="sockets">How many sockets it has at the address.</param>
    /// <returns>False when it is no answer to that probe.</returns>
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
