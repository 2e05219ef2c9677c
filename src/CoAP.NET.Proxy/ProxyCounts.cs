namespace CoAP.NET.Proxy;

/// <summary>Counts events of a proxy. Thread-safe.</summary>
internal sealed class ProxyCounts
{
    private readonly long[] _values = new long[Enum.GetValues<ProxyCount>().Length];

    public void Add(ProxyCount count) => Interlocked.Increment(ref _values[(int)count]);

    public long this[ProxyCount count] => Interlocked.Read(ref _values[(int)count]);
}
