using System.Runtime.CompilerServices;

namespace CoAP.NET.Diagnostics;

/// <summary>Counts events by their kind. Thread-safe, also under the locks of callers.</summary>
/// <typeparam name="TKind">The kinds: an enumeration of the numbers from 0.</typeparam>
/// <param name="counted">Called after each event, for example to update a metric; null for nothing.</param>
internal sealed class EventCounter<TKind>(Action<TKind>? counted = null)
    where TKind : struct, Enum
{
    private readonly long[] _values = new long[Enum.GetValues<TKind>().Length];

    public long this[TKind kind] => Interlocked.Read(ref _values[Unsafe.BitCast<TKind, int>(kind)]);

    public void Add(TKind kind, long by = 1)
    {
        Interlocked.Add(ref _values[Unsafe.BitCast<TKind, int>(kind)], by);
        counted?.Invoke(kind);
    }
}
