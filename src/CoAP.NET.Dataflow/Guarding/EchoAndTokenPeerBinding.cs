using System.Buffers.Binary;
using CoAP.NET.Cryptography;

namespace CoAP.NET.Guarding;

/// <summary>Binds data that several processes may verify to an address, and to a connection or session.</summary>
internal static class EchoAndTokenPeerBinding
{
    /// <summary>The number of bytes.</summary>
    public const int Length = CoapAddress.BinaryLength + 1 + IdLength;

    private const int IdLength = Sha256.HashLength;
    private const byte OfAddress = 0;
    private const byte OfProcess = 1;
    private const byte Durable = 2;

    /// <summary>Writes the binding.</summary>
    /// <param name="binding">Receives <see cref="Length"/> bytes.</param>
    /// <param name="peer">The peer.</param>
    /// <param name="remote">Its address; the default one if it may change.</param>
    /// <param name="run">A number of this process, which binds connections that no other process can continue.</param>
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
            Sha256.HashData(durable.Span, id);
        }
        else
        {
            kind = OfProcess;
            BinaryPrimitives.WriteUInt64BigEndian(id, peer.Number);
            BinaryPrimitives.WriteUInt64BigEndian(id[sizeof(ulong)..], run);
        }
    }
}
