using System.Runtime.InteropServices;
using CoAP.NET.Transports;

namespace CoAP.NET.Channels;

/// <summary>How much of something each source has, and all together: an address costs nothing by its ports, nor by the host part of an IPv6 address. Not thread-safe.</summary>
/// <param name="maxOfSource">How much one source may have.</param>
/// <param name="maxInAll">How much all may have; also bounds the memory.</param>
internal sealed class SourceCounts(int maxOfSource, int maxInAll)
{
    private readonly Dictionary<CoapAddress, int> _counts = [];

    public int Total { get; private set; }

    public bool TryAdd(in CoapAddress address)
    {
        if (maxOfSource == 0 || Total >= maxInAll)
        {
            return false;
        }

        ref int count = ref CollectionsMarshal.GetValueRefOrAddDefault(_counts, SourceBudgets.SourceOf(address), out _);
        if (count >= maxOfSource)
        {
            return false;
        }

        count++;
        Total++;
        return true;
    }

    public void Remove(in CoapAddress address)
    {
        CoapAddress source = SourceBudgets.SourceOf(address);
        ref int count = ref CollectionsMarshal.GetValueRefOrNullRef(_counts, source);
        Total--;
        if (--count == 0)
        {
            _counts.Remove(source);
        }
    }
}
