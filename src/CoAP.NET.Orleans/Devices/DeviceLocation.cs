using Orleans.Runtime;

namespace CoAP.NET.Orleans.Devices;

/// <summary>The silo of a device, as the result of a search.</summary>
/// <param name="Silo">The silo; null if none of those that answered has it.</param>
/// <param name="IsCertain">Whether all silos answered, if none has it.</param>
[GenerateSerializer, Immutable, Alias("coap.device.location")]
internal readonly record struct DeviceLocation([property: Id(0)] SiloAddress? Silo, [property: Id(1)] bool IsCertain);
