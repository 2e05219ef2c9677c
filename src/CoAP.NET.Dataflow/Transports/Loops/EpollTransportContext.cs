namespace CoAP.NET.Transports.Loops;

/// <summary>What loops need from a transport: its endpoint, and when another thread takes over.</summary>
/// <param name="context">The endpoint.</param>
/// <param name="handOverAfter">How long user code may delay others; <see cref="Timeout.InfiniteTimeSpan"/> for no limit.</param>
internal sealed class EpollTransportContext(ICoapTransportContext context, TimeSpan handOverAfter)
{
    public ICoapTransportContext Context { get; } = context;

    public TimeSpan HandOverAfter { get; } = handOverAfter;
}
