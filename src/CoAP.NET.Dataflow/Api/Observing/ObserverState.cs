namespace CoAP.NET.Observing;

/// <summary>Holds what the application stores for an observer, over all registrations that renew the observation.</summary>
internal sealed class ObserverState
{
    public object? Value { get; set; }
}
