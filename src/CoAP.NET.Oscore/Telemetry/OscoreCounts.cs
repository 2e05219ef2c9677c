namespace CoAP.NET.Oscore;

/// <summary>Counts events. Thread-safe, also under the locks of callers: it runs no callbacks.</summary>
internal sealed class OscoreCounts
{
    private readonly long[] _values = new long[Enum.GetValues<OscoreEvent>().Length];

    public long this[OscoreEvent kind] => Interlocked.Read(ref _values[(int)kind]);

    public void Add(OscoreEvent kind, long by = 1) => Interlocked.Add(ref _values[(int)kind], by);
}
