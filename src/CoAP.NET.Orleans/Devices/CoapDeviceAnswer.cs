using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Devices;
using CoAP.NET.Diagnostics;
using CoAP.NET.Orleans.Devices;

namespace CoAP.NET.Orleans;

/// <summary>
/// The answer of a device to a request (<see cref="IDeviceGrain.SendAsync"/>): its response, or the reason why there is none.
/// </summary>
[GenerateSerializer, Immutable, Alias("coap.device.answer")]
public sealed class CoapDeviceAnswer
{
    private const int MaxReason = 1024;

    [Id(1)]
    private readonly byte? _fault;

    [Id(2)]
    private readonly string _device;

    [Id(3)]
    private readonly string _reason = "";

    [Id(4)]
    private readonly bool _isOutcomeUnknown;

    [Id(5)]
    private readonly DateTimeOffset? _lastHeard;

    [Id(6)]
    private readonly bool _hasMoved;

    private CoapDeviceAnswer(string device, CoapResponse response) => (_device, Response) = (device, response);

    private CoapDeviceAnswer(CoapDeviceException failure)
    {
        string reason = failure.InnerException?.Message ?? failure.Message;
        _device = failure.Device;
        _fault = (byte)failure.Fault;
        _reason = reason.Length > MaxReason ? reason[..MaxReason] : reason;
        _isOutcomeUnknown = failure.IsOutcomeUnknown;
        _lastHeard = failure.LastHeard;
        _hasMoved = failure.HasMoved;
    }

    /// <summary>The response of the device; null if there is none.</summary>
    [Id(0)]
    public CoapResponse? Response { get; }

    /// <summary>The reason why there is no response; null with a response.</summary>
    public CoapDeviceException? Failure => (CoapDeviceFault?)_fault switch
    {
        null => null,
        CoapDeviceFault.Unknown => CoapDeviceException.Unknown(_device),
        CoapDeviceFault.Asleep => CoapDeviceException.Asleep(_device, _lastHeard, _isOutcomeUnknown),
        CoapDeviceFault.Unreachable => CoapDeviceException.Unreachable(_device, _reason, _isOutcomeUnknown, hasMoved: _hasMoved),
        _ => new CoapDeviceException(CoapDeviceFault.Failed, _device, CoapUntrustedText.LineOf(_reason))
        {
            IsOutcomeUnknown = _isOutcomeUnknown,
        },
    };

    /// <summary>Whether the node that answers does not have the device.</summary>
    internal bool IsNotHere => _fault == (byte)CoapDeviceFault.Unknown;

    /// <summary>Creates the answer with the outcome of a request.</summary>
    /// <param name="device">The name of the device.</param>
    /// <param name="response">The response; null for none.</param>
    /// <param name="failure">The reason why there is none; null without a response if the device is not here.</param>
    /// <param name="isSafe">Whether the request changes nothing.</param>
    internal static CoapDeviceAnswer Of(string device, CoapResponse? response, CoapDeviceException? failure, bool isSafe) =>
        response is null ? new CoapDeviceAnswer(failure ?? CoapDeviceException.Unknown(device))
        : response.Payload.Length > DeviceBodies.MaxLength ? new CoapDeviceAnswer(DeviceBodies.TooLarge(device, !isSafe))
        : new CoapDeviceAnswer(device, response);
}
