namespace CoAP.NET.Requesting;

/// <summary>One of those who share the observation of a resource.</summary>
internal interface IObservationReader
{
    /// <summary>What this reader asks for.</summary>
    CoapReregistration Reregistration { get; }

    /// <summary>There is a new <see cref="ObservedResource.Snapshot"/>. Called without any lock; several threads may call at a time.</summary>
    void OnChanged();
}
