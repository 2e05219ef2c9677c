namespace CoAP.NET;

/// <summary>The counters of an endpoint since it was made. Safe for several threads.</summary>
public sealed class CoapCounters
{
    private readonly long[] _values = new long[(int)CoapCounter.Count];

    /// <summary>The value of a counter.</summary>
    /// <param name="counter">Which.</param>
    public long this[CoapCounter counter] => Volatile.Read(ref _values[(int)counter]);

    /// <summary>Counts.</summary>
    /// <param name="counter">Which.</param>
    /// <param name="by">How many.</param>
    public void Add(CoapCounter counter, long by = 1) => Interlocked.Add(ref _values[(int)counter], by);

    /// <summary>All counters that are not zero, for people.</summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        string.Join(", ", Enum.GetValues<CoapCounter>().Where(counter => counter != CoapCounter.Count && this[counter] != 0).Select(counter => $"{counter} {this[counter]}"));
}
