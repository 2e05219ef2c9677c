using CoAP.NET.Orleans.Devices;

namespace CoAP.NET.Orleans.Tests.Messages;

// Layouts of other versions: with the last member fewer, and with one more. Their generated code writes what silos of such versions send.

[GenerateSerializer]
internal readonly record struct EarlierDeviceCall(
    [property: Id(0)] DeviceOperation Act, [property: Id(1)] string Name, [property: Id(2)] long Number,
    [property: Id(3)] TimeSpan? Timeout);

[GenerateSerializer]
internal readonly record struct LaterDeviceCall(
    [property: Id(0)] DeviceOperation Act, [property: Id(1)] string Name, [property: Id(2)] long Number,
    [property: Id(3)] TimeSpan? Timeout,
    [property: Id(4)] byte[]? Body, [property: Id(5)] string Reason);

[GenerateSerializer]
internal readonly record struct EarlierDeviceSighting(
    [property: Id(0)] TimeSpan Silence, [property: Id(1)] DateTimeOffset LastHeard, [property: Id(2)] bool IsAsleep,
    [property: Id(3)] Guid Node);

[GenerateSerializer]
internal readonly record struct LaterDeviceSighting(
    [property: Id(0)] TimeSpan Silence, [property: Id(1)] DateTimeOffset LastHeard, [property: Id(2)] bool IsAsleep,
    [property: Id(3)] Guid Node, [property: Id(4)] long Number, [property: Id(5)] List<string> Paths);

[GenerateSerializer]
internal readonly record struct EarlierDeviceLocation([property: Id(0)] SiloAddress? Silo);

[GenerateSerializer]
internal readonly record struct LaterDeviceLocation(
    [property: Id(0)] SiloAddress? Silo, [property: Id(1)] bool IsCertain, [property: Id(2)] DateTimeOffset Since);
