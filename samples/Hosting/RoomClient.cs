using CoAP.NET;

namespace Hosting;

/// <summary>A typed client: what it asks is relative to its base address.</summary>
internal sealed class RoomClient(ICoapClient client)
{
    public async Task<string> TemperatureAsync(CancellationToken cancellationToken) =>
        (await client.GetAsync("temperature", cancellationToken)).EnsureSuccess().GetText();

    public async Task HeatToAsync(string degrees, CancellationToken cancellationToken) =>
        (await client.PutAsync("target", CoapContent.Text(degrees), cancellationToken)).EnsureSuccess();
}
