namespace CoAP.NET.Orleans;

/// <summary>The state of an observation at a device for another silo.</summary>
/// <param name="State">The state (<see cref="CoapObserveState"/>).</param>
/// <param name="Answer">The newest response or failure; null if there is no other one than before.</param>
[GenerateSerializer, Immutable, Alias("CoAP.NET.DeviceNews")]
internal readonly record struct DeviceNews([property: Id(0)] byte State, [property: Id(1)] byte[]? Answer)
{
    /// <summary>Creates it.</summary>
    public DeviceNews(CoapObserveState state, byte[]? answer = null)
        : this((byte)state, answer)
    {
    }
}
