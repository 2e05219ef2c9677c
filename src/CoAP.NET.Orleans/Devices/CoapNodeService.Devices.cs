using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Orleans;

// What other nodes ask about devices here.
internal sealed partial class CoapNodeService
{
    /// <inheritdoc/>
    public Task<byte[]?> AskDeviceAsync(Guid from, byte[] call, CancellationToken cancellationToken) =>
        Services.GetRequiredService<DeviceGateway>().ServeAsync(from, call, cancellationToken);
}
