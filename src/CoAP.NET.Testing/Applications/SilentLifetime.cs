using Microsoft.Extensions.Hosting;

namespace CoAP.NET.Testing;

/// <summary>A host that listens to no signal of the process: the test says when it ends.</summary>
internal sealed class SilentLifetime : IHostLifetime
{
    public Task WaitForStartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
