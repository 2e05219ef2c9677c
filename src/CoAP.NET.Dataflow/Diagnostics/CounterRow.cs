namespace CoAP.NET.Diagnostics;

/// <summary>A counter of a metric.</summary>
/// <param name="Counter">The counter.</param>
/// <param name="Value">Its value of the metric's tag; null for a metric without a tag.</param>
/// <param name="Meaning">What it counts; null if the description of the metric says all.</param>
internal sealed record CounterRow(CoapCounter Counter, string? Value, string? Meaning)
{
    /// <summary>The row of a counter.</summary>
    public static CounterRow Of(CoapCounter counter) =>
        CounterInstrument.All.SelectMany(static instrument => instrument.Rows).Single(row => row.Counter == counter);
}
