using Orleans.Runtime;

namespace CoAP.NET.Orleans.Devices;

/// <summary>The answer of the grain of a device to the report of a session.</summary>
/// <param name="IsNewest">Whether it is the newest session.</param>
/// <param name="Grain">The silo of the grain. When it is dead, the session is reported again.</param>
[GenerateSerializer, Immutable, Alias("coap.device.arrival")]
internal readonly record struct DeviceArrival([property: Id(0)] bool IsNewest, [property: Id(1)] SiloAddress Grain);
