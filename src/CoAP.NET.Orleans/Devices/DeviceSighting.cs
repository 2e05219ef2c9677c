namespace CoAP.NET.Orleans.Devices;

/// <summary>The session of a device, as its silo knows it.</summary>
/// <param name="Silence">The time since the last message, by the clock of that silo.</param>
/// <param name="LastHeard">The time of the last message.</param>
/// <param name="IsAsleep">Whether it is asleep.</param>
/// <param name="Node">The node of the silo.</param>
/// <param name="Number">The number of the session.</param>
[GenerateSerializer, Immutable, Alias("coap.device.sighting")]
internal readonly record struct DeviceSighting(
    [property: Id(0)] TimeSpan Silence, [property: Id(1)] DateTimeOffset LastHeard, [property: Id(2)] bool IsAsleep,
    [property: Id(3)] Guid Node, [property: Id(4)] long Number);
