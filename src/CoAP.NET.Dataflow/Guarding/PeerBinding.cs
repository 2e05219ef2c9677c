using System.Buffers.Binary;
using System.Security.Cryptography;
using CoAP.NET.Transports;

namespace CoAP.NET.Guarding;

/// <summary>For whom something was made that several processes may check: for an address, and for a connection or session.</summary>
internal static class PeerBinding
{
    /// <summary>How many bytes it takes.</summary>
    public const int Length = CoapAddress.BinaryLength + 1 + IdLength;

    private const int IdLength = SHA256.HashSizeInBytes;
    private const byte OfAddress = 0;
    private const byte OfProcess = 1;
    private const byte Durable = 2;

    /// <summary>Writes it.</summary>
    /// <param name="binding">Takes <see cref="Length"/> bytes.</param>
    /// <param name="peer">The peer.</param>
    /// <param name="remote">Its address; none where that may change.</param>
    /// <param name="run">A number of this process: connections that no other process can go on with are those of this one only.</param>
    public static void Write(Span<byte> binding, CoapChannel peer, CoapAddress remote, ulong run)
    {
        binding.Clear();
        remote.WriteTo(binding);
        Span<byte> id = binding[(CoapAddress.BinaryLength + 1)..];
        ref byte kind = ref binding[CoapAddress.BinaryLength];
        if (peer.Number == 0)
        {
            kind = OfAddress;
        }
        else if (peer.Connection?.DurableId is { Length: > 0 } durable)
        {
            kind = Durable;
            SHA256.HashData(durable.Span, id);
        }
        else
        {
            kind = OfProcess;
            BinaryPrimitives.WriteUInt64BigEndian(id, peer.Number);
            BinaryPrimitives.WriteUInt64BigEndian(id[sizeof(ulong)..], run);
        }
    }
}
