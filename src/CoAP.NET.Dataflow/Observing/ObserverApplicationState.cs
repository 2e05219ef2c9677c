namespace CoAP.NET.Observing;

/// <summary>Holds what the application stores for an observer, over all registrations that renew the observation.</summary>
internal sealed class ObserverApplicationState
{
    public object? Value { get; set; }
}
