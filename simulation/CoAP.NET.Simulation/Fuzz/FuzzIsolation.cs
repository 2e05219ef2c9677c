using System.Reflection;
using System.Runtime.Loader;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// Loads the library once more, rewritten by <see cref="CoverageInstrumenter"/>, with the fuzzer beside it: each worker has its own, so that what one reaches is not counted for the other, and
/// static state is not shared.
/// </summary>
internal sealed class FuzzIsolation : AssemblyLoadContext
{
    private const string Library = "CoAP.NET.Dataflow";

    private readonly byte[] _library;

    private FuzzIsolation(byte[] library)
        : base("fuzz") => _library = library;

    /// <summary>The library rewritten.</summary>
    public static byte[] Rewrite() => CoverageInstrumenter.Rewrite(typeof(CoapMessage).Assembly.Location);

    /// <summary>Makes a worker's <see cref="FuzzSession.Run"/>.</summary>
    /// <param name="library">The library rewritten.</param>
    public static Func<ulong, long, string?, string?, object?[], CancellationToken, string[][]> Make(byte[] library)
    {
        FuzzIsolation context = new(library);
        Assembly fuzzer = context.LoadFromAssemblyPath(typeof(FuzzIsolation).Assembly.Location);
        MethodInfo run = fuzzer.GetType(typeof(FuzzSession).FullName!)!.GetMethod(nameof(FuzzSession.Run))!;
        return run.CreateDelegate<Func<ulong, long, string?, string?, object?[], CancellationToken, string[][]>>();
    }

    protected override Assembly? Load(AssemblyName assemblyName)
    {
        if (assemblyName.Name == Library)
        {
            return LoadFromStream(new MemoryStream(_library));
        }

        // What names types of the library has to be loaded beside the copy; everything else is shared.
        string? path = assemblyName.Name is "CoAP.NET.Testing" or "CoAP.NET.Simulation" ? Path.Combine(Path.GetDirectoryName(typeof(FuzzIsolation).Assembly.Location)!, $"{assemblyName.Name}.dll") : null;
        return path is null ? null : LoadFromAssemblyPath(path);
    }
}
