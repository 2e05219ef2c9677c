namespace CoAP.NET.Orleans.Devices;

/// <summary>What a silo asks another one for (<see cref="DeviceCall"/>).</summary>
[GenerateSerializer, Alias("coap.device.operation")]
internal enum DeviceOperation : byte
{
    /// <summary>Return what the silo knows of the device (<see cref="DeviceSighting"/>).</summary>
    Find,

    Ask,

    /// <summary>
    /// Observe the device, and return its state when it is another one than returned last, or after some time. The observation ends if the
    /// silo does not call again.
    /// </summary>
    Observe,

    EndObservation,

    /// <summary>Wait for some time until the device is awake.</summary>
    WhenAwake,

    /// <summary>Remove a session: another silo has a newer one.</summary>
    Drop,

    /// <summary>Remove the device, which is forgotten.</summary>
    Forget,
}
