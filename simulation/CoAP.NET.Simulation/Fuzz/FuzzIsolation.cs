using System.Reflection;
using System.Runtime.Loader;
using Server;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// Loads the core and the packages of contents, proxies and HTTP once more, rewritten by <see cref="CoverageInstrumenter"/>, with the
/// fuzzer beside them: each worker has its own, so that what one reaches is not counted for the other, and static state is not shared.
/// </summary>
internal sealed class FuzzIsolation : AssemblyLoadContext
{
    private static readonly string? s_sample = typeof(PlugtestResources).Assembly.GetName().Name;

    private readonly IReadOnlyDictionary<string, byte[]> _libraries;

    private FuzzIsolation(IReadOnlyDictionary<string, byte[]> libraries)
        : base("fuzz") => _libraries = libraries;

    /// <summary>The libraries rewritten, by their names.</summary>
    public static IReadOnlyDictionary<string, byte[]> Rewrite() =>
        CoverageMap.Libraries.ToDictionary(library => library.GetName().Name!,
            library => CoverageInstrumenter.Rewrite(library.Location));

    /// <summary>Makes a worker's <see cref="FuzzSession.Run"/>.</summary>
    /// <param name="libraries">The libraries rewritten.</param>
    public static Func<ulong, long, string?, string?, object?[], CancellationToken, string[][]> Make(
        IReadOnlyDictionary<string, byte[]> libraries)
    {
        FuzzIsolation context = new(libraries);
        Assembly fuzzer = context.LoadFromAssemblyPath(typeof(FuzzIsolation).Assembly.Location);
        MethodInfo run = fuzzer.GetType(typeof(FuzzSession).FullName!)!.GetMethod(nameof(FuzzSession.Run))!;
        return run.CreateDelegate<Func<ulong, long, string?, string?, object?[], CancellationToken, string[][]>>();
    }

    protected override Assembly? Load(AssemblyName assemblyName)
    {
        if (_libraries.TryGetValue(assemblyName.Name!, out byte[]? library))
        {
            return LoadFromStream(new MemoryStream(library));
        }

        // What names types of the libraries has to be loaded beside the copies; everything else is shared.
        string? path = assemblyName.Name == s_sample || assemblyName.Name!.StartsWith("CoAP.NET.", StringComparison.Ordinal)
            ? Path.Combine(Path.GetDirectoryName(typeof(FuzzIsolation).Assembly.Location)!, $"{assemblyName.Name}.dll")
            : null;
        return path is null ? null : LoadFromAssemblyPath(path);
    }
}
