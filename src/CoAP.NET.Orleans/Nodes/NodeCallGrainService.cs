using CoAP.NET.Orleans.Devices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Orleans.Runtime;

namespace CoAP.NET.Orleans.Nodes;

/// <summary>The service of this node, which passes calls on to the parts that handle them.</summary>
/// <param name="id">Its id.</param>
/// <param name="silo">The silo.</param>
/// <param name="loggers">The logs.</param>
/// <param name="peers">Handles posts and questions.</param>
/// <param name="services">Has the gateway of devices, which needs this service.</param>
internal sealed class NodeCallGrainService(
    GrainId id, Silo silo, ILoggerFactory loggers, SiloPeers peers, IServiceProvider services)
    : GrainService(id, silo, loggers), ICoapNodeService
{
    /// <inheritdoc/>
    public Task PostAsync(Guid from, string path, byte[][] items)
    {
        peers.Take(from, path, items);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task<byte[]?> RequestAsync(Guid from, string path, byte[] question) => peers.AnswerAsync(from, path, question);

    /// <inheritdoc/>
    public Task<byte[]> AskDeviceAsync(Guid from, DeviceCall call, CancellationToken cancellationToken) =>
        services.GetRequiredService<DeviceGateway>().ServeAsync(from, call, cancellationToken);
}
