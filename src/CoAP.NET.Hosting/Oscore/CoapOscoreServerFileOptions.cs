using CoAP.NET.Oscore;

namespace CoAP.NET.Hosting;

/// <summary>
/// OSCORE of a hosted server (RFC 8613): whose protected requests it takes. Whether a route demands them is said by <c>RequireOscore</c>.
/// </summary>
public sealed class CoapOscoreServerFileOptions
{
    /// <summary>
    /// Files of security contexts, as <see cref="OscoreContextFile"/> reads them: JSON, or directories of aiocoap. When a JSON file changes
    /// while the server runs, its contexts are taken if nothing is wrong with it; what was protected with one that is gone or changed is
    /// refused from then on. Default empty.
    /// </summary>
    public IList<string> Files { get; } = [];

    /// <summary>
    /// The directory of the sequence numbers of all JSON files, which one process at a time may have; made where there is none. Default
    /// null: for each file the directory <c>FILE.state</c> beside it. Directories of aiocoap keep their own numbers in any case.
    /// </summary>
    public string? Store { get; set; }

    /// <summary>
    /// How long the resolver of <see cref="OscoreHostingExtensions.UseOscore"/> may take for a context. Default 10 s; above 0 s, up to 1 h.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">It is out of its range.</exception>
    public TimeSpan ResolveTimeout
    {
        get;
        set => field = new OscoreContexts { ResolveTimeout = value }.ResolveTimeout;
    }
    = new OscoreContexts().ResolveTimeout;

    /// <summary>How large messages are put together that a proxy cut into blocks, in bytes; see
    /// <see cref="OscoreContexts.MaxUnfragmentedSize"/>. Default 65,536; 0, for no such messages, to 16 MiB.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is out of its range.</exception>
    public int MaxUnfragmentedSize
    {
        get;
        set => field = new OscoreContexts { MaxUnfragmentedSize = value }.MaxUnfragmentedSize;
    }
    = new OscoreContexts().MaxUnfragmentedSize;

    /// <summary>Bounds for what strangers can have the server keep or do.</summary>
    public OscoreLimits Limits { get; } = new();

    internal bool IsEmpty => Files.Count == 0;
}
