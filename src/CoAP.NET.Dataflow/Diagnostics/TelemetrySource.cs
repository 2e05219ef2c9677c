namespace CoAP.NET;

/// <summary>What the instruments read of one endpoint.</summary>
/// <param name="counters">The counters.</param>
/// <param name="tags">The tags of the endpoint.</param>
/// <param name="read">Reads what there is at the moment. Any thread may call it; it waits for nothing long.</param>
internal sealed class TelemetrySource(CoapCounters counters, KeyValuePair<string, object?>[] tags, Func<EndpointGauge, long> read)
{
    public CoapCounters Counters => counters;

    public KeyValuePair<string, object?>[] Tags => tags;

    /// <summary>Endpoints with the same tags are one in the metrics: their values are added.</summary>
    public string Key { get; } = string.Join('\n', tags.Select(static tag => $"{tag.Key}={tag.Value}"));

    public long Read(EndpointGauge gauge) => read(gauge);
}
