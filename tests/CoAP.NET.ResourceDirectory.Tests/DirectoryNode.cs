namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>A node of a cluster, with its directory and a server that has it.</summary>
internal sealed record DirectoryNode(CoapCluster Cluster, CoapDirectoryServer Directory, CoapServer Server, string Uri) : IAsyncDisposable
{
    public async ValueTask DisposeAsync()
    {
        await Server.DisposeAsync();
        await Directory.DisposeAsync();
        await Cluster.DisposeAsync();
    }
}
