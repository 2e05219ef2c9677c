using CoAP.NET.Cluster.Devices.Observing;

namespace CoAP.NET.Orleans.Devices;

/// <summary><see cref="ObservedResource"/> between silos.</summary>
/// <param name="Message">The message that registers, in the format of RFC 7252.</param>
/// <param name="MinimumInterval">The shortest time between registrations; null if the silo registers once.</param>
/// <param name="MaximumBackOff">The longest time between registrations.</param>
[GenerateSerializer, Immutable, Alias("coap.device.resource")]
internal sealed record DeviceResource(
    [property: Id(0)] ReadOnlyMemory<byte> Message, [property: Id(1)] TimeSpan? MinimumInterval, [property: Id(2)] TimeSpan MaximumBackOff)
{
    public static DeviceResource Of(ObservedResource resource) => new(
        resource.Message, resource.Rule.IsEnabled ? resource.Rule.MinimumInterval : null, resource.Rule.MaximumBackOff);

    public ObservedResource ToResource(string device) => new(device, Message, MinimumInterval is { } interval
        ? CoapReregistrationPolicy.NotMoreOftenThan(interval, MaximumBackOff)
        : CoapReregistrationPolicy.Never);
}

/// <summary><see cref="DeviceNotification"/> between silos.</summary>
/// <param name="State">The state of the observation (<see cref="CoapObserveState"/>).</param>
/// <param name="Answer">The newest response, or the failure; null for neither.</param>
[GenerateSerializer, Immutable, Alias("coap.device.resource-state")]
internal sealed record DeviceResourceState([property: Id(0)] byte State, [property: Id(1)] CoapDeviceAnswer? Answer)
{
    public static DeviceResourceState Of(string device, DeviceNotification news) => new((byte)news.State,
        news.Response is null && news.Failure is null
            ? null
            : CoapDeviceAnswer.Of(device, news.Response, news.Failure, isSafe: true));

    public DeviceNotification ToNotification() => new((CoapObserveState)State, Answer?.Response, Answer?.Failure);
}
