using Microsoft.Extensions.Hosting;

namespace CoAP.NET.Testing;

/// <summary>A host lifetime that ignores signals of the process: the test decides when it ends.</summary>
internal sealed class SilentLifetime : IHostLifetime
{
    public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
