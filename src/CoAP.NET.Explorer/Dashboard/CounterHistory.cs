using CoAP.NET.Diagnostics;

namespace CoAP.NET.Explorer.Dashboard;

/// <summary>The counters of an endpoint, second by second for a minute. One thread at a time.</summary>
internal sealed class CounterHistory(CoapCounters counters)
{
    private const int Seconds = 60;

    /// <summary>The counters of dropped messages and what they mean.</summary>
    public static readonly IReadOnlyList<CounterRow> Drops =
    [
        .. CounterInstrument.RowsOf(CounterInstrument.Drops),
        CounterRow.Of(CoapCounter.RecordsRejected),
        CounterRow.Of(CoapCounter.TransmissionsGivenUp),
    ];

    /// <summary>The counters of requests refused before their handler and what they mean.</summary>
    public static readonly IReadOnlyList<CounterRow> Refusals = CounterInstrument.RowsOf(CounterInstrument.Refusals);

    private static readonly int s_kinds = Enum.GetValues<CoapCounter>().Length;

    private readonly Queue<long[]> _past = new();
    private long[] _before = Read(counters);
    private long[] _last = Read(counters);

    /// <summary>Ends a second.</summary>
    public void Turn()
    {
        _before = _last;
        _past.Enqueue(_before);
        if (_past.Count > Seconds)
        {
            _past.Dequeue();
        }

        _last = Read(counters);
    }

    public long Total(CoapCounter counter) => _last[(int)counter];

    /// <summary>Returns the growth of a counter in the last second.</summary>
    public long InSecond(CoapCounter counter) => _last[(int)counter] - _before[(int)counter];

    /// <summary>Returns the growth of some counters in the last second.</summary>
    public long InSecond(IReadOnlyList<CounterRow> some) => some.Sum(one => InSecond(one.Counter));

    /// <summary>Returns the growth of a counter in the last minute, or since the first viewer came.</summary>
    public long InMinute(CoapCounter counter) => _past.TryPeek(out long[]? first) ? _last[(int)counter] - first[(int)counter] : 0;

    private static long[] Read(CoapCounters counters)
    {
        long[] values = new long[s_kinds];
        for (int i = 0; i < values.Length; i++)
        {
            values[i] = counters[(CoapCounter)i];
        }

        return values;
    }
}
