namespace CoAP.NET.PubSub.Telemetry;

/// <summary>Counts events for <see cref="CoapPubSubBroker.GetCounters"/> and the meter. Thread-safe.</summary>
internal sealed class PubSubCounts(PubSubInstruments instruments)
{
    private readonly long[] _values = new long[Enum.GetValues<PubSubCount>().Length];

    public long this[PubSubCount count] => Interlocked.Read(ref _values[(int)count]);

    public void Add(PubSubCount count)
    {
        Interlocked.Increment(ref _values[(int)count]);
        instruments.Add(count);
    }
}
