using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Oscore.Provisioning;

namespace CoAP.NET.Oscore.Hosting;

/// <summary>
/// OSCORE of a hosted server (RFC 8613): the peers whose protected requests it accepts. Use <c>RequireOscore</c> to make a route require
/// protection.
/// </summary>
internal sealed class CoapOscoreServerFileOptions
{
    /// <summary>Files of security contexts, in the format of <see cref="OscoreContextFile"/>: JSON, or directories of aiocoap.</summary>
    /// <remarks>
    /// If a JSON file changes while the server runs, the server takes its contexts, unless the file has an error; it then refuses messages
    /// with a removed or changed context. Default empty.
    /// </remarks>
    public IList<string> Files { get; } = [];

    /// <summary>
    /// The directory of the sequence numbers of all JSON files, which only one process at a time may use; created if missing.
    /// </summary>
    /// <remarks>
    /// Default null: for each file the directory <c>FILE.state</c> next to it. Directories of aiocoap always keep their own numbers.
    /// </remarks>
    public string? Store { get; set; }

    /// <summary>
    /// Returns an object that finds the contexts of many devices, for example in a database; it gets the services of the application.
    /// </summary>
    /// <remarks>It runs once, when the server is created. Default null: no resolver.</remarks>
    public Func<IServiceProvider, IOscoreContextResolver>? Resolver { get; set; }

    /// <summary>The timeout of <see cref="Resolver"/>. Default 10 s; above 0 s, up to 1 h.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of its range.</exception>
    public TimeSpan ResolveTimeout
    {
        get;
        set => field = new OscoreContexts { ResolveTimeout = value }.ResolveTimeout;
    }
    = new OscoreContexts().ResolveTimeout;

    /// <summary>
    /// Maximum size in bytes of a reassembled message that a proxy split into blocks; see <see cref="OscoreContexts.MaxUnfragmentedSize"/>.
    /// Default 65,536; 0, for no such messages, to 16 MiB.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of its range.</exception>
    public int MaxUnfragmentedSize
    {
        get;
        set => field = new OscoreContexts { MaxUnfragmentedSize = value }.MaxUnfragmentedSize;
    }
    = new OscoreContexts().MaxUnfragmentedSize;

    /// <summary>Limits of the memory and work that unauthenticated peers can cause.</summary>
    public OscoreLimits Limits { get; } = new();

    internal ConfigurationErrors Findings { get; } = new();

    internal bool IsEmpty => Files.Count == 0;
}
