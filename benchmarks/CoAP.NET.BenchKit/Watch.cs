namespace CoAP.NET.Bench;

/// <summary>The time since it was made, by the clock of the system.</summary>
internal readonly struct Watch()
{
    private readonly long _begin = TimeProvider.System.GetTimestamp();

    public TimeSpan Elapsed => TimeProvider.System.GetElapsedTime(_begin);
}
