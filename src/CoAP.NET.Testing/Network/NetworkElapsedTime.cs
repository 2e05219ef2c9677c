namespace CoAP.NET.Testing.Network;

/// <summary>The time of a network, which begins with it.</summary>
/// <param name="timeProvider">Its clock.</param>
internal sealed class NetworkElapsedTime(TimeProvider timeProvider)
{
    private readonly long _started = timeProvider.GetTimestamp();

    public TimeSpan Now => timeProvider.GetElapsedTime(_started);
}
