using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Survival.Scenarios;

/// <summary>A folder for the file of one node, and the node's secret.</summary>
internal sealed class NodeFolder : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("coap-survival-").FullName;
    private readonly string _secret = Convert.ToHexString(CoapSealedClusterStore.NewSecret());

    /// <summary>The command line of a node.</summary>
    /// <param name="isDurable">Whether it keeps anything.</param>
    /// <param name="store">Where; null for the file of this folder.</param>
    public string[] Arguments(bool isDurable, string? store = null) => isDurable
        ? ["--store", store ?? NodeStore.Sqlite(Path.Combine(_folder, "coap.db")), "--secret", _secret]
        : ["--store", NodeStore.None];

    public void Dispose() => Directory.Delete(_folder, recursive: true);
}
