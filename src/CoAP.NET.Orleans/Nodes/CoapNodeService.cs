using Microsoft.Extensions.Logging;
using Orleans.Runtime;

namespace CoAP.NET.Orleans;

/// <summary>The service of this node, which passes calls on to the parts that handle them.</summary>
/// <param name="id">Its id.</param>
/// <param name="silo">The silo.</param>
/// <param name="loggers">The logs.</param>
/// <param name="peers">Handles posts and questions.</param>
/// <param name="services">The services of the silo, for the other parts.</param>
internal sealed partial class CoapNodeService(
    GrainId id, Silo silo, ILoggerFactory loggers, SiloPeers peers, IServiceProvider services)
    : GrainService(id, silo, loggers), ICoapNodeService
{
    // The parts in other files of this class find what they pass calls on to here.
    private IServiceProvider Services { get; } = services;

    /// <inheritdoc/>
    public Task PostAsync(Guid from, string path, byte[][] items)
    {
        peers.Take(from, path, items);
        return Task.CompletedTask;
    }

    /// <inheritdoc/>
    public Task<byte[]?> AskAsync(Guid from, string path, byte[] question) => peers.AnswerAsync(from, path, question);
}
