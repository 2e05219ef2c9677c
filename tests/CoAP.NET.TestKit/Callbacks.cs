namespace CoAP.NET;

/// <summary>Observations whose notifications go to a method, on the receiving thread, as packages of the library receive them.</summary>
internal static class Callbacks
{
    public static Task<CoapObservation> ObserveAsync(
        this ICoapClient client, CoapUri uri, Action<CoapResponse> onNotification, CancellationToken cancellationToken = default) =>
        client.ObserveAsync(new CoapRequest(CoapMethod.Get, uri), onNotification, cancellationToken);

    public static Task<CoapObservation> ObserveAsync(
        this ICoapClient client, string uri, Action<CoapResponse> onNotification, CancellationToken cancellationToken = default) =>
        client.ObserveAsync(CoapUri.FromString(uri), onNotification, cancellationToken);

    public static Task<CoapObservation> ObserveAsync(
        this ICoapClient client, CoapRequest request, Action<CoapResponse> onNotification, CancellationToken cancellationToken = default) =>
        client.ObserveAsync(request, new CoapObservationOptions { OnNotification = onNotification }, cancellationToken);
}
