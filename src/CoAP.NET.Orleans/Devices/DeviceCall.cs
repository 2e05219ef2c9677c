namespace CoAP.NET.Orleans.Devices;

/// <summary>A call of a silo about a device at another one.</summary>
/// <param name="Act">What it asks for (<see cref="DeviceOperation"/>).</param>
/// <param name="Name">The name of the device.</param>
/// <param name="Number">The number of the session or of the observation; 0 for none.</param>
/// <param name="Timeout">The timeout of a request to the device; null for that of the session.</param>
/// <param name="Body">The request or the resource; null for none.</param>
[GenerateSerializer, Immutable, Alias("coap.device.call")]
internal readonly record struct DeviceCall(
    [property: Id(0)] DeviceOperation Act, [property: Id(1)] string Name, [property: Id(2)] long Number = 0,
    [property: Id(3)] TimeSpan? Timeout = null, [property: Id(4)] byte[]? Body = null);
