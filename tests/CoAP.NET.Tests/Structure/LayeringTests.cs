namespace CoAP.NET.Tests.Structure;

/// <summary>
/// The folders of the library, from the lowest to the highest: none refers to one above it. Checked in the built assembly, so that no
/// spelling escapes.
/// </summary>
public class LayeringTests
{
    private static readonly string[] s_order =
    [
        "Messages",
        "Errors",
        "Diagnostics",
        "Settings",
        "Identity",
        "Execution",
        "Peers",
        "Mesh",
        "Channels",
        "Signalling",
        "Api",
        "Transports",
        "Content",
        "Messaging",
        "Serialization",
        "Blockwise",
        "Resources",
        "Binding",
        "Groups",
        "Exchanges",
        "Connecting",
        "Protection",
        "Composition",
        "Requests",
        "Observing",
        "Endpoints",
        "CredentialFiles",
    ];

    private static readonly IReadOnlyDictionary<string, HashSet<string>> s_uses =
        TypeReferences.Read(typeof(CoapCounters).Assembly.Location);

    [Fact]
    public void Every_type_of_the_assembly_is_found_in_the_source()
    {
        string[] unknown = [.. s_uses.Keys.Where(IsOurs).Where(static name => !SourceTree.FolderOfType.ContainsKey(name)).Order()];
        Assert.Empty(unknown);
    }

    [Fact]
    public void The_reference_scan_finds_base_classes_signatures_and_calls()
    {
        // The tool works: a base class, a signature and a call in a method body.
        Assert.Contains("CoAP.NET.Mesh.InlineTarget`1", s_uses["CoAP.NET.Mesh.InlineBlock`2"]);
        Assert.Contains("CoAP.NET.CoapChannel", s_uses["CoAP.NET.CoapInbound"]);
        Assert.Contains("CoAP.NET.Mesh.StageExceptionReporter", s_uses["CoAP.NET.Mesh.InlineLink`1"]);
    }

    [Fact]
    public void No_folder_references_a_folder_of_a_higher_layer()
    {
        Assert.Equal(s_order.Order(), SourceTree.FolderOfType.Values.Select(Chapter).Distinct().Order());
        Assert.Empty(
            from type in s_uses
            where IsOurs(type.Key)
            from used in type.Value
            where IsOurs(used) && Place(used) > Place(type.Key)
            select $"{type.Key} -> {used}");
    }

    [Fact]
    public void Only_transports_and_their_composition_use_sockets_and_DNS()
    {
        string[] network =
        [
            "System.Net.Sockets.Socket", "System.Net.Sockets.NetworkStream", "System.Net.Security.SslStream",
            "System.Net.WebSockets.ClientWebSocket", "System.Net.Dns",
        ];

        Assert.Empty(
            from type in s_uses
            where IsOurs(type.Key) && Chapter(SourceTree.FolderOfType[type.Key]) is not ("Composition" or "Connecting" or "Transports")
            from used in type.Value.Intersect(network)
            select $"{type.Key} -> {used}");
    }

    private static int Place(string type) => Array.IndexOf(s_order, Chapter(SourceTree.FolderOfType[type]));

    private static string Chapter(string folder) => folder.Split('/')[0];

    private static bool IsOurs(string name) => name.StartsWith("CoAP.NET", Ordinal);
}
