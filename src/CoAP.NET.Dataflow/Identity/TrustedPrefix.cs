using System.Net;

namespace CoAP.NET.Identity;

/// <summary>A prefix of addresses, in a form for fast comparison.</summary>
internal readonly struct TrustedPrefix
{
    private const int MappedBits = 96;

    private readonly CoapAddress _base;
    private readonly ulong _highMask;
    private readonly ulong _lowMask;

    public TrustedPrefix(IPNetwork network)
    {
        _base = CoapAddress.FromIPEndPoint(new IPEndPoint(network.BaseAddress, 0));
        int length = network.PrefixLength
            + (network.BaseAddress.AddressFamily == System.Net.Sockets.AddressFamily.InterNetwork ? MappedBits : 0);
        _highMask = MaskOf(Math.Min(length, 64));
        _lowMask = MaskOf(Math.Max(length - 64, 0));
    }

    public bool Contains(in CoapAddress address) =>
        ((address.High ^ _base.High) & _highMask) == 0 && ((address.Low ^ _base.Low) & _lowMask) == 0;

    private static ulong MaskOf(int bits) => bits == 0 ? 0 : ulong.MaxValue << (64 - bits);
}
