using CoAP.NET.Channels;

namespace CoAP.NET.Requesting;

/// <summary>The last step: one request message, one response (RFC 7252 section 5).</summary>
/// <param name="environment">For the clock.</param>
/// <param name="send">Sends a message to a peer and waits for its response.</param>
internal sealed class ExchangeStep(
    CoapEnvironment environment, Func<OutgoingRequest, RequestTime, CancellationToken, Task<CoapResponse>> send) : RequestStep
{
    public override Task<CoapResponse> SendAsync(OutgoingRequest request, CancellationToken cancellationToken)
    {
        if (request.Route is { } route)
        {
            route.MessagesSent++;
        }

        return send(request, request.Timeout is null ? default : request.TimeAt(environment.Now), cancellationToken);
    }
}
