using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace CoAP.NET.Guarding;

/// <summary>Counts something by source, and in total. Not thread-safe.</summary>
/// <param name="maxOfSource">The maximum of one source.</param>
/// <param name="maxInAll">The maximum of all sources; also limits the memory.</param>
internal sealed class SourceCounter(int maxOfSource, int maxInAll)
{
    private readonly Dictionary<CoapQuotaSource, int> _counts = [];

    public int Total { get; private set; }

    public int Sources => _counts.Count;

    public int CountOf(in CoapQuotaSource source) => _counts.GetValueOrDefault(source);

    public bool TryAdd(in CoapQuotaSource source)
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

    /// <summary>Undoes one <see cref="TryAdd"/>.</summary>
    /// <exception cref="InvalidOperationException">The count of the source is zero.</exception>
    public void Remove(in CoapQuotaSource source)
    {
        ref int count = ref CollectionsMarshal.GetValueRefOrNullRef(_counts, source);
        if (Unsafe.IsNullRef(ref count))
        {
            throw new InvalidOperationException($"Nothing is counted for {source}. Remove it once for each time it was added.");
        }

        Total--;
        if (--count == 0)
        {
            _counts.Remove(source);
        }
    }
}
