namespace CoAP.NET.Diagnostics;

/// <summary>The data that instruments read from one endpoint.</summary>
/// <param name="counters">The counters.</param>
/// <param name="tags">The tags of the endpoint.</param>
/// <param name="read">Reads the current values. Any thread may call it; it does not wait long.</param>
internal sealed class EndpointMetricSource(CoapCounters counters, KeyValuePair<string, object?>[] tags, Func<EndpointGauge, long> read)
{
    public CoapCounters Counters => counters;

    public KeyValuePair<string, object?>[] Tags => tags;

    /// <summary>The key of the tags: the metrics add up the values of endpoints with the same tags.</summary>
    public string Key { get; } = string.Join('\n', tags.Select(static tag => $"{tag.Key}={tag.Value}"));

    public long Read(EndpointGauge gauge) => read(gauge);
}
