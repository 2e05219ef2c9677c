using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>Handles a path that sends requests to devices over their connections or sessions with this server.</summary>
/// <param name="options">The options of the exchange.</param>
/// <param name="find">Finds the device for a request; null if it is not connected.</param>
/// <param name="clock">The clock.</param>
/// <param name="logger">The log.</param>
internal sealed class DeviceEndpoint(
    CoapHttpToCoapOptions options, Func<HttpContext, CoapPeer?> find, TimeProvider clock, ILogger logger)
{
    private readonly HttpRequestLimiter _places = new(options);

    public Task HandleAsync(HttpContext context) => _places.RunAsync(context, AnswerAsync);

    private async Task AnswerAsync(HttpContext context, CoapQuotaSource source)
    {
        if (find(context) is not { } device)
        {
            await ProxyResponseWriter.RefuseAsync(context, StatusCodes.Status502BadGateway, "The device is not connected.")
                .ConfigureAwait(false);
            return;
        }

        // Only the path counts: the request goes to this device, regardless of the URI.
        string origin = $"{device.Scheme}://{device.Address}/";
        string rest = RawTarget.Split(context, out string prefix);
        if (!CoapUri.TryParse(origin + rest, out CoapUri? target, out string? error))
        {
            await ProxyResponseWriter.RefuseAsync(context, StatusCodes.Status400BadRequest, error).ConfigureAwait(false);
            return;
        }

        int authority = target.Scheme.Length + "://".Length + target.Authority.Length;
        using HttpToCoapResponder exchanges = new(device, options, fillsCache: false, clock, logger);
        await exchanges.AnswerAsync(
            context, source, target, hopLimit: null, created => prefix + created.ToString()[authority..].TrimStart('/'))
            .ConfigureAwait(false);
    }
}
