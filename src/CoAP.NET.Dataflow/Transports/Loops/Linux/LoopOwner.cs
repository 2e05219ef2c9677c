namespace CoAP.NET.Transports;

/// <summary>A transport as its loops see it.</summary>
/// <param name="context">Its endpoint.</param>
/// <param name="handOverAfter">How long user code may hold up others; <see cref="Timeout.InfiniteTimeSpan"/>: for ever.</param>
internal sealed class LoopOwner(ICoapTransportContext context, TimeSpan handOverAfter)
{
    public ICoapTransportContext Context { get; } = context;

    public TimeSpan HandOverAfter { get; } = handOverAfter;
}
