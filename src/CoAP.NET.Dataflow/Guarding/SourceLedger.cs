using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace CoAP.NET.Guarding;

/// <summary>
/// Records how much each source holds of something that is never taken away from it, and decides by <see cref="FairShare"/> whether it may
/// have more. Not thread-safe. <see cref="SourceUsage{T}"/> is for what can be evicted.
/// </summary>
/// <typeparam name="TSource">The type of a source, usually <see cref="CoapQuotaSource"/>.</typeparam>
/// <param name="max">The maximum for all sources together; also limits the memory.</param>
/// <param name="maxOfSource">The maximum for one source.</param>
internal sealed class SourceLedger<TSource>(long max = long.MaxValue, long maxOfSource = long.MaxValue)
    where TSource : notnull
{
    private readonly Dictionary<TSource, long> _held = [];

    public long Total { get; private set; }

    /// <summary>The number of sources that hold something.</summary>
    public int Sources => _held.Count;

    public long AmountOf(in TSource source) => _held.GetValueOrDefault(source);

    /// <summary>Returns what the source with most holds; 0 if none holds anything. It enumerates all of them.</summary>
    public long FindMost()
    {
        long most = 0;
        foreach (long amount in _held.Values)
        {
            most = Math.Max(most, amount);
        }

        return most;
    }

    public bool HasRoom(in TSource source, long amount = 1)
    {
        long held = AmountOf(source) + amount;
        long free = max - Total;
        return amount <= free && held <= maxOfSource && FairShare.HasRoom(held, free, max);
    }

    /// <summary>Records more for a source, if there is room.</summary>
    public bool TryTake(in TSource source, long amount = 1)
    {
        if (!HasRoom(source, amount))
        {
            return false;
        }

        Take(source, amount);
        return true;
    }

    /// <summary>Records more for a source, whatever there is room for.</summary>
    public void Take(in TSource source, long amount = 1)
    {
        if (amount == 0)
        {
            return;
        }

        CollectionsMarshal.GetValueRefOrAddDefault(_held, source, out _) += amount;
        Total += amount;
    }

    /// <summary>Undoes one <see cref="Take"/>.</summary>
    /// <exception cref="InvalidOperationException">The source holds less.</exception>
    public void Return(in TSource source, long amount = 1)
    {
        if (amount == 0)
        {
            return;
        }

        ref long held = ref CollectionsMarshal.GetValueRefOrNullRef(_held, source);
        if (Unsafe.IsNullRef(ref held) || held < amount)
        {
            throw new InvalidOperationException($"{source} holds less than {amount}. Return only what was taken, and once.");
        }

        Total -= amount;
        held -= amount;
        if (held == 0)
        {
            _held.Remove(source);
        }
    }
}
