namespace CoAP.NET.Edhoc.Coap;

/// <summary>Counts. Thread-safe.</summary>
internal sealed class ServerCounts
{
    private readonly long[] _values = new long[Enum.GetValues<ServerCount>().Length];

    public long this[ServerCount count] => Interlocked.Read(ref _values[(int)count]);

    public void Add(ServerCount count) => Interlocked.Increment(ref _values[(int)count]);
}
