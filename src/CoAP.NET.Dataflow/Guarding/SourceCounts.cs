using System.Runtime.InteropServices;

namespace CoAP.NET.Guarding;

/// <summary>How much of something each source has, and all together. Not thread-safe.</summary>
/// <param name="maxOfSource">How much one source may have.</param>
/// <param name="maxInAll">How much all may have; also bounds the memory.</param>
internal sealed class SourceCounts(int maxOfSource, int maxInAll)
{
    private readonly Dictionary<CoapSource, int> _counts = [];

    public int Total { get; private set; }

    /// <summary>How many sources have something.</summary>
    public int Sources => _counts.Count;

    /// <summary>How much a source has.</summary>
    public int CountOf(in CoapSource source) => _counts.GetValueOrDefault(source);

    public bool TryAdd(in CoapSource source)
    {
        if (maxOfSource == 0 || Total >= maxInAll)
        {
            return false;
        }

        ref int count = ref CollectionsMarshal.GetValueRefOrAddDefault(_counts, source, out _);
        if (count >= maxOfSource)
        {
            return false;
        }

        count++;
        Total++;
        return true;
    }

    public void Remove(in CoapSource source)
    {
        ref int count = ref CollectionsMarshal.GetValueRefOrNullRef(_counts, source);
        Total--;
        if (--count == 0)
        {
            _counts.Remove(source);
        }
    }
}
