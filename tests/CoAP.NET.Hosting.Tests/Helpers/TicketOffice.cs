namespace CoAP.NET.Hosting.Tests.Helpers;

/// <summary>A service of which there is one.</summary>
internal sealed class TicketOffice
{
    private int _last;

    public ConcurrentBag<int> Ended { get; } = [];

    public int Made => Volatile.Read(ref _last);

    public int Next() => Interlocked.Increment(ref _last);
}
