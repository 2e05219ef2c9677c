namespace CoAP.NET.Edhoc.Coap;

/// <summary>Counts events. Thread-safe.</summary>
/// <param name="instruments">The metrics to update.</param>
internal sealed class ServerCounts(EdhocInstruments instruments)
{
    private readonly long[] _values = new long[Enum.GetValues<ServerCount>().Length];

    public long this[ServerCount count] => Interlocked.Read(ref _values[(int)count]);

    public void Add(ServerCount count)
    {
        Interlocked.Increment(ref _values[(int)count]);
        instruments.Add(count);
    }

    /// <summary>Changes the number of active sessions.</summary>
    public void ChangeActive(int by) => instruments.ChangeActive(by);
}
